//! The administrator, and what befalls the cluster: the scenario's scripted actions, and the clients that track a
//! graceful decommission (yarn.md 6.2).

use std::sync::Arc;

use actix::{Actor, Handler, Message};

use crate::actors::cloud::{AgentExits, Reclaim, StartAgent};
use crate::actors::node::{Crash, FallSilent, PowerOff, Sicken};
use crate::actors::nodes_list::{Force, ReadAtStart, Refresh};
use crate::actors::resource_tracker::{AskDraining, ComeBack, GoAway, UpdateResource};
use crate::actors::{Ctx, polls, to};
use crate::engine::mailbox;
use crate::ledger::Fact;
use crate::rules::agent::CLIENT_POLL;
use crate::rules::behaviour::Behaviour;
use crate::rules::machine::{HostNames, Total};
use crate::rules::reading::Configured;
use crate::rules::script::{Action, RefreshMode, RequestTimeout, Scripted, Tracking};
use crate::time::{SimSpan, SimTime};

/// The moment of an action has come.
#[derive(Clone, Copy, Debug, Message)]
#[rtype(result = "()")]
pub struct Act {
    /// Its place in the script.
    pub index: usize,
}

/// The resource manager's absence is over.
#[derive(Clone, Copy, Debug, Message)]
#[rtype(result = "()")]
pub struct Restarted {
    /// Which absence, counted from 1.
    pub outage: u32,
}

/// Whether anything drains: the answer to a client.
#[derive(Clone, Copy, Debug, Message)]
#[rtype(result = "()")]
pub struct Draining {
    /// Which client.
    pub client: u32,
    /// Whether any node of the cluster does.
    pub any: bool,
}

/// The moment for clients to ask has come.
#[derive(Clone, Copy, Debug, Message)]
#[rtype(result = "()")]
pub struct Poll;

mailbox! {
    /// What the administrator hears.
    Mail for Admin, in Ctx { Act, Restarted, Draining, Poll }
}

/// A client that tracks a graceful decommission.
#[derive(Clone, Copy, Debug)]
struct Client {
    number: u32,
    /// When it asks next.
    asks_at: SimTime,
    /// How often it has asked in vain.
    waited: u64,
    /// After how many times it forces; `None`: never.
    forces_after: Option<u64>,
}

/// The administrator.
#[derive(Debug)]
pub struct Admin {
    hosts: HostNames,
    actions: Arc<[Scripted]>,
    behaviour: Behaviour,
    clients: Vec<Client>,
    clients_so_far: u32,
    outages_so_far: u32,
}

impl Admin {
    /// An administrator who will do these things.
    pub fn new(hosts: HostNames, actions: Arc<[Scripted]>, behaviour: Behaviour) -> Self {
        Self { hosts, actions, behaviour, clients: Vec::new(), clients_so_far: 0, outages_so_far: 0 }
    }

    fn act(&mut self, action: &Action, ctx: &mut Ctx) {
        ctx.record(&Fact::Administration { event: action.name() });
        match action {
            Action::RefreshNodes { include, exclude, mode } => {
                let files = Configured { include: include.clone(), exclude: exclude.clone() };
                ctx.tell(to::NodesList, Refresh { files, mode: *mode });
                self.track(*mode, ctx);
            }
            Action::Forceful => ctx.tell(to::NodesList, Force),
            Action::ResourceUpdate { node, cores, memory_bytes, overcommit_timeout } => {
                if let Some(node) = self.hosts.find(node) {
                    let (cores, memory_bytes) = (*cores, *memory_bytes);
                    let (total, overcommit_timeout) = (Total { cores, memory_bytes }, *overcommit_timeout);
                    ctx.tell(to::ResourceTracker, UpdateResource { node, total, overcommit_timeout });
                }
            }
            Action::NodeCrash { node } => self.tell_node(node, ctx, Crash),
            Action::NodeStart { node } => {
                if let Some(node) = self.hosts.find(node) {
                    ctx.tell(to::Cloud, StartAgent { node });
                }
            }
            Action::NodeStop { node } => {
                if let Some(node) = self.hosts.find(node) {
                    ctx.tell(node, PowerOff);
                    ctx.tell(to::Cloud, AgentExits { node });
                }
            }
            Action::NodeSilence { node, span } => self.tell_node(node, ctx, FallSilent { span: *span }),
            Action::NodeUnhealthy { node, span } => self.tell_node(node, ctx, Sicken { span: *span }),
            Action::RmRestart { away } => self.take_away(false, *away, ctx),
            Action::RmFailover => self.take_away(true, SimSpan::ZERO, ctx),
            Action::Reclaim { node, notice } => {
                if let Some(node) = self.hosts.find(node) {
                    ctx.tell(to::Cloud, Reclaim { node, notice: *notice });
                }
            }
        }
    }

