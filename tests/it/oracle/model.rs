//! A cluster that is stepped through second by second: facts, beats by node number, one pass, polls. Everything is
//! looked at anew in each second, and nothing is remembered that could be looked up.

use crate::support::world::{Boot, Task, World};

/// The sums that are compared.
pub(super) const COLUMNS: [&str; 13] = [
    "jobs_completed",
    "jobs_failed",
    "jobs_requeued",
    "containers_killed",
    "drains",
    "drains_ready",
    "drains_timed_out",
    "wanted_node_stops",
    "nodes_booted",
    "nodes_stopped",
    "nodes_peak",
    "drain_p95_s",
    "beats_total",
];

/// All of the model's spans are multiples of this.
const TICK_MS: u64 = 1000;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fate {
    Completed,
    Failed,
    Rejected,
    Unfinished,
}

/// What the resource manager holds a node for; `Booting` is an instance that has not registered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum State {
    Booting,
    Running,
    Draining,
    Out,
}

#[derive(Clone, Debug)]
pub(super) struct Node {
    pub(super) state: State,
    pub(super) granted: u64,
    up: Option<u64>,
    /// When it comes up, if it does.
    boots_at: Option<u64>,
    pub(super) idle_since: u64,
    drain_ordered: Option<u64>,
    /// The watcher counts from the first beat that it hears while the node drains.
    watched_since: Option<u64>,
    out_at: Option<u64>,
    pub(super) stopping: bool,
    gone_at: Option<u64>,
    pub(super) gone: bool,
    agent: bool,
    last_beat: u64,
    next_beat: u64,
    news: bool,
    beats: u64,
    /// Milliseconds of boot, drain, busy, idle, down; and with a container.
    spent: [u64; 5],
    loaded: u64,
}

#[derive(Clone, Debug)]
pub(super) struct Job {
    pub(super) task: Task,
    fate: Fate,
    pub(super) started: u64,
    ended: u64,
    /// (node, cores) of the attempt that runs.
    pub(super) shares: Vec<(usize, u32)>,
    pub(super) saved: u64,
    waited: [u64; 4],
    lost: u64,
    lost_core_ms: u64,
    requeues: u32,
}

/// The naive cluster.
pub(super) struct Model<'a> {
    pub(super) world: &'a World,
    pub(super) now: u64,
    pub(super) cores: u32,
    pub(super) boot: u64,
    pub(super) nodes: Vec<Node>,
    pub(super) jobs: Vec<Job>,
    pub(super) queue: Vec<usize>,
    /// Killed in this instant since the last pass.
    pub(super) requeued: Vec<usize>,
    pub(super) pass_wanted: bool,
    pub(super) pass_done: bool,
    pub(super) polled: bool,
    pub(super) shrink: super::policy::Shrink,
    killed: u64,
    drain_spans: Vec<(u64, bool)>,
    pub(super) drains: u64,
    /// Drains that the head may still come to want: until when.
    pub(super) regrets: Vec<u64>,
    wanted: u64,
    peak: usize,
}

impl<'a> Model<'a> {
    pub(super) fn new(world: &'a World) -> Self {
        let Boot::Fixed(boot) = world.kinds[0].boot else { panic!("the model's boots take a fixed time") };
        let most = u64::from(world.max_nodes) * u64::from(world.kinds[0].cores);
        let jobs = world.tasks.iter().map(|&task| Job {
            task,
            fate: if u64::from(task.cores) > most { Fate::Rejected } else { Fate::Unfinished },
            started: 0,
            ended: 0,
            shares: Vec::new(),
            saved: 0,
            waited: [0; 4],
            lost: 0,
            lost_core_ms: 0,
            requeues: 0,
        });
        Self {
            world,
            now: 0,
            cores: world.kinds[0].cores,
            boot,
            nodes: Vec::new(),
            jobs: jobs.collect(),
            queue: Vec::new(),
            requeued: Vec::new(),
            pass_wanted: false,
            pass_done: false,
            polled: false,
            shrink: super::policy::Shrink::default(),
            killed: 0,
            drain_spans: Vec::new(),
            drains: 0,
            regrets: Vec::new(),
            wanted: 0,
            peak: 0,
        }
    }

