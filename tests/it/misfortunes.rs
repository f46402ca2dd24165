//! Found by the random scripted worlds of `lazy_beats`: stories worked out by hand from the specification of YARN
//! (sections are of yarn.md). Each is played lazily and with every beat, and both must give the same.

use crate::support::hosts::{at, play, play_with};

/// An application without a master's container that registers at `submit`, a whole second, and runs a task of 1 core on
/// h1: asked for and allocated one second later, launched after two.
fn work(submit: &str, run: &str, ends: &str) -> String {
    format!(
        "[scheduler]\ntrigger = \"async\"\n[[app]]\nname = \"work\"\nlaunch = \"0s\"\nsubmit = \"{submit}\"\n\
         master = \"unmanaged\"\nends = \"{ends}\"\n[[app.task]]\nhost = \"h1\"\nrun = \"{run}\"\n"
    )
}

#[test]
fn the_work_of_a_reclaimed_instance_is_allocated_until_its_node_is_lost() {
    // 7.4: h1 is gone at 5.5 s, last heard at 5 s, and the resource manager takes it for a draining node until the
    // first check after 35 s, at 40 s. Launched at 3 s: 37 s lost, 0.010278 hours. Allocated from 2 s: 38 core-seconds.
    // In service are 12 cores until 40 s and 8 until the end at 60 s: 640 core-seconds, and 38 / 640 = 0.059375.
    let lines = [work("1s", "100s", "60s"), at("5.5s", "reclaim = { node = \"h1\", notice = \"0s\" }")];
    let told = play(&lines.concat(), &[]);
    assert_eq!(told.of("h1").last(), Some(&"40.000 h1: EXPIRE DECOMMISSIONING>LOST cause=lost"));
    assert_eq!(told.of("work/1").last(), Some(&"40.000 work/1: KILL RUNNING>KILLED node=h1 exit=-100"));
    assert_eq!(
        (told.number("lost_core_hours"), told.number("utilisation_ratio")),
        ("0.010278".into(), "0.059375".into())
    );
}

#[test]
fn an_absence_that_another_one_overtakes_does_not_end_by_itself() {
    // 7.5: the nodes lose the connection at 6 s. The second restart is over at 11.5 s, so they find it at 36 s. The
    // first would have been over at 45.5 s, and a resource manager that began then would not know them.
    let lines = [at("5.5s", "rm_restart = \"40s\""), at("10.5s", "rm_restart = \"1s\"")].concat();
    let told = play(&lines, &[]);
    assert_eq!(told.of("h1 agent"), ["36.000 h1 agent: RESYNC"]);
    assert_eq!(told.of("h1"), ["0.000 h1: STARTED NEW>RUNNING", "36.000 h1: STARTED NEW>RUNNING"]);
}

#[test]
fn nobody_watches_a_drain_while_the_resource_manager_is_away() {
    // 3.4, 7.5: h1 drains from its beat at 6 s on, for 10 s at most. From 8.5 s on the resource manager is away, so the
    // watcher's looks at 20 s and 40 s do not happen. At 48.5 s another begins, to which an excluded host is a
    // placeholder. The agent lost the connection at 9 s and tries again at 39 s and 69 s.
    let graceful = "refresh_nodes = { exclude = \"out\", graceful = true, timeout = \"10s\" }";
    let lines = [work("1s", "100s", "90s"), at("5.5s", graceful), at("8.5s", "rm_restart = \"40s\"")];
    let told = play(&lines.concat(), &[("out", "h1\n")]);
    assert_eq!(
        told.of("h1").last(),
        Some(&"48.500 h1: DECOMMISSION DECOMMISSIONING>DECOMMISSIONED cause=failover")
    );
    assert_eq!(told.of("h1 drain"), ["6.000 h1 drain: STATUS NONE>WAIT_CONTAINER"]);
    assert_eq!(told.of("h1 agent")[0], "69.000 h1 agent: SHUTDOWN");
}

