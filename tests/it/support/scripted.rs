//! Random scripted worlds: a random world whose first nodes are named, with hosts files, applications, and an
//! administrator and bad luck that do what they can to it.

use ebbtide::engine::BeatMode;
use ebbtide::study::RunError;
use proptest::prelude::*;
use proptest::sample::{select, subsequence};

use super::random::{Range, ticks_or_never, world};
use super::scratch::Scratch;
use super::world::{World, span};
use super::{Played, play, scenario};

/// The named nodes.
const NAMED: [&str; 3] = ["h1", "h2", "h3"];
/// Hosts that a script may speak of: the named ones, and the first two that the policy asks for.
const HOSTS: [&str; 5] = ["h1", "h2", "h3", "node-4", "node-5"];
/// Hosts files; of these, `gone` does not exist.
const FILES: [&str; 5] = ["one", "two", "three.xml", "four.xml", "gone"];
/// A hosts file at which a refresh fails, and a start would.
const MALFORMED: (&str, &str) = ("bad.xml", "<hosts><host></hosts>");

/// A world with a script.
#[derive(Clone, Debug)]
pub(crate) struct Scripted {
    pub(crate) world: World,
    /// Scalar keys beside those of the world, as `key=value`.
    pub(crate) settings: Vec<String>,
    /// `[[node]]`, `[lists]`, `[[app]]` and `[[at]]`.
    pub(crate) tables: String,
    /// Hosts files: name and text.
    pub(crate) files: Vec<(&'static str, String)>,
}

impl Scripted {
    /// Plays it.
    pub(crate) fn play(&self, beats: BeatMode) -> Result<Played, RunError> {
        let scratch = Scratch::new();
        for (name, text) in &self.files {
            scratch.write(name, text);
        }
        let folder = scratch.path.to_str().expect("a scratch folder lies at a path of text");
        let settings: Vec<&str> = self.settings.iter().map(String::as_str).collect();
        play(&scenario(folder, &self.toml(), &settings), &self.world.workload(), beats)
    }