    fn tell_node<M: Into<crate::actors::node::Mail>>(&self, name: &str, ctx: &mut Ctx, message: M) {
        if let Some(node) = self.hosts.find(name) {
            ctx.tell(node, message);
        }
    }

    /// The resource manager goes away. One that is away already comes back when this absence is over, not the one
    /// before.
    fn take_away(&mut self, failover: bool, away: SimSpan, ctx: &mut Ctx) {
        self.outages_so_far += 1;
        ctx.tell(to::ResourceTracker, GoAway { failover, away });
        ctx.tell_after(away, to::Admin, Restarted { outage: self.outages_so_far });
    }

    /// A client stays and watches, if the request says so.
    fn track(&mut self, mode: RefreshMode, ctx: &mut Ctx) {
        let RefreshMode::Graceful { timeout, tracking: Tracking::Client } = mode else { return };
        // The command line sends -1 where no number is given, and such a client never forces.
        let forces_after = match timeout {
            RequestTimeout::Unset | RequestTimeout::Never => None,
            RequestTimeout::After(span) => {
                let patience = span + self.behaviour.client_grace();
                Some(patience.as_ms().div_ceil(CLIENT_POLL.as_ms()))
            }
        };
        let asks_at = ctx.now() + CLIENT_POLL;
        self.clients.push(Client { number: self.clients_so_far, asks_at, waited: 0, forces_after });
        self.clients_so_far += 1;
        ctx.wake_poll(polls::CLIENT, asks_at);
    }
}

impl Actor for Admin {
    type Context = Ctx;

    fn started(&mut self, ctx: &mut Ctx) {
        ctx.define_poll_on_demand(polls::CLIENT);
        for (index, scripted) in self.actions.iter().enumerate() {
            ctx.tell_after(scripted.at.since(SimTime::ZERO), to::Admin, Act { index });
        }
    }
}

impl Handler<Act> for Admin {
    type Result = ();

    fn handle(&mut self, message: Act, ctx: &mut Ctx) {
        let actions = Arc::clone(&self.actions);
        self.act(&actions[message.index].action, ctx);
    }
}

impl Handler<Restarted> for Admin {
    type Result = ();

    fn handle(&mut self, message: Restarted, ctx: &mut Ctx) {
        if message.outage == self.outages_so_far {
            ctx.tell(to::ResourceTracker, ComeBack);
            ctx.tell(to::NodesList, ReadAtStart);
        }
    }
}

impl Handler<Poll> for Admin {
    type Result = ();

    fn handle(&mut self, _: Poll, ctx: &mut Ctx) {
        let now = ctx.now();
        for client in self.clients.iter().filter(|client| client.asks_at == now) {
            ctx.tell(to::ResourceTracker, AskDraining { client: client.number });
        }
    }
}

impl Handler<Draining> for Admin {
    type Result = ();

    fn handle(&mut self, answer: Draining, ctx: &mut Ctx) {
        let Some(place) = self.clients.iter().position(|client| client.number == answer.client) else {
            return;
        };
        if !answer.any {
            self.clients.swap_remove(place);
            ctx.record(&Fact::Administration { event: "CLIENT_DONE" });
            return;
        }
        let client = &mut self.clients[place];
        client.waited += 1;
        client.asks_at += CLIENT_POLL;
        let asks_at = client.asks_at;
        if client.forces_after.is_some_and(|most| client.waited >= most) {
            self.clients.swap_remove(place);
            ctx.record(&Fact::Administration { event: "CLIENT_FORCES" });
            ctx.tell(to::NodesList, Force);
        } else {
            ctx.wake_poll(polls::CLIENT, asks_at);
        }
    }
}
