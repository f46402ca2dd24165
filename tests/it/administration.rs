//! Named nodes, hosts files and what an administrator or bad luck does to them: stories worked out by hand from the
//! specification of YARN (sections are of yarn.md).

use crate::support::hosts::{at, play, play_with};

#[test]
fn an_idle_node_leaves_at_its_next_beat_and_comes_back_as_a_new_node() {
    // 4.3: h2 gets GRACEFUL at 5.4 s; its next beat is at 6 s: READY, and the agent ends at once (7.1). The list is
    // emptied at 15 s, which changes nothing for a node in the inactive map (0.1). Its agent is started at 28 s.
    let lines = [
        at("5.4s", "refresh_nodes = { exclude = \"out\", graceful = true, timeout = \"never\" }"),
        at("15s", "refresh_nodes = { exclude = \"empty\" }"),
        at("28s", "node_start = \"h2\""),
    ];
    let told = play(&lines.concat(), &[("out", "h2\n"), ("empty", "")]);
    assert_eq!(
        told.of("h2"),
        [
            "0.000 h2: STARTED NEW>RUNNING",
            "5.400 h2: GRACEFUL_DECOMMISSION RUNNING>DECOMMISSIONING",
            "6.000 h2: DECOMMISSION DECOMMISSIONING>DECOMMISSIONED cause=ready",
            "28.000 h2: STARTED NEW>RUNNING",
        ]
    );
    assert_eq!(told.of("h2 agent"), ["6.000 h2 agent: SHUTDOWN", "6.000 h2 agent: EXIT"]);
}

#[test]
fn a_plain_refresh_takes_excluded_nodes_at_once_and_untracked_ones_otherwise() {
    // 4.3: h1 is excluded, h3 is on no list though there is an include list: DECOMMISSION and SHUTDOWN (0.7). Their
    // agents are told at their next beats.
    let lines = at("5.5s", "refresh_nodes = { include = \"in\", exclude = \"out\" }");
    let told = play(&lines, &[("in", "h1 h2\n"), ("out", "h1\n")]);
    assert_eq!(told.of("h1")[1..], ["5.500 h1: DECOMMISSION RUNNING>DECOMMISSIONED cause=excluded"]);
    assert_eq!(told.of("h2").len(), 1);
    assert_eq!(told.of("h3")[1..], ["5.500 h3: SHUTDOWN RUNNING>SHUTDOWN cause=excluded"]);
    assert_eq!(told.of("h3 agent"), ["6.000 h3 agent: SHUTDOWN", "6.000 h3 agent: EXIT"]);
}

#[test]
fn a_silent_node_is_lost_at_the_first_check_after_its_expiry() {
    // 7.4: h1 dies at 12.5 s, last heard at 12 s. Checks are at 10, 20, 30, 40 and 50 s; 42 s is the first instant at
    // which now > last + 30 s may hold, so 50 s. It comes back at 55 s.
    let lines = [at("12.5s", "node_crash = \"h1\""), at("55s", "node_start = \"h1\"")].concat();
    let told = play(&lines, &[]);
    assert_eq!(
        told.of("h1")[1..],
        ["50.000 h1: EXPIRE RUNNING>LOST cause=lost", "55.000 h1: STARTED NEW>RUNNING"]
    );
}

#[test]
fn a_node_that_is_unheard_for_long_is_lost_and_told_to_register_again() {
    // It goes on beating at whole seconds. Silent from 12.5 s for 45 s: lost at 50 s, heard again at 58 s: RESYNC.
    let told = play(&at("12.5s", "node_silence = { node = \"h1\", span = \"45s\" }"), &[]);
    assert_eq!(
        told.of("h1")[1..],
        ["50.000 h1: EXPIRE RUNNING>LOST cause=lost", "58.000 h1: STARTED NEW>RUNNING"]
    );
    assert_eq!(
        told.of("h1 agent"),
        ["12.500 h1 agent: SILENCE", "57.500 h1 agent: HEARD", "58.000 h1 agent: RESYNC"]
    );
    // A shorter silence is not noticed at all: 29 s from 12.5 s, heard again at 42 s, and 40 s was too early to expire.
    let told = play(&at("12.5s", "node_silence = { node = \"h1\", span = \"29s\" }"), &[]);
    assert_eq!(told.of("h1").len(), 1);
}

