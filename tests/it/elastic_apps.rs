//! What a policy makes of nodes that come back and of containers that wait: stories worked out by hand.

use ebbtide::engine::BeatMode;

use crate::support::scratch::Scratch;
use crate::support::{Played, play_text};

/// Plays a scenario in both beat modes, which must give the same. `log` is a job log beside it, `log.swf`.
fn play(text: &str, log: &str) -> Played {
    let scratch = Scratch::new();
    scratch.write("log.swf", log);
    let folder = scratch.path.to_str().expect("a scratch folder lies at a path of text");
    let lazy = play_text(folder, text, &[], BeatMode::Lazy);
    assert_eq!(lazy.all(), play_text(folder, text, &[], BeatMode::All).all(), "lazy and full beats");
    lazy
}

/// When each drain began, as `time subject`.
fn drains(played: &Played) -> Vec<String> {
    let begun = played.story.events.iter().filter(|row| row.event == "START_DRAIN");
    begun.map(|row| format!("{} {}", row.time, row.subject)).collect()
}

/// Two nodes of four cores, h1 and h2. Whatever runs on h1 is lost at 30 s, since h1 is sick until 50 s.
fn sick_node(policy: &str, work: &str) -> String {
    format!(
        "horizon = \"600s\"\n[[node_type]]\nname = \"n4\"\ncores = 4\n[cluster]\nmax_nodes = 2\n[policy]\n\
         kind = \"{policy}\"\npoll = \"60s\"\nidle_grace = \"5m\"\n[scheduler]\ntrigger = \"async\"\n\
         [[node]]\nname = \"h1\"\n[[node]]\nname = \"h2\"\n\
         [[at]]\ntime = \"30s\"\nnode_unhealthy = {{ node = \"h1\", span = \"20s\" }}\n{work}"
    )
}

#[test]
fn a_node_that_lost_its_work_is_idle_when_it_is_back() {
    // All four cores of h1 are taken from the first seconds on, for 100 s. At 30 s that is lost and begins anew on h2,
    // where it ends between 130 and 140 s. h1 is idle from 50 s on.
    let job = ("[workload]\ntrace = \"log.swf\"\n", "1 0 -1 100 4 -1 -1 4 100 -1 1 1 1 1 1 -1 -1 -1\n");
    let task = "[[app]]\nname = \"a\"\nmaster = \"unmanaged\"\nrerun = true\n[[app.task]]\ncores = 4\nrun = \"100s\"\n";
    for (work, log) in [job, (task, "")] {
        // Idle for more than 300 s: h1 at 360 s, h2 at 480 s.
        let played = play(&sick_node("node-manager", work), log);
        assert_eq!(drains(&played), ["360.000 h1 drain", "480.000 h2 drain"], "{work}");
        // From 60 s on there is a surplus of one node, from 180 s on of two. At 300 s one goes: both are empty, so the
        // lower number. It is taken off all notes, so until 180 s they are zero: the next one at 480 s.
        let played = play(&sick_node("surplus", work), log);
        assert_eq!(drains(&played), ["300.000 h1 drain", "480.000 h2 drain"], "{work}");
    }
}

#[test]
fn idle_time_begins_anew_when_a_node_registers_again() {
    // h1 is not heard from 300 to 400 s, lost in between, and registers again within two beats. More than 900 s later
    // is the poll at 1800 s. Without the absence it is the one at 1200 s.
    let text = "horizon = \"2000s\"\n[[node_type]]\nname = \"n4\"\ncores = 4\n[cluster]\nmax_nodes = 4\n[policy]\n\
                kind = \"node-manager\"\npoll = \"10m\"\nidle_grace = \"15m\"\n[heartbeat]\nexpiry = \"30s\"\n\
                [[node]]\nname = \"h1\"\n";
    let silence = "[[at]]\ntime = \"300s\"\nnode_silence = { node = \"h1\", span = \"100s\" }\n";
    assert_eq!(drains(&play(text, "")), ["1200.000 h1 drain"]);
    assert_eq!(drains(&play(&[text, silence].concat(), "")), ["1800.000 h1 drain"]);
}
