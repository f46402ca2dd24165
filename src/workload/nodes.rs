//! Nodes that a trace of applications names, and the node file of YARN's load simulator (yarn.md 11.2).
//!
//! What a node has that names no resources is for the cluster to say (`yarn.sls.nm.*`, or a node type).

use std::collections::BTreeMap;
use std::path::Path;

use super::error::{AppFault, NODE_FILES, WorkloadError};
use super::json::{Fields, Objects};
use super::sniff::{self, JsonKind};
use super::source::Log;
use super::{open, read_json};

/// The rack of a host that names none, as YARN calls it.
const DEFAULT_RACK: &str = "default-rack";

const A_NAME: &str = "the name of a host";
const A_RACK: &str = "the name of a rack";
const A_LIST: &str = "a list of nodes";
const A_MEMORY: &str = "a whole number of MB from 1 to 4294967295";
const A_CORE_COUNT: &str = "a whole number of virtual cores from 1 to 4294967295";
const LABELS: &str = "labels as in \"gpu, spot(exclusive=false)\"";

/// One node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NodeSpec {
    /// Its name, unique among the nodes: a host without its rack.
    pub name: String,
    /// Its rack, without a slash in front.
    pub rack: String,
    /// Its memory in KiB, if it names any.
    pub memory_kib: Option<u64>,
    /// Its virtual cores, if it names any.
    pub cores: Option<u32>,
    /// Its labels.
    pub labels: Vec<NodeLabel>,
}

impl NodeSpec {
    /// A node of which nothing but the name is known.
    pub fn named(name: &str) -> Self {
        let host = Host { rack: DEFAULT_RACK.to_owned(), name: name.to_owned() };
        Self::of(host)
    }

    fn of(Host { rack, name }: Host) -> Self {
        Self { name, rack, memory_kib: None, cores: None, labels: Vec::new() }
    }
}

/// A label of a node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NodeLabel {
    /// What it is called.
    pub name: String,
    /// Whether only applications that ask for the label may use the node; YARN's default.
    pub exclusive: bool,
}

/// A node file as loaded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NodeFile {
    /// The nodes in the file's order.
    pub nodes: Vec<NodeSpec>,
    /// FNV-1a digest (64 bits, hexadecimal) of the file's bytes as stored, for the manifest.
    pub digest: String,
}

/// Loads a node file, plain or gzip (yarn.md 11.2).
///
/// A node without a name, which YARN calls `null`, is an error here; so are a rack without one and a name that comes
/// twice.
///
/// # Errors
/// The file cannot be read or is something else; a value is missing or no good; or there is no node. Each message names
/// the file, the place, what was found, what is expected, and a remedy.
pub fn load_nodes(path: &Path) -> Result<NodeFile, WorkloadError> {
    let stored = open(path, "workload.nodes")?;
    let (text, digest) = read_json(Log::open(stored, path)?, path, NODE_FILES)?;
    Ok(NodeFile { nodes: read(path, &text)?, digest })
}

/// The nodes of a node file's text.
pub(super) fn read(path: &Path, text: &[u8]) -> Result<Vec<NodeSpec>, WorkloadError> {
    let mut nodes = NodeSet::default();
    for object in Objects::new(path, text) {
        let object = object?;
        match JsonKind::of(|key| object.map.contains_key(key)) {
            None | Some(JsonKind::Nodes) => {}
            Some(kind) => return sniff::not_read(path, kind.looks_like(), NODE_FILES, kind.remedy()),
        }
        read_rack(&Fields::new(&object.map), &mut nodes).map_err(|fault| WorkloadError::Fault {
            path: path.to_owned(),
            line: object.place.line,
            column: object.place.column,
            fault: fault.into(),
            remedy: "correct the node file",
        })?;
    }
    if nodes.list.is_empty() {
        return Err(WorkloadError::NoNodes { path: path.to_owned() });
    }
    Ok(nodes.list)
}