#[test]
fn an_unhealthy_node_leaves_and_comes_back() {
    // RT-21. The failing check makes it beat at once (7.1), which restarts its interval; it passes again at 9.7 s,
    // and the next beat is at 10.2 s.
    let told = play(&at("4.2s", "node_unhealthy = { node = \"h1\", span = \"5.5s\" }"), &[]);
    assert_eq!(
        told.of("h1")[1..],
        [
            "4.200 h1: STATUS_UPDATE RUNNING>UNHEALTHY cause=unhealthy",
            "10.200 h1: STATUS_UPDATE UNHEALTHY>RUNNING",
        ]
    );
}

#[test]
fn a_forceful_refresh_ends_every_drain() {
    // 4.4. A node that dies cannot end its drain: h1 dies at 4.5 s and gets GRACEFUL at 5 s, so there is never a beat
    // for the watcher to begin with (0.5). FORCEFUL at 9 s takes it.
    let lines = [
        at("4.5s", "node_crash = \"h1\""),
        at("5s", "refresh_nodes = { exclude = \"out\", graceful = true, timeout = \"1s\" }"),
        at("9s", "forceful = true"),
    ];
    let told = play(&lines.concat(), &[("out", "h1\n")]);
    assert_eq!(
        told.of("h1")[1..],
        [
            "5.000 h1: GRACEFUL_DECOMMISSION RUNNING>DECOMMISSIONING",
            "9.000 h1: DECOMMISSION DECOMMISSIONING>DECOMMISSIONED cause=forced",
        ]
    );
}

#[test]
fn a_client_forces_whatever_still_drains_in_the_whole_cluster() {
    // 6.2: the client asks at 6, 7 … 15 s, ten times for 5 s and 5 s more, and then forces; the 600 s of the file do
    // not help. The dead h1 never leaves by itself.
    let xml = "<hosts><host><name>h1</name><timeout>600</timeout></host></hosts>";
    let request =
        "refresh_nodes = { exclude = \"o.xml\", graceful = true, timeout = \"5s\", tracking = \"client\" }";
    let told = play(&[at("4.5s", "node_crash = \"h1\""), at("5s", request)].concat(), &[("o.xml", xml)]);
    assert_eq!(
        told.of("h1").last(),
        Some(&"15.000 h1: DECOMMISSION DECOMMISSIONING>DECOMMISSIONED cause=forced")
    );
}

#[test]
fn a_refresh_again_with_another_number_rewrites_timeouts_and_a_list_without_the_host_recommissions() {
    // 4.3: the dead h1 drains with 600 s; a second request with 700 s rewrites that. At 8 s it is off the list.
    let request = |time, list, timeout| {
        at(
            time,
            &format!("refresh_nodes = {{ exclude = \"{list}\", graceful = true, timeout = \"{timeout}\" }}"),
        )
    };
    let lines = [
        at("4.5s", "node_crash = \"h1\""),
        request("5s", "out", "600s"),
        request("6s", "out", "700s"),
        request("7s", "out", "700s"),
        request("8s", "none", "never"),
    ];
    let told = play(&lines.concat(), &[("out", "h1\n"), ("none", "h9\n")]);
    assert_eq!(told.of("h1 drain"), ["6.000 h1 drain: TIMEOUT_UPDATE timeout=11m40s"]);
    assert_eq!(
        told.of("h1")[1..3],
        [
            "5.000 h1: GRACEFUL_DECOMMISSION RUNNING>DECOMMISSIONING",
            "8.000 h1: RECOMMISSION DECOMMISSIONING>RUNNING",
        ]
    );
}

