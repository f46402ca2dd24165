//! The configuration of YARN's load simulator (`sls-runner.xml`): what a trace leaves to it (yarn.md 11.5).

use std::path::Path;
use std::str;

use roxmltree::{Document, Node};

use super::app::Ask;
use super::error::{AppFault, RUNNER_FILES, WorkloadError, shortened};
use super::{MOST_TEXT_BYTES, open, sniff};
use crate::time::SimSpan;
use crate::workload::source::Log;

const A_NUMBER: &str = "a whole number from 1 to 4294967295";

/// What the load simulator of YARN takes for what a trace does not say. The default is that of its code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SlsRunner {
    /// What a task holds (`yarn.sls.container.memory.mb`, `.vcores`).
    pub container: Ask,
    /// What a master holds (`yarn.sls.am.container.memory`, `.vcores`).
    pub master: Ask,
    /// How often a master asks and hears (`yarn.sls.am.heartbeat.interval.ms`).
    pub allocate_interval: SimSpan,
    /// What a node has to give (`yarn.sls.nm.memory.mb`, `.vcores`).
    pub node: Ask,
    /// How often a node beats (`yarn.sls.nm.heartbeat.interval.ms`).
    pub node_beat: SimSpan,
}

impl Default for SlsRunner {
    fn default() -> Self {
        const GIB: Ask = Ask { cores: 1, memory_kib: 1024 * 1024 };
        Self {
            container: GIB,
            master: GIB,
            allocate_interval: SimSpan::from_secs(1),
            node: Ask { cores: 10, memory_kib: 10 * 1024 * 1024 },
            node_beat: SimSpan::from_secs(1),
        }
    }
}

impl SlsRunner {
    /// Loads an `sls-runner.xml` (yarn.md 11.5). Other properties are for the simulator alone and not looked at.
    ///
    /// # Errors
    /// The file cannot be read or is something else, or a value is no number above 0. Each message names the file, the
    /// place, what was found, what is expected, and a remedy.
    pub fn load(path: &Path) -> Result<Self, WorkloadError> {
        let log = Log::open(open(path, "workload.runner")?, path)?;
        if !sniff::first_text_line(log.head(), path, RUNNER_FILES)?.starts_with(b"<") {
            let remedy = "load it as what it is, and name the configuration here";
            return sniff::not_read(path, "no XML", RUNNER_FILES, remedy);
        }
        let (text, _) = log.into_text(MOST_TEXT_BYTES)?;
        Self::read(path, &text)
    }

    /// Reads the text of an `sls-runner.xml`.
    pub(super) fn read(path: &Path, text: &[u8]) -> Result<Self, WorkloadError> {
        let text = String::from_utf8_lossy(text);
        let document = Document::parse(&text).map_err(|e| {
            let place = e.pos();
            let line = text.lines().nth(place.row.saturating_sub(1) as usize).unwrap_or_default();
            WorkloadError::Syntax {
                path: path.to_owned(),
                line: place.row.into(),
                column: place.col.into(),
                message: e.to_string(),
                found: shortened(line.as_bytes()),
                expected: "XML (a <configuration> of <property> elements)",
            }
        })?;
        let mut runner = Self::default();
        for property in document.root_element().children().filter(|child| child.has_tag_name("property")) {
            runner.set(&property).map_err(|fault| {
                let place = document.text_pos_at(property.range().start);
                WorkloadError::Fault {
                    path: path.to_owned(),
                    line: place.row.into(),
                    column: place.col.into(),
                    fault: fault.into(),
                    remedy: "correct the property, or remove it for its default",
                }
            })?;
        }
        Ok(runner)
    }

    /// Takes over what a property says; a later one wins, as in Hadoop.
    fn set(&mut self, property: &Node<'_, '_>) -> Result<(), AppFault> {
        let child =
            |tag| property.children().find(|child| child.has_tag_name(tag)).and_then(|child| child.text());
        let Some(name) = child("name").map(str::trim) else { return Ok(()) };
        let number = || {
            let text = child("value").unwrap_or_default().trim();
            let number = text.parse().ok().filter(|number: &u32| *number > 0);
            number.ok_or_else(|| AppFault::Value {
                key: name.to_owned(),
                found: format!("\"{}\"", shortened(text.as_bytes())),
                expected: A_NUMBER,
            })
        };
        let memory_kib = || number().map(|mb| u64::from(mb) * 1024);
        let span = || number().map(|ms| SimSpan::from_ms(ms.into()));
        match name {
            "yarn.sls.container.memory.mb" => self.container.memory_kib = memory_kib()?,
            "yarn.sls.container.vcores" => self.container.cores = number()?,
            "yarn.sls.am.container.memory" => self.master.memory_kib = memory_kib()?,
            "yarn.sls.am.container.vcores" => self.master.cores = number()?,
            "yarn.sls.am.heartbeat.interval.ms" => self.allocate_interval = span()?,
            "yarn.sls.nm.memory.mb" => self.node.memory_kib = memory_kib()?,
            "yarn.sls.nm.vcores" => self.node.cores = number()?,
            "yarn.sls.nm.heartbeat.interval.ms" => self.node_beat = span()?,
            _ => {}
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read_text(text: &str) -> Result<SlsRunner, String> {
        SlsRunner::read(Path::new("sls-runner.xml"), text.as_bytes()).map_err(|e| e.to_string())
    }

    #[test]
    fn properties_change_the_defaults() {
        assert_eq!(read_text("<configuration/>"), Ok(SlsRunner::default()));
        let property = |name: &str, value: &str| {
            format!("<property><name> {name} </name><value> {value} </value></property>\n")
        };
        let text = [
            property("yarn.sls.container.memory.mb", "2048"),
            property("yarn.sls.container.vcores", "2"),
            property("yarn.sls.am.container.memory", "512"),
            property("yarn.sls.am.container.vcores", "9"),
            property("yarn.sls.am.container.vcores", "3"),
            property("yarn.sls.am.heartbeat.interval.ms", "500"),
            property("yarn.sls.nm.memory.mb", "4096"),
            property("yarn.sls.nm.vcores", "4"),
            property("yarn.sls.nm.heartbeat.interval.ms", "3000"),
            property("yarn.sls.runner.pool.size", "many"),
            "<property/>".to_owned(),
        ];
        let runner = read_text(&format!("<configuration>{}</configuration>", text.concat()));
        let expected = SlsRunner {
            container: Ask { cores: 2, memory_kib: 2_097_152 },
            master: Ask { cores: 3, memory_kib: 524_288 },
            allocate_interval: SimSpan::from_ms(500),
            node: Ask { cores: 4, memory_kib: 4_194_304 },
            node_beat: SimSpan::from_secs(3),
        };
        assert_eq!(runner, Ok(expected));
    }

    #[test]
    fn what_is_wrong_is_said_with_its_place() {
        let text = "<configuration>\n  <property><name>yarn.sls.nm.vcores</name><value>-1</value></property>\n\
                    </configuration>";
        assert_eq!(
            read_text(text).expect_err("negative"),
            "sls-runner.xml:2:3: in what begins here, yarn.sls.nm.vcores is \"-1\", and a whole number from 1 to \
             4294967295 is expected; correct the property, or remove it for its default"
        );
        let message = read_text("<configuration>\n <a></b>").expect_err("broken");
        assert!(message.starts_with("sls-runner.xml:2:"), "{message}");
        assert!(message.contains("found \"<a></b>\", and XML"), "{message}");
    }
}