#[test]
fn an_agent_that_starts_in_the_absence_of_the_resource_manager_finds_it_later() {
    // 7.1, 7.5: h1 is started at 10.5 s, finds nobody, and tries again 30 s later, at 40.5 s.
    let lines = [
        at("4.5s", "node_crash = \"h1\""),
        at("5.5s", "rm_restart = \"20s\""),
        at("10.5s", "node_start = \"h1\""),
    ];
    let told = play(&lines.concat(), &[]);
    assert_eq!(told.of("h1")[1..], ["40.500 h1: STARTED NEW>RUNNING"]);
}

#[test]
fn an_agent_that_is_started_anew_has_no_connection_to_the_resource_manager_of_before() {
    // 7.5: the failover finds h1 dead. Its new agent registers at 20.5 s, and its first beat, at once, is heard: the
    // task asked for at 22 s is launched at 23 s and told of by the beat at 23.5 s.
    let lines = [
        work("21s", "100s", "60s"),
        at("4.5s", "node_crash = \"h1\""),
        at("5.5s", "rm_failover = true"),
        at("20.5s", "node_start = \"h1\""),
    ];
    let told = play(&lines.concat(), &[]);
    assert_eq!(told.of("work/1")[3], "23.500 work/1: LAUNCHED ACQUIRED>RUNNING node=h1");
}

#[test]
fn a_node_that_does_not_find_the_next_resource_manager_is_lost_with_its_work() {
    // 7.4: h1 dies at 4.5 s under its task, which was launched at 3 s. The resource manager that begins at 6.5 s knows
    // nothing of it. After 36.5 s it could have expired, and the first check from then on is at 40 s.
    let lines =
        [work("1s", "100s", "60s"), at("4.5s", "node_crash = \"h1\""), at("5.5s", "rm_restart = \"1s\"")];
    let told = play(&lines.concat(), &[]);
    assert_eq!(told.of("h1").last(), Some(&"40.000 h1: EXPIRE RUNNING>LOST cause=lost"));
    assert_eq!(told.of("work/1").last(), Some(&"40.000 work/1: KILL RUNNING>KILLED node=h1 exit=-100"));
}

#[test]
fn an_agent_that_is_started_anew_has_nothing_of_what_ran_before_the_restart() {
    // 7.3, 7.5: h1 dies at 4.5 s under its task. Its new agent registers with the new resource manager at 8.5 s and
    // reports no application: the task is not there any more.
    let lines = [
        work("1s", "100s", "60s"),
        at("4.5s", "node_crash = \"h1\""),
        at("5.5s", "rm_restart = \"1s\""),
        at("8.5s", "node_start = \"h1\""),
    ];
    let told = play(&lines.concat(), &[]);
    assert_eq!(told.of("h1").last(), Some(&"8.500 h1: STARTED NEW>RUNNING"));
    assert_eq!(told.of("work/1").last(), Some(&"8.500 work/1: KILL RUNNING>KILLED node=h1 exit=-100"));
}

#[test]
fn nothing_is_placed_while_the_resource_manager_is_away() {
    // 7.5: it is away from 5.5 s to 25.5 s and waits for 10 s more. The application registers at 7 s and asks at 8 s;
    // the nodes, which lost the connection at 6 s, are back at 36 s.
    let lines = [work("7s", "10s", "60s"), at("5.5s", "rm_restart = \"20s\"")];
    let told = play(&lines.concat(), &[]);
    assert_eq!(told.of("work/1")[1], "36.000 work/1: ALLOCATE NEW>ALLOCATED node=h1");
}