    /// Plays all, and tells it in lines.
    pub(super) fn run(mut self) -> Vec<String> {
        for _ in 0..self.world.min_nodes {
            self.grant(0);
        }
        self.register();
        self.remember();
        loop {
            self.facts();
            self.beats_and_pass();
            if !self.is_over() && self.now.is_multiple_of(self.world.watcher_poll_ms) {
                self.watch();
                self.beats_and_pass();
            }
            if !self.is_over() && self.world.policy != "none" && self.now.is_multiple_of(self.world.poll_ms) {
                self.polled = true;
                self.poll();
                self.settle_facts();
            }
            if self.is_over() {
                return self.tell();
            }
            self.settle();
            self.now += TICK_MS;
            (self.pass_wanted, self.pass_done, self.polled) = (false, false, false);
        }
    }

    /// Whether the run has ended, maybe in the middle of an instant: nothing more is played then.
    fn is_over(&self) -> bool {
        match self.world.horizon_ms {
            Some(horizon) => horizon == self.now,
            None => self.jobs.iter().all(|job| job.fate != Fate::Unfinished),
        }
    }

    /// Facts of this instant, and what follows from them in the lower classes.
    fn settle_facts(&mut self) {
        self.register();
        self.stops_end();
        self.beats_and_pass();
    }

    pub(super) fn grant(&mut self, boot: u64) {
        self.nodes.push(Node {
            state: State::Booting,
            granted: self.now,
            up: None,
            boots_at: Some(self.now + boot),
            idle_since: 0,
            drain_ordered: None,
            watched_since: None,
            out_at: None,
            stopping: false,
            gone_at: None,
            gone: false,
            agent: false,
            last_beat: 0,
            next_beat: 0,
            news: false,
            beats: 0,
            spent: [0; 5],
            loaded: 0,
        });
        self.peak = self.peak.max(self.instances());
        self.pass_wanted = true;
    }

    pub(super) fn instances(&self) -> usize {
        self.nodes.iter().filter(|node| !node.gone).count()
    }

    fn register(&mut self) {
        for node in &mut self.nodes {
            if node.boots_at == Some(self.now) {
                (node.boots_at, node.up, node.state) = (None, Some(self.now), State::Running);
                (node.agent, node.next_beat, node.idle_since) = (true, self.now, self.now);
                // A node that registers after the instant's pass causes one more.
                (self.pass_wanted, self.pass_done) = (true, false);
            }
        }
    }

    fn stops_end(&mut self) {
        for node in &mut self.nodes {
            if node.gone_at == Some(self.now) && !node.gone {
                node.gone = true;
                self.pass_wanted = true;
            }
        }
    }

    fn facts(&mut self) {
        for index in 0..self.jobs.len() {
            let job = &self.jobs[index];
            let left = job.task.run_ms - job.saved;
            if !job.shares.is_empty() && job.started + left == self.now {
                (self.jobs[index].fate, self.jobs[index].ended) = (Fate::Completed, self.now);
                self.take_off(index);
            } else if job.task.submit_ms == self.now && job.fate == Fate::Unfinished {
                self.queue.push(index);
                self.pass_wanted = true;
            }
        }
        self.register();
        self.stops_end();
    }

    /// Takes an attempt off its nodes; its end is news on each of them.
    fn take_off(&mut self, job: usize) {
        for (node, _) in std::mem::take(&mut self.jobs[job].shares) {
            self.nodes[node].news = true;
            if self.busy(node) == 0 {
                self.nodes[node].idle_since = self.now;
            }
        }
        self.pass_wanted = true;
    }

    /// Cores of the containers on a node.
    pub(super) fn busy(&self, node: usize) -> u32 {
        let shares = self.jobs.iter().flat_map(|job| &job.shares);
        shares.filter(|(on, _)| *on == node).map(|(_, cores)| cores).sum()
    }

