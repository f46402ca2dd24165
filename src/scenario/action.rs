//! Values of several parts that a scripted cluster is written with: actions, masters, and hosts files.
//!
//! Like `read`, it knows one value at a time: whether a node exists is asked in `check`.

use std::path::Path;
use std::sync::Arc;

use super::errors::ValueError;
use super::read::{Fault, count, label, memory, quoted, span, span_or_never, switch};
use super::suggest::nearest;
use super::tree::{Node, Table};
use super::{hosts, keys, quantity};
use crate::rules::script::{Action, ListFile, RefreshMode, RequestTimeout, Tracking};
use crate::time::SimSpan;
use crate::workload::app::{Ask, Master};

/// How an action is written.
#[derive(Clone, Copy)]
pub(super) enum Form {
    /// `true`.
    True(fn() -> Action),
    /// The name of a node.
    Node(fn(String) -> Action),
    /// `{ node = …, span = … }`, where the span may have another name and is at least so long.
    NodeSpan { span: &'static str, least: SimSpan, make: fn(String, SimSpan) -> Action },
    /// A duration, not zero.
    Span(fn(SimSpan) -> Action),
    /// `{ exclude = …, graceful = … … }`.
    RefreshNodes,
    /// `{ node = …, cores = … … }`.
    ResourceUpdate,
}

/// Reads an action; returns it with its canonical text. `folder` is what paths are relative to.
pub(super) fn action(form: Form, value: &Node, folder: &Path) -> Result<(Action, String), Fault> {
    Ok(match form {
        Form::True(make) if switch(value)? => (make(), "true".to_owned()),
        Form::True(_) => {
            let fault = Fault::unexpected(value, "true");
            return Err(fault.remedy("what is not to be done is left out"));
        }
        Form::Node(make) => {
            let node = label(value)?;
            (make(node.to_owned()), quoted(node))
        }
        Form::NodeSpan { span: name, least, make } => {
            let fields = if name == "notice" {
                Fields::of(value, &["node", "notice"])?
            } else {
                Fields::of(value, &["node", "span"])?
            };
            let (node, lasts) = (label(fields.need("node")?)?, span(fields.need(name)?, least)?);
            let text = inline([("node", quoted(node)), (name, quoted(lasts))]);
            (make(node.to_owned(), lasts), text)
        }
        Form::Span(make) => {
            let lasts = span(value, SimSpan::MILLISECOND)?;
            (make(lasts), quoted(lasts))
        }
        Form::RefreshNodes => refresh_nodes(value, folder)?,
        Form::ResourceUpdate => resource_update(value)?,
    })
}

fn refresh_nodes(value: &Node, folder: &Path) -> Result<(Action, String), Fault> {
    let fields = Fields::of(value, &["include", "exclude", "graceful", "timeout", "tracking"])?;
    let mut parts = Vec::new();
    let mut list = |name| {
        let Some(value) = fields.get(name) else { return Ok(None) };
        let (list, text) = hosts_file(value, folder)?;
        parts.push((name, text));
        Ok(Some(list))
    };
    let (include, exclude) = (list("include")?, list("exclude")?);
    let is_graceful = fields.get("graceful").map(switch).transpose()?.unwrap_or(false);
    let mode = if is_graceful {
        let timeout = fields.get("timeout").map_or(Ok(RequestTimeout::Unset), request_timeout)?;
        let tracking = fields.get("tracking").map_or(Ok(Tracking::Server), tracking)?;
        parts.push(("graceful", "true".to_owned()));
        match timeout {
            RequestTimeout::Unset => {}
            RequestTimeout::Never => parts.push(("timeout", quoted("never"))),
            RequestTimeout::After(span) => parts.push(("timeout", quoted(span))),
        }
        let name = if tracking == Tracking::Client { "client" } else { "server" };
        parts.push(("tracking", quoted(name)));
        RefreshMode::Graceful { timeout, tracking }
    } else {
        if let Some((name, stray)) = ["timeout", "tracking"].iter().find_map(|&n| Some((n, fields.get(n)?))) {
            let fault = Fault::new(stray, ValueError::OnlyGraceful(name));
            return Err(fault.remedy("add graceful = true; a plain refresh decommissions at once"));
        }
        RefreshMode::Normal
    };
    Ok((Action::RefreshNodes { include, exclude, mode }, inline(parts)))
}

fn request_timeout(value: &Node) -> Result<RequestTimeout, Fault> {
    match span_or_never(value, SimSpan::ZERO)? {
        None => Ok(RequestTimeout::Never),
        Some(span) if span.as_ms().is_multiple_of(1000) => Ok(RequestTimeout::After(span)),
        Some(span) => {
            let fault = Fault::new(value, ValueError::NotWholeSeconds(span));
            Err(fault.remedy("a refresh sends its timeout in whole seconds, which is YARN's unit: round it"))
        }
    }
}

fn tracking(value: &Node) -> Result<Tracking, Fault> {
    match value.as_text() {
        Some("server") => Ok(Tracking::Server),
        Some("client") => Ok(Tracking::Client),
        _ => {
            let fault = Fault::unexpected(value, "\"server\" or \"client\"");
            Err(fault.remedy("server: the resource manager alone watches; client: the command waits too"))
        }
    }
}

fn resource_update(value: &Node) -> Result<(Action, String), Fault> {
    let fields = Fields::of(value, &["node", "cores", "memory", "overcommit_timeout"])?;
    let node = label(fields.need("node")?)?;
    let cores = count(fields.need("cores")?, 0, keys::MILLION)?;
    let memory_bytes = fields.get("memory").map(memory).transpose()?;
    let timeout = fields.get("overcommit_timeout").map(|value| span_or_never(value, SimSpan::ZERO));
    let overcommit_timeout = timeout.transpose()?.flatten();
    let mut parts = vec![("node", quoted(node)), ("cores", cores.to_string())];
    parts.extend(memory_bytes.map(|bytes| ("memory", quoted(quantity::memory_text(bytes)))));
    let timeout_text = overcommit_timeout.map_or_else(|| quoted("never"), quoted);
    parts.push(("overcommit_timeout", timeout_text));
    let (node, cores) = (node.to_owned(), keys::narrow(cores));
    Ok((Action::ResourceUpdate { node, cores, memory_bytes, overcommit_timeout }, inline(parts)))
}

/// Reads who speaks for an application; returns it with its canonical text.
pub(super) fn master(value: &Node) -> Result<(Master, String), Fault> {
    if value.as_text() == Some("unmanaged") {
        return Ok((Master::Unmanaged, quoted("unmanaged")));
    }
    if value.as_table().is_none() {
        let fault = Fault::unexpected(value, "\"unmanaged\" or a table");
        return Err(
            fault.remedy("a master in a container is { cores = 1, memory = \"512MiB\", host = \"h2\" }")
        );
    }
    let fields = Fields::of(value, &["cores", "memory", "host"])?;
    let cores = fields.get("cores").map_or(Ok(1), |value| count(value, 1, keys::MILLION))?;
    let bytes = fields.get("memory").map(memory).transpose()?;
    let host = fields.get("host").map(label).transpose()?;
    let mut parts = vec![("cores", cores.to_string())];
    parts.extend(bytes.map(|bytes| ("memory", quoted(quantity::memory_text(bytes)))));
    parts.extend(host.map(|host| ("host", quoted(host))));
    let ask = Ask { cores: keys::narrow(cores), memory_kib: bytes.unwrap_or(0).div_ceil(1024) };
    Ok((Master::Container { ask, host: host.map(str::to_owned) }, inline(parts)))
}

/// Reads the hosts file that `value` names; returns it with the value's canonical text. A file that does not exist
/// is a list file without text: what follows from that happens in the simulation.
pub(super) fn hosts_file(value: &Node, folder: &Path) -> Result<(Arc<ListFile>, String), Fault> {
    let name = label(value)?;
    let path = folder.join(name);
    let text = hosts::text_of(&path).map_err(|reason| {
        let fault = Fault::new(value, ValueError::HostsFileUnreadable(name.to_owned(), reason));
        fault.remedy("a hosts file is UTF-8 text; its path is relative to the scenario's folder")
    })?;
    Ok((Arc::new(ListFile { path, text }), quoted(name)))
}

/// The fields of a value that is a table, all of them known.
struct Fields<'n> {
    value: &'n Node,
    table: &'n Table,
    known: &'static [&'static str],
}