#[test]
fn a_node_that_is_heard_again_may_expire_before_its_next_beat() {
    // 7.4: with a beat each 5 s and an expiry of 6 s, checks are each 2 s. The beat at 30 s is lost, and h1 could be
    // heard again from 31 s on, but its next beat is at 35 s: at the check at 32 s it was last heard 7 s ago.
    let lines = at("30s", "node_silence = { node = \"h1\", span = \"1s\" }");
    let told = play_with(&["heartbeat.interval=5s", "heartbeat.expiry=6s"], &lines, &[]);
    assert_eq!(
        told.of("h1")[1..],
        ["32.000 h1: EXPIRE RUNNING>LOST cause=lost", "35.000 h1: STARTED NEW>RUNNING"]
    );
}

#[test]
fn the_policy_stops_a_node_whose_last_ping_is_too_old() {
    // semantics, what the node manager sees: h1 is last heard at 12 s, so it is down from 32 s on, long before it
    // would be lost; the first poll from then on is at 35 s. A silence that ends before is no matter.
    let settings = [
        "policy.kind=node-manager",
        "policy.poll=5s",
        "policy.idle_grace=never",
        "policy.ping_stale_after=20s",
        "heartbeat.expiry=10m",
        "horizon=60s",
    ];
    let silent = |span: &str| at("12.5s", &format!("node_silence = {{ node = \"h1\", span = \"{span}\" }}"));
    let told = play_with(&settings, &silent("5m"), &[]);
    let stop = told.of("h1 instance")[2];
    assert!(stop.starts_with("35.000 h1 instance: START_SHUTDOWN UP>STOPPING reason=down"), "{stop}");
    let told = play_with(&settings, &silent("19s"), &[]);
    assert_eq!(told.of("h1 instance").len(), 2, "granted and up: it is heard at 32 s");
}

#[test]
fn a_container_that_is_killed_with_an_unhealthy_node_ends_at_the_next_answer() {
    // 8.3, 2.3: launched at 3 s. h1 beats when it becomes unhealthy, at 5.5 s, and the task is killed; the answer at
    // 6.5 s tells the agent. It is healthy again at 10.5 s, and drains from the beat at 20.5 s on with nothing on it
    // but the application, which stands there until it ends.
    let lines = [
        work("1s", "100s", "60s"),
        at("5.5s", "node_unhealthy = { node = \"h1\", span = \"5s\" }"),
        at("20.2s", "refresh_nodes = { exclude = \"out\", graceful = true, timeout = \"never\" }"),
    ];
    let told = play(&lines.concat(), &[("out", "h1\n")]);
    assert_eq!(told.of("work/1").last(), Some(&"5.500 work/1: KILL RUNNING>KILLED node=h1 exit=-100"));
    assert_eq!(told.of("h1 drain"), ["20.500 h1 drain: STATUS NONE>WAIT_APP"]);
}

#[test]
fn a_container_that_is_killed_with_a_silent_node_ends_when_the_node_is_heard() {
    // 7.4, 8.3: h1 is last heard at 5 s and lost at 40 s, with its task. It is heard at 46 s, told to register again,
    // and ends the task: it drains from the beat at 51 s on with nothing on it but the application.
    let lines = [
        work("1s", "100s", "60s"),
        at("5.5s", "node_silence = { node = \"h1\", span = \"40s\" }"),
        at("50.2s", "refresh_nodes = { exclude = \"out\", graceful = true, timeout = \"never\" }"),
    ];
    let told = play(&lines.concat(), &[("out", "h1\n")]);
    assert_eq!(told.of("work/1").last(), Some(&"40.000 work/1: KILL RUNNING>KILLED node=h1 exit=-100"));
    assert_eq!(told.of("h1 drain"), ["51.000 h1 drain: STATUS NONE>WAIT_APP"]);
}

