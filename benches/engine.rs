//! The kernel alone: how many items a second the run loop plays when the actors do next to nothing.
//!
//! `cargo bench --bench engine` prints the median of several runs. A round is what every heartbeat costs at least: the
//! beat of a node, its update to the watcher, and the watcher's reply; each of the three goes through the agenda to the
//! typed handler of an actix actor. Each beat is played (`BeatMode::All`).
//!
//! The goal is 10 million items a second on one core with 10,000 nodes. Measured when this was written, on a shared
//! virtual machine: 130 million, with 10,000 nodes as with 100.

mod timing;

use std::sync::atomic::AtomicBool;

use actix::{Actor, Handler, Message};
use ebbtide::engine::run::Gauge;
use ebbtide::engine::{
    Address, BeatMode, Ended, Limits, PollSlot, Served, SimContext, World, hand_over, run,
};
use ebbtide::time::{SimSpan, SimTime};

type Ctx = SimContext<Envelope, ()>;

#[derive(Message)]
#[rtype(result = "()")]
struct Beat;

#[derive(Message)]
#[rtype(result = "()")]
struct Update {
    node: u32,
    containers: u32,
}

#[derive(Message)]
#[rtype(result = "()")]
struct Reply {
    response: u64,
}

enum Envelope {
    Node(u32, Reply),
    Watcher(Update),
}

#[derive(Clone, Copy)]
struct ToNode(u32);
struct ToWatcher;

impl Address<Reply> for ToNode {
    type Envelope = Envelope;
    fn envelope(self, message: Reply) -> Envelope {
        Envelope::Node(self.0, message)
    }
}

impl Address<Update> for ToWatcher {
    type Envelope = Envelope;
    fn envelope(self, message: Update) -> Envelope {
        Envelope::Watcher(message)
    }
}

struct Node {
    id: u32,
    containers: u32,
    last_response: u64,
}

impl Actor for Node {
    type Context = Ctx;
}

impl Handler<Beat> for Node {
    type Result = ();
    fn handle(&mut self, _: Beat, ctx: &mut Ctx) {
        ctx.tell(ToWatcher, Update { node: self.id, containers: self.containers });
    }
}

impl Handler<Reply> for Node {
    type Result = ();
    fn handle(&mut self, reply: Reply, _: &mut Ctx) {
        self.last_response = reply.response;
    }
}

#[derive(Default)]
struct Watcher {
    updates: u64,
    containers: u64,
}

impl Actor for Watcher {
    type Context = Ctx;
}

impl Handler<Update> for Watcher {
    type Result = ();
    fn handle(&mut self, update: Update, ctx: &mut Ctx) {
        self.updates += 1;
        self.containers += u64::from(update.containers);
        ctx.tell(ToNode(update.node), Reply { response: self.updates });
    }
}

struct Heartbeats {
    nodes: Vec<Node>,
    watcher: Watcher,
}

impl World for Heartbeats {
    type Envelope = Envelope;
    type Carried = ();

    fn start(&mut self, ctx: &mut Ctx) {
        for node in &self.nodes {
            ctx.start_beats(node.id, SimSpan::from_secs(1));
        }
    }

    fn open(&mut self, _: &mut Ctx) {}

    fn deliver(&mut self, mail: Envelope, ctx: &mut Ctx) {
        let served = match mail {
            Envelope::Node(id, reply) => hand_over(&mut self.nodes[id as usize], reply, ctx),
            Envelope::Watcher(update) => hand_over(&mut self.watcher, update, ctx),
        };
        assert_eq!(served, Served::Running);
    }

    fn beat(&mut self, node: u32, ctx: &mut Ctx) {
        let served = hand_over(&mut self.nodes[node as usize], Beat, ctx);
        assert_eq!(served, Served::Running);
    }

    fn pass(&mut self, _: &mut Ctx) {}

    fn poll(&mut self, _: PollSlot, _: &mut Ctx) {}

    fn settle(&mut self, _: &mut Ctx) -> bool {
        true
    }
}

/// Plays `seconds` of simulated time. Returns how many items were played.
fn play(nodes: u32, seconds: u64) -> u64 {
    let nodes = (0..nodes).map(|id| Node { id, containers: id % 3, last_response: 0 }).collect();
    let mut world = Heartbeats { nodes, watcher: Watcher::default() };
    let mut ctx = SimContext::new(1, BeatMode::All, ());
    let (stop, gauge) = (AtomicBool::new(false), Gauge::default());
    let horizon = Some(SimTime::from_secs(seconds));
    let limits = Limits { horizon, patience: SimSpan::MAX, stop: &stop, gauge: &gauge };
    assert_eq!(run(&mut world, &mut ctx, limits), Ended::Horizon);
    assert_eq!(ctx.beats_total(), seconds * world.nodes.len() as u64);
    assert_eq!(world.watcher.updates, ctx.beats_total());
    ctx.items()
}

#[expect(clippy::print_stdout, clippy::cast_precision_loss, reason = "a bench prints rates")]
fn main() {
    for (nodes, seconds) in [(10_000, 1000), (100, 100_000)] {
        let mut items = 0;
        let took = timing::median_seconds(|| items = play(nodes, seconds));
        println!(
            "engine, {nodes} nodes: {:.1} million items per second ({items} items in {took:.3} s)",
            items as f64 / took / 1e6
        );
    }
}