#[test]
fn files_that_cannot_be_read_have_the_real_systems_outcome() {
    // 4.5: at a plain refresh a missing file leaves empty lists, at a graceful one the request fails; a malformed file
    // fails the request in both modes.
    let refresh =
        |time, list, graceful| at(time, &format!("refresh_nodes = {{ exclude = \"{list}\"{graceful} }}"));
    let lines =
        [refresh("2s", "gone", ", graceful = true"), refresh("3s", "bad.xml", ""), refresh("4s", "gone", "")];
    let told = play(&lines.concat(), &[("bad.xml", "<hosts><host></hosts>")]);
    assert_eq!(
        told.of("lists"),
        [
            "2.000 lists: REFRESH outcome=request_failed",
            "3.000 lists: REFRESH outcome=request_failed",
            "4.000 lists: REFRESH outcome=empty_lists",
        ]
    );
}

#[test]
fn a_failover_forgets_drains_and_nodes_find_the_new_one_within_thirty_seconds() {
    // 7.5: h1 is dead and drains; with the failover at 10.5 s it is a placeholder. h2 and h3 lose the connection at
    // their beats at 11 s, look again at 41 s, and are told to register again.
    let lines = [
        at("4.5s", "node_crash = \"h1\""),
        at("5s", "refresh_nodes = { exclude = \"out\", graceful = true, timeout = \"never\" }"),
        at("10.5s", "rm_failover = true"),
    ];
    let told = play(&lines.concat(), &[("out", "h1\n")]);
    assert_eq!(
        told.of("h1").last(),
        Some(&"10.500 h1: DECOMMISSION DECOMMISSIONING>DECOMMISSIONED cause=failover")
    );
    assert_eq!(told.of("h2"), ["0.000 h2: STARTED NEW>RUNNING", "41.000 h2: STARTED NEW>RUNNING"]);
    assert_eq!(told.of("h2 agent"), ["41.000 h2 agent: RESYNC"]);
}

#[test]
fn a_node_that_is_excluded_while_it_looks_for_a_new_manager_leaves_when_it_finds_it() {
    // 7.5 and 7.2, step 1: the manager is away from 10.5 to 13.5 s; h2's beat at 11 s finds nobody, and it looks
    // again at 41 s. The refresh at 20.5 s visits the nodes that have registered by then, and h2 has not. Its
    // container, which runs since 3.5 s, dies with it, and the application, which has nothing left, hears so at its
    // call of 41.5 s.
    let work = "[scheduler]\ntrigger = \"async\"\n[[app]]\nname = \"work\"\nsubmit = \"1.5s\"\n\
                master = \"unmanaged\"\n[[app.task]]\nhost = \"h2\"\nrun = \"5m\"\n";
    let lines = [at("10.5s", "rm_restart = \"3s\""), at("20.5s", "refresh_nodes = { exclude = \"out\" }")];
    let told = play(&[work, &lines.concat()].concat(), &[("out", "h2\n")]);
    assert_eq!(told.of("h2")[1..], ["41.000 h2: DECOMMISSION RUNNING>DECOMMISSIONED cause=excluded"]);
    assert_eq!(told.of("h2 agent"), ["41.000 h2 agent: SHUTDOWN"]);
    assert_eq!(told.of("work/1").last(), Some(&"41.000 work/1: KILL RUNNING>KILLED node=h2 exit=-100"));
    assert_eq!(told.of("work").last(), Some(&"41.500 work: FINISH RUNNING>FINISHED"));
}

#[test]
fn an_agent_that_starts_while_the_manager_is_away_looks_again_after_thirty_seconds() {
    // 7.5: the manager is away from 10.5 to 20.5 s. h2's agent starts at 15 s and finds nobody; at 45 s its beat is
    // unknown, so it is told to register.
    let told = play_with(&["node.h2.registers_at=15s"], &at("10.5s", "rm_restart = \"10s\""), &[]);
    assert_eq!(told.of("h2"), ["45.000 h2: STARTED NEW>RUNNING"]);
    assert_eq!(told.of("h2 agent"), ["45.000 h2 agent: RESYNC"]);
}

