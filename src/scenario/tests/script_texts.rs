//! The texts of scripted clusters that the tests read.

/// What every script of these tests begins with: no log.
pub(super) const STAGE: &str = "\
[[node_type]]
name = \"n4\"
cores = 4
memory = \"4GiB\"
[cluster]
max_nodes = 3
";

/// The example of the file format: one node, one application, one refresh.
pub(super) const STORY: &str = r#"
[[node]]
name = "h1"
type = "n4"
registers_at = "0.556s"
[[app]]
name = "work"
submit = "2s"
master = "unmanaged"
ends = "77s"
allocate_interval = "1s"
rerun = true
[[app.task]]
count = 1
host = "h1"
cores = 1
memory = "1GiB"
asks = "0s"
run = "20s"
[[at]]
time = "11.9s"
refresh_nodes = { exclude = "exclude.xml", graceful = true, timeout = "30s", tracking = "server" }
"#;

/// Each action of the file format, latest first, and every key that comes with a script, none at its default.
pub(super) const EVERYTHING: &str = r#"
[heartbeat]
check_offset = "3s"
scaling = true
scaling_min = "500ms"
scaling_max = "2s"
speedup = 0.5
slowdown = 2
[scheduler]
trigger = "heartbeat"
minimum_cores = 2
minimum_memory = "2GiB"
[decommission]
poll_offset = "7.852s"
wait_for_applications = false
wait_for_app_masters = false
delay = "5s"
first_report_race = "fixed"
behaviour = "page"
status_log = true
[lists]
include = "include"
exclude = "exclude.xml"
removal_timeout = "90s"
removal_states = ["LOST", "SHUTDOWN"]
untracked_without_include = true
track_unregistered = true
[[node]]
name = "h1"
[[node]]
name = "h2"
type = "n8"
[[node_type]]
name = "n8"
cores = 8
[[app]]
name = "first"
master = { cores = 1, memory = "512MiB", host = "h2" }
max_attempts = 3
keep_containers = true
[[app.task]]
kind = "map"
run = "20s"
[[app.task]]
kind = "reduce"
count = 2
memory = "1kB"
run = "never"
[[app]]
name = "second"
[[app.task]]
host = "node-7"
run = "1ms"
[[at]]
time = "10s"
forceful = true
[[at]]
time = "9s"
resource_update = { node = "h1", cores = 2, memory = "2GiB", overcommit_timeout = "0s" }
[[at]]
time = "8s"
resource_update = { node = "node-1", cores = 0 }
[[at]]
time = "7s"
node_crash = "h1"
[[at]]
time = "6s"
node_start = "h1"
[[at]]
time = "6s"
node_stop = "h2"
[[at]]
time = "5s"
node_silence = { node = "h1", span = "60s" }
[[at]]
time = "4s"
node_unhealthy = { node = "h1", span = "10m" }
[[at]]
time = "3s"
rm_restart = "3s"
[[at]]
time = "3s"
rm_failover = true
[[at]]
time = "2s"
reclaim = { node = "h1", notice = "2m" }
[[at]]
time = "1s"
refresh_nodes = { include = "include", exclude = "exclude", graceful = true, timeout = "never", tracking = "client" }
[[at]]
time = "0s"
refresh_nodes = { graceful = true }
[[at]]
time = "0s"
refresh_nodes = {}
"#;

/// A scenario as a replay of a recording is written: timeouts per host.
pub(super) const REPLAY: &str = r#"seed = 1
horizon = "80.490s"
[[node_type]]
name = "n4"
cores = 4
memory = "4GiB"
[cluster]
min_nodes = 0
max_nodes = 3
[heartbeat]
interval = "1s"
expiry = "30s"
check_offset = "0.000s"
[scheduler]
discipline = "fifo"
trigger = "async"
[policy]
kind = "none"
[decommission]
poll = "20s"
poll_offset = "7.852s"
[[node]]
name = "h1"
type = "n4"
registers_at = "1.555s"
[[node]]
name = "h2"
type = "n4"
registers_at = "1.612s"
[[node]]
name = "h3"
type = "n4"
registers_at = "1.556s"
[[app]]
name = "work"
submit = "5.399s"
master = "unmanaged"
ends = "75.479s"
allocate_interval = "100ms"
[[app.task]]
host = "h1"
cores = 1
memory = "1GiB"
asks = "0.024s"
run = "300s"
[[app.task]]
host = "h2"
cores = 1
memory = "1GiB"
asks = "0.024s"
run = "300s"
[[app.task]]
host = "h3"
cores = 1
memory = "1GiB"
asks = "0.024s"
run = "300s"
[[at]]
time = "15.312s"
refresh_nodes = { exclude = "exclude0.xml", graceful = true, timeout = "40s", tracking = "server" }
"#;

/// Another: an idle node leaves and comes back.
pub(super) const IDLE_REPLAY: &str = r#"seed = 1
horizon = "41.543s"
[[node_type]]
name = "n4"
cores = 4
memory = "4GiB"
[cluster]
min_nodes = 0
max_nodes = 3
[heartbeat]
interval = "1s"
expiry = "30s"
check_offset = "0.000s"
[scheduler]
discipline = "fifo"
trigger = "async"
[policy]
kind = "none"
[decommission]
poll = "20s"
poll_offset = "0.893s"
[[node]]
name = "h1"
type = "n4"
registers_at = "1.640s"
[[node]]
name = "h2"
type = "n4"
registers_at = "1.614s"
[[node]]
name = "h3"
type = "n4"
registers_at = "1.627s"
[[at]]
time = "6.868s"
refresh_nodes = { exclude = "exclude0.xml", graceful = true, timeout = "never", tracking = "server" }
[[at]]
time = "19.326s"
refresh_nodes = { exclude = "exclude1.xml" }
[[at]]
time = "30.057s"
node_start = "h2"
"#;

pub(super) fn everything() -> String {
    format!("{STAGE}{EVERYTHING}")
}

pub(super) fn story() -> String {
    format!("{STAGE}{STORY}")
}