/// Reads one rack with its nodes.
fn read_rack(fields: &Fields<'_>, nodes: &mut NodeSet) -> Result<(), AppFault> {
    let rack = name(fields, "rack", A_RACK)?;
    let rack = rack.strip_prefix('/').unwrap_or(&rack);
    for node in fields.objects("nodes", A_LIST)?.ok_or_else(|| fields.fault("nodes", A_LIST))? {
        let memory_mb = node.positive("memory-mb", A_MEMORY)?;
        let spec = NodeSpec {
            name: name(&node, "node", A_NAME)?,
            rack: rack.to_owned(),
            memory_kib: memory_mb.map(|memory_mb| u64::from(memory_mb) * 1024),
            cores: node.positive("vcores", A_CORE_COUNT)?,
            labels: match node.text("labels", LABELS)? {
                Some(text) => labels(&text).ok_or_else(|| node.fault("labels", LABELS))?,
                None => Vec::new(),
            },
        };
        if nodes.by_name.contains_key(&spec.name) {
            return Err(node.fault("node", "a name that no earlier node has"));
        }
        nodes.push(spec);
    }
    Ok(())
}

/// A text that is not empty.
fn name(fields: &Fields<'_>, key: &str, expected: &'static str) -> Result<String, AppFault> {
    let text = fields.text(key, expected)?.filter(|text| !text.trim_matches('/').trim().is_empty());
    text.map(|text| text.trim().to_owned()).ok_or_else(|| fields.fault(key, expected))
}

/// Labels as YARN writes them: `gpu, spot(exclusive=false)`.
fn labels(text: &str) -> Option<Vec<NodeLabel>> {
    let label = |text: &str| {
        let (name, exclusive) = match text.split_once('(') {
            None => (text, true),
            Some((name, "exclusive=true)")) => (name, true),
            Some((name, "exclusive=false)")) => (name, false),
            Some(_) => return None,
        };
        let name = name.trim().to_owned();
        (!name.is_empty()).then_some(NodeLabel { name, exclusive })
    };
    text.split(',').map(str::trim).filter(|text| !text.is_empty()).map(label).collect()
}

/// A host with its rack, as in `/rack1/node3`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Host {
    /// Without a slash in front.
    pub rack: String,
    /// The last part.
    pub name: String,
}

impl Host {
    /// Splits `text`; a host without a rack is in YARN's default one.
    pub(super) fn parse(text: &str) -> Option<Self> {
        let text = text.trim().trim_matches('/');
        let (rack, name) = text.rsplit_once('/').unwrap_or((DEFAULT_RACK, text));
        (!name.is_empty()).then(|| Self { rack: rack.to_owned(), name: name.to_owned() })
    }
}

/// Nodes in the order in which they came, found by name.
#[derive(Debug, Default)]
pub(super) struct NodeSet {
    list: Vec<NodeSpec>,
    by_name: BTreeMap<String, usize>,
}

impl NodeSet {
    /// The nodes in the order in which they came.
    pub(super) fn into_list(self) -> Vec<NodeSpec> {
        self.list
    }

    /// The rack of a node, if it is there.
    pub(super) fn rack_of(&self, name: &str) -> Option<&str> {
        self.by_name.get(name).map(|at| self.list[*at].rack.as_str())
    }

    /// Takes a host in, unless it is there already.
    pub(super) fn mention(&mut self, host: Host) {
        if !self.by_name.contains_key(&host.name) {
            self.push(NodeSpec::of(host));
        }
    }

    fn push(&mut self, spec: NodeSpec) {
        self.by_name.insert(spec.name.clone(), self.list.len());
        self.list.push(spec);
    }
}