    /// Plays beats, lowest number first, and the pass, until neither is due.
    fn beats_and_pass(&mut self) {
        while !self.is_over() {
            let due = |node: &Node| node.agent && (node.news || node.next_beat == self.now);
            if let Some(node) = self.nodes.iter().position(due) {
                self.beat(node);
            } else if self.pass_wanted && !self.pass_done {
                self.pass_done = true;
                self.pass();
            } else {
                return;
            }
        }
    }

    fn beat(&mut self, index: usize) {
        let busy = self.busy(index) > 0;
        let node = &mut self.nodes[index];
        node.news = false;
        node.beats += 1;
        (node.last_beat, node.next_beat) = (self.now, self.now + self.world.interval_ms);
        match node.state {
            State::Draining => {
                let since = *node.watched_since.get_or_insert(self.now);
                let late = self.world.drain_timeout_ms.is_some_and(|timeout| self.now - since >= timeout);
                if !busy || late {
                    node.agent = false;
                    self.leave_service(index, busy);
                }
            }
            State::Out => node.agent = false,
            State::Booting | State::Running => {}
        }
    }

    /// A node leaves service, and what runs on it is killed everywhere.
    fn leave_service(&mut self, index: usize, timed_out: bool) {
        let node = &mut self.nodes[index];
        if node.state == State::Draining {
            let ordered = node.drain_ordered.expect("it drains on order");
            self.drain_spans.push((self.now - ordered, timed_out));
        }
        (node.state, node.out_at) = (State::Out, Some(self.now));
        self.pass_wanted = true;
        for job in 0..self.jobs.len() {
            if self.jobs[job].shares.iter().any(|(on, _)| *on == index) {
                self.kill(job);
            }
        }
    }

    fn kill(&mut self, index: usize) {
        self.killed += self.jobs[index].shares.len() as u64;
        self.take_off(index);
        let job = &mut self.jobs[index];
        let ran = self.now - job.started;
        let saved = self.world.checkpoint_every_ms.map_or(0, |every| ran / every * every);
        job.saved += saved;
        job.lost += ran;
        job.lost_core_ms += (ran - saved) * u64::from(job.task.cores);
        if self.world.max_requeues.is_some_and(|most| job.requeues >= most) {
            (job.fate, job.ended) = (Fate::Failed, self.now);
        } else {
            job.requeues += 1;
            self.requeued.push(index);
        }
    }

    /// The watcher's poll: silent nodes whose time is up.
    fn watch(&mut self) {
        for index in 0..self.nodes.len() {
            let node = &self.nodes[index];
            let (Some(since), Some(timeout)) = (node.watched_since, self.world.drain_timeout_ms) else {
                continue;
            };
            let silent = self.now - node.last_beat >= 5000;
            if node.state == State::Draining && silent && since + timeout < self.now {
                self.leave_service(index, true);
            }
        }
    }

    pub(super) fn order_drain(&mut self, index: usize) {
        let node = &mut self.nodes[index];
        if node.state == State::Running && !node.stopping {
            (node.state, node.drain_ordered) = (State::Draining, Some(self.now));
            self.drains += 1;
            self.regrets.push(self.now + self.boot);
            self.pass_wanted = true;
        }
    }

    pub(super) fn order_stop(&mut self, index: usize) {
        let node = &mut self.nodes[index];
        if node.stopping {
            return;
        }
        node.stopping = true;
        node.boots_at = None;
        node.gone_at = Some(self.now + self.world.kinds[0].stop_ms);
        node.agent = false;
        self.pass_wanted = true;
        if matches!(node.state, State::Running | State::Draining) {
            self.leave_service(index, false);
        }
    }