#[test]
fn a_master_that_is_killed_before_its_process_starts_never_registers() {
    // 8.3, 8.4: placed on h1 at 2 s, the first master would start at 2.8 s. The node becomes unhealthy before, and
    // healthy again at 8.3 s, a moment of its beats: the second master starts 0.8 s later.
    let lines = [
        "[scheduler]\ntrigger = \"async\"\n[[app]]\nname = \"work\"\nsubmit = \"2s\"\nlaunch = \"0.8s\"\n\
         master = { cores = 1, host = \"h1\" }\n[[app.task]]\nhost = \"h2\"\nrun = \"5s\"\n"
            .to_owned(),
        at("2.3s", "node_unhealthy = { node = \"h1\", span = \"6s\" }"),
    ];
    let told = play(&lines.concat(), &[]);
    let registers = told.of("work").into_iter().filter(|row| row.contains("REGISTER"));
    assert_eq!(registers.collect::<Vec<_>>(), ["9.100 work: REGISTER ACCEPTED>RUNNING"]);
}

/// When h1 has left, if it is told to drain for ever at 50.2 s, after its application has ended and `lines` happened.
fn leaves_after(run: &str, ends: &str, lines: &str) -> String {
    let drain = at("50.2s", "refresh_nodes = { exclude = \"out\", graceful = true, timeout = \"never\" }");
    let told =
        play_with(&["horizon=60s"], &[&work("1s", run, ends), lines, &drain].concat(), &[("out", "h1\n")]);
    [told.of("h1").last(), told.of("h1 agent").last()]
        .map(|row| *row.expect("both tell something"))
        .join("; ")
}

#[test]
fn an_application_that_has_ended_does_not_come_to_stand_on_a_node_again() {
    // 2.2 (E1, step 3), 2.3, 3.6: the drain finds no application at its first beat, at 51 s, and the agent none either:
    // it ends at once (7.1). Before,
    // - the task that was launched at 3 s ends in the very instant in which its application does;
    let left = "51.000 h1: DECOMMISSION DECOMMISSIONING>DECOMMISSIONED cause=ready; 51.000 h1 agent: EXIT";
    assert_eq!(leaves_after("20s", "23s", ""), left);
    // - the task ends at 13 s, of which a silence lets nobody know until 26 s, when the application has ended;
    let silence = at("5.5s", "node_silence = { node = \"h1\", span = \"20s\" }");
    assert_eq!(leaves_after("10s", "20s", &silence), left);
    // - the node tells of its application when it finds the new resource manager, at 36 s.
    assert_eq!(leaves_after("100s", "20s", &at("5.5s", "rm_restart = \"3s\"")), left);
}

#[test]
fn an_end_of_which_a_draining_node_tells_while_it_is_unhealthy_is_never_heard() {
    // 2.2 (E3, step 3), 2.3: h1 drains from 5.2 s on, is unhealthy from 8.5 s to 18.5 s, and beats at these moments and
    // when the task ends, at 13 s. Nobody looks at that report's containers, and the first one after 18.5 s, at 19 s,
    // does not have the task any more: it is missed, not finished.
    let lines = [
        work("1s", "10s", "60s"),
        at("5.2s", "refresh_nodes = { exclude = \"out\", graceful = true, timeout = \"never\" }"),
        at("8.5s", "node_unhealthy = { node = \"h1\", span = \"10s\" }"),
    ];
    let told = play(&lines.concat(), &[("out", "h1\n")]);
    assert_eq!(told.of("work/1").last(), Some(&"19.000 work/1: FINISHED RUNNING>KILLED node=h1 exit=-100"));
    assert_eq!(told.of("h1 drain")[1..], ["13.000 h1 drain: STATUS WAIT_CONTAINER>WAIT_APP"]);
}