impl<'n> Fields<'n> {
    fn of(value: &'n Node, known: &'static [&'static str]) -> Result<Self, Fault> {
        let example = || format!("the parts are {}", known.join(", "));
        let Some(table) = value.as_table() else {
            return Err(Fault::unexpected(value, "a table in braces").remedy(example()));
        };
        let Some(stray) = table.entries().iter().find(|entry| !known.contains(&entry.name.as_str())) else {
            return Ok(Self { value, table, known });
        };
        let error = ValueError::UnknownPart(stray.name.clone());
        let fault = Fault { span: stray.name_span.clone(), ..Fault::new(value, error) };
        Err(fault.remedy(match nearest(&stray.name, known.iter().copied()) {
            Some(near) => format!("did you mean `{near}`?"),
            None => example(),
        }))
    }

    fn get(&self, name: &str) -> Option<&'n Node> {
        self.table.get(name).map(|entry| &entry.node)
    }

    fn need(&self, name: &'static str) -> Result<&'n Node, Fault> {
        self.get(name).ok_or_else(|| {
            let fault = Fault::new(self.value, ValueError::PartMissing(name));
            fault.remedy(format!("add `{name} = …`; the parts are {}", self.known.join(", ")))
        })
    }
}

/// An inline table of canonical texts.
fn inline<'p>(parts: impl IntoIterator<Item = (&'p str, String)>) -> String {
    let parts: Vec<_> = parts.into_iter().map(|(name, text)| format!("{name} = {text}")).collect();
    if parts.is_empty() { "{}".to_owned() } else { format!("{{ {} }}", parts.join(", ")) }
}
