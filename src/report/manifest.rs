//! `manifest.json`: how a result folder came to be. The one file that may differ between two equal runs.

use serde::{Deserialize, Serialize};

/// The file's name. A folder that holds it is one of ours.
pub const FILE: &str = "manifest.json";
/// What the manifest says of who wrote it.
const PROGRAM: &str = "ebbtide";

/// How a result folder came to be.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Manifest {
    /// The subcommand: `run` or `sweep`.
    pub command: &'static str,
    /// What the scenario is called.
    pub scenario: String,
    /// The scenario as resolved, a TOML file with the origin of each value.
    pub resolved: String,
    /// FNV-1a digest (64 bits, hexadecimal) of `resolved`.
    pub resolved_fnv1a: String,
    /// The job log, or the trace of applications.
    pub trace: String,
    /// FNV-1a digest (64 bits, hexadecimal) of the trace as stored.
    pub trace_fnv1a: String,
    /// FNV-1a digest (64 bits, hexadecimal) of the node file as stored; empty if there is none.
    pub nodes_fnv1a: String,
    /// The seeds played.
    pub seeds: Vec<u64>,
    /// The dotted paths of the varied settings.
    pub varied: Vec<String>,
    /// When the command began: seconds since 1970-01-01T00:00:00Z.
    pub started_unix_s: u64,
    /// How long the command took, in seconds.
    pub wall_time_s: f64,
    /// Items that the run loop played for each second of playing.
    pub items_per_s: f64,
}

impl Manifest {
    /// The text of the file, with the program and its version.
    pub fn to_json(&self) -> String {
        #[derive(Serialize)]
        struct Signed<'a> {
            program: &'static str,
            version: &'static str,
            #[serde(flatten)]
            manifest: &'a Manifest,
        }
        let signed = Signed { program: PROGRAM, version: env!("CARGO_PKG_VERSION"), manifest: self };
        let json = serde_json::to_string_pretty(&signed);
        json.expect("a manifest is JSON because its keys are names and its values text and numbers") + "\n"
    }
}

/// Whether this is the text of a manifest of ours.
pub(super) fn is_ours(text: &str) -> bool {
    #[derive(Deserialize)]
    struct Written {
        program: String,
    }
    serde_json::from_str(text).is_ok_and(|written: Written| written.program == PROGRAM)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_manifest_is_known_again_and_nothing_else_is() {
        let manifest = Manifest { command: "run", seeds: vec![1, 2], ..Manifest::default() };
        let json = manifest.to_json();
        assert!(is_ours(&json), "{json}");
        assert!(json.contains("\"version\": \"0."), "{json}");
        for foreign in ["", "{}", "{\"program\": 5}", "{\"program\": \"other\"}", "{\"name\": \"web app\"}"] {
            assert!(!is_ours(foreign), "{foreign}");
        }
    }
}
