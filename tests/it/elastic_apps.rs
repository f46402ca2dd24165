//! What a policy makes of nodes that come back and of containers that wait, and which jobs fit named nodes: stories
//! worked out by hand.

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

/// Nodes of 4 cores and 16 GiB that boot for a minute, up to `max_nodes`, and an application with `tasks` that asks for
/// its containers at 1 s.
fn growing(max_nodes: u32, tasks: &str, more: &str) -> String {
    format!(
        "horizon = \"2h\"\n[[node_type]]\nname = \"n4\"\ncores = 4\nmemory = \"16GiB\"\nboot = \"60s\"\n[cluster]\n\
         max_nodes = {max_nodes}\n[scheduler]\ntrigger = \"async\"\n[[app]]\nname = \"a\"\nmaster = \"unmanaged\"\n\
         [[app.task]]\n{tasks}{more}"
    )
}

#[test]
fn containers_bring_as_many_nodes_as_hold_them() {
    // Of 9 GiB, or of 3 cores, a node holds one: ten nodes. Of 5 GiB it holds three: ceil(10 / 3) = 4.
    for (size, nodes) in [("memory = \"9GiB\"", "10"), ("cores = 3", "10"), ("memory = \"5GiB\"", "4")] {
        let played = play(&growing(20, &format!("count = 10\nrun = \"100h\"\n{size}\n"), ""), "");
        assert_eq!(played.column("nodes_booted"), nodes, "{size}");
        // They are ordered at the poll at 60 s and there at 120 s: nothing waits for another poll.
        assert_eq!(played.column("container_wait_mean_s"), "119.0", "{size}");
    }
}

#[test]
fn idle_nodes_that_are_too_small_help_no_container() {
    // Three nodes of 2 cores are kept. A container of 4 needs one of 8, ordered at 60 s.
    let text = "[[node_type]]\nname = \"n2\"\ncores = 2\nprice_per_hour = 1\n[[node_type]]\nname = \"n8\"\ncores = 8\n\
                price_per_hour = 4\nboot = \"60s\"\n[cluster]\nmin_nodes = 3\nmax_nodes = 6\n[scheduler]\n\
                trigger = \"async\"\n[[app]]\nname = \"wide\"\nmaster = \"unmanaged\"\n[[app.task]]\ncores = 4\n\
                run = \"60s\"\n";
    let played = play(text, "");
    let expected = [("jobs_completed", "1"), ("nodes_booted", "1"), ("container_wait_mean_s", "119.0")];
    for (column, value) in expected {
        assert_eq!(played.column(column), value, "{column}");
    }
}

#[test]
fn containers_do_not_count_on_nodes_that_boot_for_a_job() {
    // A job of 6 cores brings two nodes at 0, which boot until 90 s. Of their 8 cores it leaves 2, no room for either
    // of two containers of 3: two more at 60 s. The containers take 3 cores each of the first two nodes, and the job
    // what is left of them and a third one: 1 + 1 + 4 at 150 s.
    let more = "[workload]\ntrace = \"log.swf\"\n";
    let text = growing(20, "count = 2\ncores = 3\nrun = \"100h\"\n", more).replace("60s", "90s");
    let played = play(&text, "1 0 -1 100 6 -1 -1 6 100 -1 1 1 1 1 1 -1 -1 -1\n");
    assert_eq!(played.column("nodes_booted"), "4");
    assert_eq!(played.story.of("job-1")[1], "150.000 START reason=head cores=6 nodes=1-2:1 3:4");
}

#[test]
fn what_is_free_beside_waiting_containers_is_no_surplus() {
    // Five nodes with one container of 3 cores each, and a core free, from 120 s on; five more wait until the first
    // ones end at 721.8 s: they are acquired at 121 s, start within 0.8 s and run for 600 s. A surplus of one node is
    // noted from 780 s on, and at 900 s it has lasted for two minutes.
    let more = "[policy]\nkind = \"surplus\"\nidle_grace = \"2m\"\n";
    let played = play(&growing(5, "count = 10\ncores = 3\nrun = \"10m\"\n", more), "");
    assert_eq!(drains(&played)[0], "900.000 node-1 drain");
}

#[test]
fn what_a_container_is_about_to_take_is_no_surplus() {
    // The container is asked for at 59.5 s and gets its room at the beat at 63 s. At 60 s one core would be left, so of
    // the surplus at 0 nothing lasts. It ends at 164.3 s: acquired at 63.5 s, 0.8 s to start, 100 s. From 180 s on
    // there is a surplus, which has lasted for a minute at 240 s.
    let text = "horizon = \"300s\"\n[[node_type]]\nname = \"n4\"\ncores = 4\n[cluster]\nmax_nodes = 1\n[policy]\n\
                kind = \"surplus\"\nidle_grace = \"1m\"\n[heartbeat]\ninterval = \"7s\"\n[scheduler]\n\
                trigger = \"heartbeat\"\n[[node]]\nname = \"h1\"\n[[app]]\nname = \"a\"\nsubmit = \"58.5s\"\n\
                master = \"unmanaged\"\n[[app.task]]\ncores = 3\nrun = \"100s\"\n";
    assert_eq!(drains(&play(text, "")), ["240.000 h1 drain"]);
}

#[test]
fn a_job_fits_if_the_named_nodes_hold_it() {
    // A job of 6 cores beside one node, h1. Without a policy h1 is all that there ever is, whatever the first or the
    // cheapest type and `max_nodes` say. A policy may have put a node of 2 cores in its place, and one more beside it.
    let fate = |types: [u32; 2], named: u32, policy: &str, max_nodes: u32| {
        let kind = |cores: u32| {
            format!("[[node_type]]\nname = \"n{cores}\"\ncores = {cores}\nprice_per_hour = {cores}\n")
        };
        let text = format!(
            "[workload]\ntrace = \"log.swf\"\n{}{}[cluster]\nmax_nodes = {max_nodes}\n[policy]\n\
             kind = \"{policy}\"\n[[node]]\nname = \"h1\"\ntype = \"n{named}\"\n",
            kind(types[0]),
            kind(types[1]),
        );
        let played = play(&text, "1 0 -1 50 6 -1 -1 6 50 -1 1 1 1 1 1 -1 -1 -1\n");
        ["jobs_completed", "jobs_rejected_too_large"].map(|column| played.column(column))
    };
    assert_eq!(fate([2, 8], 8, "none", 1), ["1", "0"]);
    assert_eq!(fate([9, 2], 2, "none", 4), ["0", "1"]);
    assert_eq!(fate([2, 8], 8, "surplus", 2), ["0", "1"], "2 + 2 cores");
    assert_eq!(fate([2, 8], 8, "surplus", 3), ["1", "0"], "2 + 2 + 2 cores");
}