    /// The scenario file.
    pub(crate) fn toml(&self) -> String {
        format!("{}{}", self.world.toml(), self.tables)
    }
}

/// A moment or a span in ticks, as it is written.
fn ticks(range: std::ops::Range<u64>, tick_ms: u64) -> impl Strategy<Value = String> {
    range.prop_map(move |ticks| span(Some(ticks * tick_ms)))
}

/// `key = value` on a line of its own, or nothing.
fn maybe(
    share: f64,
    key: &'static str,
    value: impl Strategy<Value = String>,
) -> impl Strategy<Value = String> {
    let line = value.prop_map(move |value| format!("{key} = {value}\n"));
    prop::option::weighted(share, line).prop_map(Option::unwrap_or_default)
}

fn quoted(names: &[&'static str]) -> impl Strategy<Value = String> + use<> {
    select(names.to_vec()).prop_map(|name| format!("\"{name}\""))
}

fn flag() -> impl Strategy<Value = String> {
    any::<bool>().prop_map(|on| on.to_string())
}

/// The four files that exist, each with any of the hosts, and the malformed one.
fn files() -> impl Strategy<Value = Vec<(&'static str, String)>> {
    let some = || subsequence(HOSTS.to_vec(), 0..=HOSTS.len());
    let timeouts = || prop::collection::vec(prop_oneof![Just(String::new()), timeout_s()], HOSTS.len());
    let plain = |hosts: Vec<&str>| hosts.join("\n");
    let xml = |(hosts, timeouts): (Vec<&str>, Vec<String>)| {
        let host = |(name, timeout)| format!("<host><name>{name}</name>{timeout}</host>");
        format!("<hosts>{}</hosts>", hosts.into_iter().zip(timeouts).map(host).collect::<String>())
    };
    let texts = (some(), some(), (some(), timeouts()), (some(), timeouts()));
    texts.prop_map(move |(one, two, three, four)| {
        let texts = [plain(one), plain(two), xml(three), xml(four), MALFORMED.1.to_owned()];
        [FILES[0], FILES[1], FILES[2], FILES[3], MALFORMED.0].into_iter().zip(texts).collect()
    })
}

/// Of a host in an XML file; negative is for ever.
fn timeout_s() -> impl Strategy<Value = String> {
    (-1..20_i32).prop_map(|seconds| format!("<timeout>{seconds}</timeout>"))
}

fn lists() -> impl Strategy<Value = String> {
    (maybe(0.15, "include", quoted(&FILES)), maybe(0.4, "exclude", quoted(&FILES)))
        .prop_map(|(include, exclude)| format!("[lists]\n{include}{exclude}"))
}

fn nodes(kinds: usize, tick_ms: u64) -> impl Strategy<Value = String> {
    let node = move |name| {
        (1..=kinds, maybe(0.3, "registers_at", ticks(0..30, tick_ms)))
            .prop_map(move |(kind, at)| format!("[[node]]\nname = \"{name}\"\ntype = \"t{kind}\"\n{at}"))
    };
    NAMED.map(node).prop_map(|nodes| nodes.concat())
}

fn refresh() -> impl Strategy<Value = String> {
    let file = || select([&FILES[..], &[MALFORMED.0]].concat());
    let mode = prop_oneof![
        1 => Just(String::new()),
        3 => (
            prop_oneof![
                1 => Just(String::new()),
                1 => Just(", timeout = \"never\"".to_owned()),
                3 => (0..25_u64).prop_map(|seconds| format!(", timeout = \"{seconds}s\"")),
            ],
            select(vec!["server", "client"]),
        )
            .prop_map(|(timeout, tracking)| format!(", graceful = true{timeout}, tracking = \"{tracking}\"")),
    ];
    (prop::option::weighted(0.15, file()), file(), mode).prop_map(|(include, exclude, mode)| {
        let include = include.map_or_else(String::new, |include| format!("include = \"{include}\", "));
        format!("refresh_nodes = {{ {include}exclude = \"{exclude}\"{mode} }}")
    })
}

fn resource_update(tick_ms: u64) -> impl Strategy<Value = String> {
    let timeout = ticks_or_never(0..10, 1, tick_ms).prop_map(span);
    (quoted(&HOSTS), 1..7_u32, timeout).prop_map(|(node, cores, timeout)| {
        format!("resource_update = {{ node = {node}, cores = {cores}, overcommit_timeout = {timeout} }}")
    })
}

fn action(tick_ms: u64) -> impl Strategy<Value = String> {
    let of_node = |action: &'static str| quoted(&HOSTS).prop_map(move |node| format!("{action} = {node}"));
    let of_span = move |action: &'static str, part: &'static str, range| {
        (quoted(&HOSTS), ticks(range, tick_ms))
            .prop_map(move |(node, span)| format!("{action} = {{ node = {node}, {part} = {span} }}"))
    };
    prop_oneof![
        6 => refresh(),
        1 => Just("forceful = true".to_owned()),
        2 => of_node("node_crash"),
        4 => of_node("node_start"),
        2 => of_span("node_silence", "span", 1..50),
        2 => of_span("node_unhealthy", "span", 1..30),
        1 => ticks(1..50, tick_ms).prop_map(|away| format!("rm_restart = {away}")),
        1 => Just("rm_failover = true".to_owned()),
        1 => of_span("reclaim", "notice", 0..30),
        5 => resource_update(tick_ms),
    ]
}

fn actions(tick_ms: u64) -> impl Strategy<Value = String> {
    let one = (ticks(0..250, tick_ms), action(tick_ms))
        .prop_map(|(time, action)| format!("[[at]]\ntime = {time}\n{action}\n"));
    prop::collection::vec(one, 0..20).prop_map(|actions| actions.concat())
}

fn tasks(tick_ms: u64) -> impl Strategy<Value = String> {
    let run = prop_oneof![1 => Just("\"never\"".to_owned()), 5 => ticks(1..60, tick_ms)];
    let parts = (
        maybe(0.4, "count", (1..4_u32).prop_map(|count| count.to_string())),
        maybe(0.4, "host", quoted(&HOSTS)),
        maybe(0.3, "cores", (1..3_u32).prop_map(|cores| cores.to_string())),
        maybe(0.2, "memory", Just("\"2MiB\"".to_owned())),
        maybe(0.3, "asks", ticks(0..20, tick_ms)),
        maybe(0.6, "kind", quoted(&["map", "map", "reduce"])),
        run,
    );
    parts.prop_map(|(count, host, cores, memory, asks, kind, run)| {
        format!("[[app.task]]\n{count}{host}{cores}{memory}{asks}{kind}run = {run}\n")
    })
}

fn app(tick_ms: u64) -> impl Strategy<Value = String> {
    let master = prop_oneof![
        2 => Just("\"unmanaged\"".to_owned()),
        2 => (1..3_u32).prop_map(|cores| format!("{{ cores = {cores} }}")),
        2 => quoted(&HOSTS).prop_map(|host| format!("{{ cores = 1, host = {host} }}")),
    ];
    let interval = prop_oneof![ticks(1..6, tick_ms), (100..9000_u64).prop_map(|ms| span(Some(ms)))];
    let parts = (
        0..60_u64,
        prop::option::of(1..150_u64),
        maybe(0.8, "master", master),
        maybe(0.7, "allocate_interval", interval),
        maybe(0.5, "rerun", flag()),
        maybe(0.5, "keep_containers", flag()),
        maybe(0.4, "max_attempts", (1..4_u32).prop_map(|most| most.to_string())),
        maybe(0.6, "launch", ticks(0..4, tick_ms)),
        prop::collection::vec(tasks(tick_ms), 0..4),
    );
    parts.prop_map(move |(submit, lasts, master, interval, rerun, keep, attempts, launch, tasks)| {
        let at = |ticks| span(Some(ticks * tick_ms));
        let ends = lasts.map_or_else(String::new, |lasts| format!("ends = {}\n", at(submit + lasts)));
        let submit = at(submit);
        format!(
            "submit = {submit}\n{ends}{master}{interval}{rerun}{keep}{attempts}{launch}{}",
            tasks.concat()
        )
    })
}

fn apps(tick_ms: u64) -> impl Strategy<Value = String> {
    prop::collection::vec(app(tick_ms), 0..5).prop_map(|apps| {
        let numbered = apps.iter().zip(1..);
        numbered.map(|(app, number)| format!("[[app]]\nname = \"app{number}\"\n{app}")).collect()
    })
}

/// Scalar keys. A node must beat more often than it expires.
fn settings(interval_ms: u64, tick_ms: u64) -> impl Strategy<Value = Vec<String>> {
    let expiry = ticks_or_never(1..60, 1, tick_ms);
    let keys = (
        expiry.prop_map(move |more| match more {
            Some(more) => format!("heartbeat.expiry={}ms", interval_ms + more),
            None => "heartbeat.expiry=never".to_owned(),
        }),
        (0..20_u64).prop_map(move |ticks| format!("heartbeat.check_offset={}ms", ticks * tick_ms)),
        (0..10_u64).prop_map(move |ticks| format!("decommission.poll_offset={}ms", ticks * tick_ms)),
        prop_oneof![2 => Just(0), 1 => 1..20_u64]
            .prop_map(move |ticks| format!("decommission.delay={}ms", ticks * tick_ms)),
        any::<bool>().prop_map(|on| format!("decommission.wait_for_applications={on}")),
        any::<bool>().prop_map(|on| format!("decommission.wait_for_app_masters={on}")),
        select(vec!["faithful", "fixed"]).prop_map(|race| format!("decommission.first_report_race={race}")),
        select(vec!["pass", "async", "heartbeat"]).prop_map(|trigger| format!("scheduler.trigger={trigger}")),
        any::<bool>().prop_map(|late| format!("scheduler.late_round={late}")),
        select(vec!["source", "source", "page"]).prop_map(|whose| format!("decommission.behaviour={whose}")),
        any::<bool>().prop_map(|on| format!("decommission.status_log={on}")),
    );
    keys.prop_map(|(a, b, c, d, e, f, g, h, i, j, k)| vec![a, b, c, d, e, f, g, h, i, j, k])
}

/// The named nodes stand in the place of `min_nodes`, and the policy may ask for some more.
fn named(world: World) -> World {
    let named = u32::try_from(NAMED.len()).expect("it is small");
    World { max_nodes: named + world.max_nodes % 4, min_nodes: 0, ..world }
}

/// A world with a script. Its nodes beat each so many milliseconds, and are watched each so many, if not as the world
/// says.
pub(crate) fn scripted(
    range: Range,
    beats_and_polls_ms: impl Strategy<Value = Option<(u64, u64)>>,
) -> impl Strategy<Value = Scripted> {
    let tick_ms = range.tick_ms;
    let stage = (world(range), beats_and_polls_ms).prop_map(|(world, given)| {
        let (interval_ms, watcher_poll_ms) = given.unwrap_or((world.interval_ms, world.watcher_poll_ms));
        named(World { interval_ms, watcher_poll_ms, ..world })
    });
    stage.prop_flat_map(move |world| {
        let tables = (nodes(world.kinds.len(), tick_ms), lists(), apps(tick_ms), actions(tick_ms))
            .prop_map(|(nodes, lists, apps, actions)| [nodes, lists, apps, actions].concat());
        let settings = settings(world.interval_ms, tick_ms);
        (Just(world), settings, tables, files()).prop_map(|(world, settings, tables, files)| Scripted {
            world,
            settings,
            tables,
            files,
        })
    })
}