#[test]
fn an_instance_that_is_reclaimed_drains_for_as_long_as_there_is_time() {
    let told = play(&at("5.5s", "reclaim = { node = \"h1\", notice = \"30s\" }"), &[]);
    assert_eq!(
        told.of("h1 instance")[2..],
        ["5.500 h1 instance: RECLAIM_NOTICE", "35.500 h1 instance: GONE UP>GONE"]
    );
    assert_eq!(
        told.of("h1").last(),
        Some(&"6.000 h1: DECOMMISSION DECOMMISSIONING>DECOMMISSIONED cause=ready")
    );
}

#[test]
fn a_silent_node_that_was_recommissioned_is_no_longer_drained_by_the_watcher() {
    // 3.4, step 3: a container holds h1, whose drain begins with the beat at 6 s and has 10 s. It dies at 7.5 s and is
    // recommissioned at 8.5 s. At the poll of 20 s it is silent and past its time, but not DECOMMISSIONING: its context
    // is dropped. Last heard at 7 s, it is lost at the check of 40 s.
    let work = "[scheduler]\ntrigger = \"async\"\n[[app]]\nname = \"work\"\nlaunch = \"0s\"\nsubmit = \"1.5s\"\n\
                master = \"unmanaged\"\nends = \"10m\"\n[[app.task]]\nhost = \"h1\"\nrun = \"10m\"\n";
    let lines = [
        at("5.5s", "refresh_nodes = { exclude = \"out\", graceful = true, timeout = \"10s\" }"),
        at("7.5s", "node_crash = \"h1\""),
        at("8.5s", "refresh_nodes = { exclude = \"none\", graceful = true }"),
    ];
    let files = [("out", "h1\n"), ("none", "h9\n")];
    let told = play_with(&["horizon=50s"], &[work, &lines.concat()].concat(), &files);
    assert_eq!(
        told.of("h1")[2..],
        ["8.500 h1: RECOMMISSION DECOMMISSIONING>RUNNING", "40.000 h1: EXPIRE RUNNING>LOST cause=lost",]
    );
}

#[test]
fn a_drain_that_begins_again_between_two_beats_goes_on_waiting() {
    // yarn.md 3.2, step 4: h1 waits for an application alone from its beat at 12 s on. It is recommissioned at 15.2 s
    // and to go again at 15.6 s, before its next beat, so the watcher keeps its context, and says once more at 16 s
    // what it waits for, until the application ends at 20 s: 3.2 s and 4 s, 0.002 hours.
    let lines = [
        "[scheduler]\ntrigger = \"async\"\n[[app]]\nname = \"work\"\nmaster = \"unmanaged\"\nends = \"20s\"\n\
         launch = \"0s\"\n[[app.task]]\nhost = \"h1\"\nrun = \"5s\"\n\
         [[app]]\nname = \"later\"\nmaster = \"unmanaged\"\nends = \"25s\"\n"
            .to_owned(),
        at("11.5s", "refresh_nodes = { exclude = \"out\", graceful = true, timeout = \"never\" }"),
        at("15.2s", "refresh_nodes = { exclude = \"none\" }"),
        at("15.6s", "refresh_nodes = { exclude = \"out\", graceful = true, timeout = \"never\" }"),
    ];
    let told = play(&lines.concat(), &[("out", "h1\n"), ("none", "")]);
    assert_eq!(
        told.of("h1 drain"),
        [
            "12.000 h1 drain: STATUS NONE>WAIT_APP",
            "16.000 h1 drain: STATUS NONE>WAIT_APP",
            "20.000 h1 drain: STATUS WAIT_APP>READY",
        ]
    );
    assert_eq!(told.number("idle_held_hours"), "0.002");
}