#[test]
fn a_start_of_which_a_draining_node_tells_while_it_is_unhealthy_is_heard_when_it_is_well() {
    // 2.2 (E3, step 3), 2.3: two tasks are allocated at 2 s and start one after another, at 6 s and 9 s. h1 drains from
    // 6.2 s on and is unhealthy from 8.5 s to 11.5 s, with beats at 8.5 s and each second from then on. Each report has
    // all containers that run; the first whose containers are looked at again is that of 11.5 s.
    let lines = [
        "[scheduler]\ntrigger = \"async\"\n[[app]]\nname = \"work\"\nlaunch = \"3s\"\nsubmit = \"1s\"\n\
         master = \"unmanaged\"\nends = \"60s\"\n[[app.task]]\ncount = 2\nhost = \"h1\"\nrun = \"100s\"\n"
            .to_owned(),
        at("6.2s", "refresh_nodes = { exclude = \"out\", graceful = true, timeout = \"never\" }"),
        at("8.5s", "node_unhealthy = { node = \"h1\", span = \"3s\" }"),
    ];
    let told = play(&lines.concat(), &[("out", "h1\n")]);
    assert_eq!(told.of("work/1")[3], "6.000 work/1: LAUNCHED ACQUIRED>RUNNING node=h1");
    assert_eq!(told.of("work/2")[3], "11.500 work/2: LAUNCHED ACQUIRED>RUNNING node=h1");
}

#[test]
fn of_spells_that_overlap_the_one_that_ends_last_counts() {
    // Ill from 4.2 s to 9.2 s, from 7.2 s to 17.2 s and from 8.2 s to 9.2 s; beats at 4.2 s and each second from then.
    let ill = |time: &str, span: &str| {
        at(time, &format!("node_unhealthy = {{ node = \"h1\", span = \"{span}\" }}"))
    };
    let told = play(&[ill("4.2s", "5s"), ill("7.2s", "10s"), ill("8.2s", "1s")].concat(), &[]);
    assert_eq!(
        told.of("h1")[1..],
        [
            "4.200 h1: STATUS_UPDATE RUNNING>UNHEALTHY cause=unhealthy",
            "17.200 h1: STATUS_UPDATE UNHEALTHY>RUNNING",
        ]
    );
    // Silent from 5.5 s to 15.5 s, and from 12.5 s to 27.5 s.
    let told = play(&[silent("5.5s", "10s"), silent("12.5s", "15s")].concat(), &[]);
    assert_eq!(told.of("h1 agent"), ["5.500 h1 agent: SILENCE", "27.500 h1 agent: HEARD"]);
}

fn silent(time: &str, span: &str) -> String {
    at(time, &format!("node_silence = {{ node = \"h1\", span = \"{span}\" }}"))
}

#[test]
fn the_silence_of_an_agent_that_died_is_not_that_of_the_next_one() {
    // The first agent is silent from 5.5 s on and would be until 25.5 s; the second falls silent at 12.5 s, and is
    // heard again after its own span, be it long or short.
    let agents =
        [silent("5.5s", "20s"), at("8.5s", "node_crash = \"h1\""), at("10.5s", "node_start = \"h1\"")];
    let last = |second: &str| {
        let told = play(&[&agents.concat(), second].concat(), &[]);
        told.of("h1 agent")[2..].join("; ")
    };
    assert_eq!(last(&silent("12.5s", "18s")), "12.500 h1 agent: SILENCE; 30.500 h1 agent: HEARD");
    assert_eq!(last(&silent("12.5s", "3s")), "12.500 h1 agent: SILENCE; 15.500 h1 agent: HEARD");
}

#[test]
fn an_agent_that_shuts_down_ends_with_its_reclaimed_instance() {
    // 7.1: excluded at 5.5 s, the agent is told to shut down by its beat at 6 s. With an application on it that takes
    // until 23 s, but the cloud takes the instance back at 14.2 s.
    let lines = [
        work("1s", "100s", "60s"),
        at("5.5s", "refresh_nodes = { exclude = \"out\" }"),
        at("12.2s", "reclaim = { node = \"h1\", notice = \"2s\" }"),
    ];
    let told = play(&lines.concat(), &[("out", "h1\n")]);
    assert_eq!(told.of("h1 agent"), ["6.000 h1 agent: SHUTDOWN", "14.200 h1 agent: CRASH"]);
    assert_eq!(told.of("h1 instance").last(), Some(&"14.200 h1 instance: GONE UP>GONE"));
}