/// The hosts of a cluster that is given by numbers: node i is `/rack<i mod racks>/node<i>`, from 0 (yarn.md 11.1).
/// As in SLS there is at least one rack, and none without nodes.
pub(super) fn numbered(nodes: u32, racks: u32) -> impl Iterator<Item = Host> {
    let racks = racks.clamp(1, nodes.max(1));
    (0..nodes).map(move |i| Host { rack: format!("rack{}", i % racks), name: format!("node{i}") })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read_text(text: &str) -> Result<Vec<NodeSpec>, String> {
        read(Path::new("nodes.json"), text.as_bytes()).map_err(|e| e.to_string())
    }

    #[test]
    fn the_examples_of_the_specification_are_read() {
        let nodes = read_text(
            r#"{ "rack": "r1", "nodes": [ { "node": "n1" }, { "node": "n2", "memory-mb": 16384, "vcores": "8" } ] }
               { "rack": "/r2", "nodes": [ { "node": "n3", "labels": "spot(exclusive=false), gpu" } ] }"#,
        );
        let label = |name: &str, exclusive| NodeLabel { name: name.to_owned(), exclusive };
        let node = |name: &str, rack: &str, memory_kib, cores, labels| NodeSpec {
            name: name.to_owned(),
            rack: rack.to_owned(),
            memory_kib,
            cores,
            labels,
        };
        assert_eq!(
            nodes,
            Ok(vec![
                node("n1", "r1", None, None, vec![]),
                node("n2", "r1", Some(16_777_216), Some(8), vec![]),
                node("n3", "r2", None, None, vec![label("spot", false), label("gpu", true)]),
            ])
        );
    }

    #[test]
    fn what_is_wrong_with_a_node_is_said_with_its_place() {
        for (text, message) in [
            (
                r#"{"rack": "r", "nodes": [{"node": "a"}, {"nodes": "b"}]}"#,
                "2:3: in what begins here, nodes[1].node is missing, and the name of a host is expected; correct",
            ),
            (
                r#"{"rack": "r", "nodes": [{"node": " "}]}"#,
                "2:3: in what begins here, nodes[0].node is \"\", and",
            ),
            (r#"{"rack": "r", "nodes": [{"node": []}]}"#, "nodes[0].node is a list, and the name of a host"),
            (r#"{"nodes": [{"node": "a"}]}"#, "rack is missing, and the name of a rack is expected"),
            (r#"{"rack": "r"}"#, "nodes is missing, and a list of nodes is expected"),
            (r#"{"rack": "r", "nodes": {}}"#, "nodes is an object, and a list of nodes is expected"),
            (r#"{"rack": "r", "nodes": [1]}"#, "nodes[0] is 1, and an object is expected"),
            (
                r#"{"rack": "r", "nodes": [{"node": "a"}, {"node": "a"}]}"#,
                "nodes[1].node is \"a\", and a name that no earlier node has is expected",
            ),
            (
                r#"{"rack": "r", "nodes": [{"node": "a", "vcores": 0}]}"#,
                "nodes[0].vcores is 0, and a whole number",
            ),
            (
                r#"{"rack": "r", "nodes": [{"node": "a", "memory-mb": "-1"}]}"#,
                "nodes[0].memory-mb is \"-1\", and a whole number of MB",
            ),
            (
                r#"{"rack": "r", "nodes": [{"node": "a", "labels": "b(x=y)"}]}"#,
                "nodes[0].labels is \"b(x=y)\", and labels as in",
            ),
        ] {
            let found = read_text(&format!("\n  {text}")).expect_err(text);
            assert!(found.starts_with("nodes.json:2:3: "), "{found}");
            assert!(found.contains(message), "{found}");
        }
        let found = read_text(r#"{"job.tasks": []}"#).expect_err("a trace");
        assert!(found.contains("looks like JSON: an SLS trace"), "{found}");
        assert!(found.contains("what is read is the node file"), "{found}");
    }

    #[test]
    fn hosts_are_split_from_their_racks() {
        let host = |text| Host::parse(text).map(|host| (host.rack, host.name));
        let both = |rack: &str, name: &str| Some((rack.to_owned(), name.to_owned()));
        assert_eq!(host("/rack1/node3"), both("rack1", "node3"));
        assert_eq!(host("/core/tor/node3/"), both("core/tor", "node3"));
        assert_eq!(host("node3"), both("default-rack", "node3"));
        assert_eq!(host("/"), None);
    }

    #[test]
    fn numbered_nodes_go_round_the_racks() {
        let names = |nodes, racks| {
            numbered(nodes, racks).map(|host| format!("/{}/{}", host.rack, host.name)).collect::<Vec<_>>()
        };
        assert_eq!(names(3, 2), ["/rack0/node0", "/rack1/node1", "/rack0/node2"]);
        assert_eq!(names(2, 0), ["/rack0/node0", "/rack0/node1"]);
        assert_eq!(names(2, 9), ["/rack0/node0", "/rack1/node1"]);
        assert_eq!(names(0, 0).len(), 0);
    }
}