#[test]
fn an_agent_that_registers_again_has_what_its_type_has() {
    // 2.2, E1 and E7: the operator's 2 cores of h1 are forgotten by each registration, so a task of all 4, asked for at
    // 51 s, is allocated there at once. h1 registers
    // - to a resource manager that has its entry yet, with nothing on it;
    // - to a new one, after 36 s, with nothing on it, or with an application whose task was allocated at 2 s; then it
    //   may be unhealthy for a while, too.
    let wide = "[scheduler]\ntrigger = \"async\"\n[[app]]\nname = \"wide\"\nsubmit = \"50s\"\nends = \"60s\"\n\
                master = \"unmanaged\"\n[[app.task]]\nhost = \"h1\"\ncores = 4\nrun = \"5s\"\n";
    let old = "[[app]]\nname = \"old\"\nsubmit = \"1s\"\nends = \"60s\"\nlaunch = \"0s\"\n\
               master = \"unmanaged\"\n[[app.task]]\nhost = \"h1\"\nrun = \"10s\"\n";
    let update = at("3.5s", "resource_update = { node = \"h1\", cores = 2 }");
    let again = [at("4.5s", "node_crash = \"h1\""), at("8.5s", "node_start = \"h1\"")].concat();
    let restart = at("5.5s", "rm_restart = \"3s\"");
    let sick = at("40.2s", "node_unhealthy = { node = \"h1\", span = \"2s\" }");
    let allocated = |lines: &[&str]| {
        let told = play(&[&[wide, &update], lines].concat().concat(), &[]);
        told.of("wide/1").get(1).map(ToString::to_string)
    };
    let at_once = Some("51.000 wide/1: ALLOCATE NEW>ALLOCATED node=h1".to_owned());
    assert_eq!(allocated(&[&again]), at_once);
    assert_eq!(allocated(&[&restart]), at_once);
    assert_eq!(allocated(&[old, &restart]), at_once);
    assert_eq!(allocated(&[old, &restart, &sick]), at_once);
    assert_ne!(allocated(&[]), at_once, "with 2 cores it cannot be");
}

#[test]
fn a_recommissioned_node_has_what_it_had_before_its_drain() {
    // 2.2, E5 and E6: h1 drains with an operator's 2 cores, is given 4 meanwhile, and has 2 again from 30.2 s on: of
    // two tasks of 2 cores, asked for at 41 s, one is allocated there.
    let lines = [
        "[scheduler]\ntrigger = \"async\"\n[[app]]\nname = \"two\"\nsubmit = \"40s\"\nends = \"60s\"\n\
         master = \"unmanaged\"\n[[app.task]]\ncount = 2\nhost = \"h1\"\ncores = 2\nrun = \"100s\"\n\
         [[app]]\nname = \"old\"\nsubmit = \"1s\"\nends = \"35s\"\nmaster = \"unmanaged\"\n\
         [[app.task]]\nhost = \"h1\"\nrun = \"10s\"\n"
            .to_owned(),
        at("5.5s", "resource_update = { node = \"h1\", cores = 2 }"),
        at("10.2s", "refresh_nodes = { exclude = \"out\", graceful = true, timeout = \"never\" }"),
        at("20.2s", "resource_update = { node = \"h1\", cores = 4 }"),
        at("30.2s", "refresh_nodes = { exclude = \"none\" }"),
    ];
    let told = play(&lines.concat(), &[("out", "h1\n"), ("none", "")]);
    assert_eq!(told.of("two/1")[1], "41.000 two/1: ALLOCATE NEW>ALLOCATED node=h1");
    assert!(!told.of("two/2").iter().any(|row| row.starts_with("41.000") && row.contains("ALLOCATE")));
}

#[test]
fn an_event_for_a_node_that_has_left_service_is_dropped_and_counted() {
    // yarn.md 1.1: h1 is taken at 5.5 s, so the total that an operator gives it at 9.3 s reaches nobody; that of h2
    // does. A plain refresh does not take h1 from the liveness monitor (3.6), which last heard it at 6 s: the EXPIRE of
    // its check at 40 s is the second one.
    let lines = [
        at("5.5s", "refresh_nodes = { exclude = \"out\" }"),
        at("9.3s", "resource_update = { node = \"h1\", cores = 2 }"),
        at("9.3s", "resource_update = { node = \"h2\", cores = 2 }"),
    ];
    let told = play(&lines.concat(), &[("out", "h1\n")]);
    assert_eq!(
        (told.number("node_events_dropped"), told.number("node_events_illegal")),
        ("2".into(), "0".into())
    );
}
