//! What is allowed in a scenario and probably not meant: boots that are all given up, hosts files that do not exist,
//! and hosts in them that no node is called. How a hosts file is written is judged elsewhere.

use std::collections::BTreeSet;

use super::errors::{Problem, ScenarioError, ScenarioWarnings};
use super::explain::Explained;
use super::file::{ScenarioFile, Setting};
use super::keys::AT;
use super::read::is_granted;
use super::resolve::Resolution;
use super::target::Target;
use crate::rules::elastic::PolicyKind;
use crate::rules::hosts::{Format, HostsFile, parse_plain, parse_xml};
use crate::rules::machine::NodeType;
use crate::rules::script::{Action, ListFile};

impl ScenarioFile {
    /// What is probably not meant in the scenario with `settings` applied. Nothing, if the scenario has errors:
    /// those are told by [`ScenarioFile::resolve`].
    pub fn warnings(&self, settings: &[Setting]) -> ScenarioWarnings {
        let (overrides, errors) = self.overrides(settings);
        let resolution = self.assemble(&overrides);
        let is_right = errors.is_empty() && resolution.errors.is_empty();
        let mut warnings = Vec::new();
        if is_right {
            warnings.extend(boot_warnings(&resolution));
            warnings.extend(self.list_warnings(&resolution));
        }
        ScenarioWarnings::new(self.errors(warnings))
    }

    fn list_warnings(&self, resolution: &Resolution) -> Vec<ScenarioError> {
        let named: BTreeSet<&str> = resolution.draft.node_names().collect();
        let (mut warnings, mut told) = (Vec::new(), BTreeSet::new());
        for UsedList { key, list, is_include } in self.used_lists(resolution) {
            let file = list.path.display().to_string();
            let Some(text) = &list.text else {
                let warning =
                    ScenarioError::new(Problem::NoHostsFile(key.key.clone(), file), key.place.clone());
                warnings.push(warning.remedy("if that is not what the story is about, correct the path"));
                continue;
            };
            for host in hosts(&file, text, is_include).entries().iter().map(|entry| entry.name.as_str()) {
                let is_known = host.is_empty() || named.contains(host) || is_granted(host);
                if is_known || !told.insert((file.clone(), host.to_owned())) {
                    continue;
                }
                let (key_name, file, host) = (key.key.clone(), file.clone(), host.to_owned());
                let problem = Problem::UnknownHost { key: key_name, file, host };
                let warning = ScenarioError::new(problem, key.place.clone());
                warnings.push(warning.remedy(
                    "nodes are called as [[node]] names them; instances that are granted node-1, node-2 …",
                ));
            }
        }
        warnings
    }

    /// The hosts files of the scenario, those at the start first.
    fn used_lists<'r>(&self, resolution: &'r Resolution) -> Vec<UsedList<'r>> {
        let script = &resolution.draft.scenario.script;
        let whole = |path| resolution.key(Target::whole(path));
        let mut used = Vec::new();
        let mut add = |key: Option<&'r Explained>, list: Option<&'r ListFile>, is_include| {
            used.extend(key.zip(list).map(|(key, list)| UsedList { key, list, is_include }));
        };
        add(whole("lists.include"), script.include.as_deref(), true);
        add(whole("lists.exclude"), script.exclude.as_deref(), false);
        for (item, moment) in self.tables(AT, None).into_iter().zip(&resolution.draft.moments) {
            for action in &moment.actions {
                if let Action::RefreshNodes { include, exclude, .. } = action {
                    let key = resolution.key(Target { path: "at.refresh_nodes", item: Some(item) });
                    add(key, include.as_deref(), true);
                    add(key, exclude.as_deref(), false);
                }
            }
        }
        used
    }
}

/// Types of which no node will ever register, since each boot is given up first, at the first poll after the grace.
fn boot_warnings(resolution: &Resolution) -> Vec<ScenarioError> {
    let scenario = &resolution.draft.scenario;
    let policy = &scenario.policy;
    let Some(grace) = policy.boot_grace.filter(|_| policy.kind != PolicyKind::None) else {
        return Vec::new();
    };
    let keys = resolution.keys.iter().filter(|key| key.target.path == "node_type.boot");
    let is_hopeless = |node_type: &NodeType| node_type.boot.shortest() > grace + policy.poll;
    let hopeless = keys.zip(&scenario.node_types).filter(|(_, node_type)| is_hopeless(node_type));
    hopeless
        .map(|(key, node_type)| {
            let shortest = node_type.boot.shortest();
            let problem = Problem::NoBootInTime { key: key.key.clone(), shortest, grace };
            let warning = ScenarioError::new(problem, key.place.clone());
            warning.remedy("raise `policy.boot_grace` above the longest boot")
        })
        .collect()
}

/// A hosts file where it is used.
struct UsedList<'r> {
    /// The key that names it.
    key: &'r Explained,
    list: &'r ListFile,
    is_include: bool,
}

/// What a hosts file says; nothing if it is malformed, which shows when it is used.
fn hosts(path: &str, text: &str, is_include: bool) -> HostsFile {
    match Format::of_exclude(path) {
        Format::Xml if !is_include => parse_xml(text).unwrap_or_default(),
        Format::Xml | Format::Plain => parse_plain(text),
    }
}