    /// The instant is over: what is judged on settled instants, and the second that follows it.
    fn settle(&mut self) {
        self.requeue();
        let free = |state: State| -> u64 {
            let nodes = (0..self.nodes.len()).filter(|&node| self.nodes[node].state == state);
            nodes.map(|node| u64::from(self.cores - self.busy(node))).sum()
        };
        let (running, draining) = (free(State::Running), free(State::Draining));
        let head = self.queue.first().map(|&job| u64::from(self.jobs[job].task.cores));
        self.regrets.retain(|&until| until >= self.now);
        let lacking = head.map_or(0, |head| head.saturating_sub(running));
        if (1..=u64::from(self.cores)).contains(&lacking) {
            self.wanted += self.regrets.len() as u64;
            self.regrets.clear();
        }
        let booting = self.nodes.iter().any(|node| node.state == State::Booting && !node.stopping);
        let cause = match head {
            Some(_) if booting => 0,
            Some(head) if head <= running + draining => 1,
            Some(_) if self.instances() < self.world.max_nodes as usize => 2,
            _ => 3,
        };
        for &job in &self.queue {
            self.jobs[job].waited[cause] += TICK_MS;
        }
        for index in 0..self.nodes.len() {
            let busy = self.busy(index) > 0;
            let node = &mut self.nodes[index];
            if !node.gone {
                let phase = match node.state {
                    State::Booting => 0,
                    State::Draining => 1,
                    State::Running if busy => 2,
                    State::Running => 3,
                    State::Out => 4,
                };
                node.spent[phase] += TICK_MS;
                node.loaded += if busy { TICK_MS } else { 0 };
            }
        }
        self.remember();
    }

    fn tell(&self) -> Vec<String> {
        let seconds = |ms: u64| format!("{}.{:03}", ms / 1000, ms % 1000);
        let jobs = self.jobs.iter().zip(1..).map(|(job, number)| {
            let fate = match job.fate {
                Fate::Completed => {
                    format!("{:?} {}..{}", job.fate, seconds(job.started), seconds(job.ended))
                }
                Fate::Failed => format!("{:?} at {}", job.fate, seconds(job.ended)),
                Fate::Rejected | Fate::Unfinished => format!("{:?}", job.fate),
            };
            let waited = match job.fate {
                Fate::Completed => format!("{:?}", job.waited),
                _ => String::new(),
            };
            format!(
                "job {number} {fate} waited {waited} lost {} requeued {} lost core-ms {}",
                job.lost, job.requeues, job.lost_core_ms
            )
        });
        let nodes = self.nodes.iter().zip(1..).map(|(node, number)| {
            let price = |ms: u64| ms * self.world.kinds[0].price_millis * 1000 / 3_600_000;
            let life: u64 = node.spent.iter().sum();
            let quantum = self.world.quantum_ms;
            let billed = (life.div_ceil(quantum) * quantum).max(self.world.minimum_ms);
            let before_the_end = |time: Option<u64>| time.filter(|&time| time < self.now);
            let gone = before_the_end(node.gone_at.filter(|_| node.gone));
            format!(
                "node {number} {:?} paid {} as {:?} floor {}",
                [Some(node.granted), before_the_end(node.up), node.drain_ordered, node.out_at, gone],
                price(billed),
                node.spent.map(price),
                price(node.loaded),
            )
        });
        let mut lines: Vec<String> = jobs.chain(nodes).collect();
        lines.extend(COLUMNS.iter().zip(self.sums()).map(|(column, sum)| format!("{column} {sum}")));
        lines
    }

    fn sums(&self) -> [u64; 13] {
        let fates = |fate| self.jobs.iter().filter(|job| job.fate == fate).count() as u64;
        let mut spans: Vec<u64> = self.drain_spans.iter().map(|(span, _)| *span).collect();
        spans.sort_unstable();
        let p95 = (spans.len() * 95).div_ceil(100);
        let timed_out = self.drain_spans.iter().filter(|(_, timed_out)| *timed_out).count();
        let stopped = self.nodes.iter().filter(|node| node.gone && node.gone_at < Some(self.now)).count();
        [
            fates(Fate::Completed),
            fates(Fate::Failed),
            self.jobs.iter().map(|job| u64::from(job.requeues)).sum(),
            self.killed,
            self.drains,
            (self.drain_spans.len() - timed_out) as u64,
            timed_out as u64,
            self.wanted,
            (self.nodes.len() - self.world.min_nodes as usize) as u64,
            stopped as u64,
            self.peak as u64,
            if p95 == 0 { 0 } else { spans[p95 - 1] / 1000 },
            self.nodes.iter().map(|node| node.beats).sum(),
        ]
    }
}
