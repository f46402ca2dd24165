//! One small story, told by hand, and all files that come of it.

use std::cell::RefCell;
use std::io::{self, Write};
use std::rc::Rc;
use std::sync::Arc;

use crate::ledger::fact::{DrainReason, GrantReason, InstanceStage, KillFate, RemovalCause, StopReason};
use crate::ledger::{Fact, Metric, Recorder, Rejection, Setup, Value};
use crate::report::{Story, SummaryRows, run};
use crate::rules::billing::Billing;
use crate::rules::container::Application;
use crate::rules::drain::{DrainStatus, StatusLine};
use crate::rules::machine::{BootTime, HostName, HostNames, NodeId, NodeType, TypeId};
use crate::rules::rmnode::RmNodeState;
use crate::rules::scheduling::{Gang, JobIndex, Retries, Share, StartReason};
use crate::time::{SimSpan, SimTime};
use crate::workload::{AppFault, Job, SkipReason, Skipped, SkippedApp, Workload};

/// What was written, kept where a test can read it when the writer is gone.
#[derive(Clone, Default)]
struct Shared(Rc<RefCell<Vec<u8>>>);

impl Shared {
    fn text(&self) -> String {
        String::from_utf8(self.0.borrow().clone()).unwrap()
    }
}

impl Write for Shared {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.borrow_mut().write(bytes)
    }
    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// A disk that is full after so many bytes.
struct FullAfter(usize);

impl Write for FullAfter {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match bytes.len().min(self.0) {
            0 => Err(io::ErrorKind::StorageFull.into()),
            room => {
                self.0 -= room;
                Ok(room)
            }
        }
    }
    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// One node of 4 cores at 3.6 an hour (1,000 millionths a second) at most; jobs 7 and 9, job 12 too large.
fn setup() -> Setup {
    let job = |id, submit_s, run_s, cores| Job {
        id,
        submit: SimTime::from_secs(submit_s),
        run: SimSpan::from_secs(run_s),
        requested: SimSpan::from_secs(run_s),
        cores,
        memory_per_core_kib: 0,
    };
    let skipped = |id, submit_ms, reason| Skipped { id, submit_ms, reason };
    let workload = Workload {
        jobs: vec![job(7, 0, 100, 4), job(9, 20, 60, 2), job(12, 30, 60, 64)],
        skipped: vec![
            skipped(6, -1_500, SkipReason::NoRunTime),
            skipped(8, 10_000, SkipReason::NoProcessors),
        ],
        unix_start_s: None,
        digest: String::new(),
    };
    let node_type = NodeType {
        name: "=n,1".to_owned(),
        cores: 4,
        memory_bytes: None,
        price_per_hour_micros: 3_600_000,
        boot: BootTime::Fixed(SimSpan::from_ms(10_500)),
        boot_failure_ratio: 0.0,
        stop: SimSpan::ZERO,
    };
    Setup {
        workload: Arc::new(workload),
        node_types: Arc::new([node_type]),
        hosts: HostNames::default(),
        apps: Arc::new([]),
        billing: Billing { quantum: SimSpan::MILLISECOND, minimum: SimSpan::ZERO },
        retries: Retries { max_requeues: None, checkpoint_every: None },
        max_nodes: 1,
        check_every_fact: false,
    }
}

/// Job 7 waits for the node to boot (10.5 s) and runs; job 9 waits for it, is killed by the drain's timeout after 10 s
/// on 2 cores, and waits when the run ends at 130 s.
fn played<W: Write + 'static>(story: Story<W>) -> (Recorder, Option<Story<W>>) {
    let mut ledger = Recorder::new(setup(), Some(Box::new(story)));
    ledger.reject(JobIndex(2), Rejection::TooLarge);
    let node = NodeId(0);
    let gang = |job, cores| Rc::new(Gang { job: JobIndex(job), shares: vec![Share { node, cores }] });
    let (first, second) = (gang(0, 4), gang(1, 2));
    let rm = |event, from, to, cause| Fact::RmNode { node, event, from, to, cause };
    let start = |gang: &Rc<Gang>| Fact::JobStarted { gang: Rc::clone(gang), reason: StartReason::Head };
    let killed = Fact::JobKilled {
        gang: Rc::clone(&second),
        by: node,
        cause: RemovalCause::Timeout,
        fate: KillFate::Requeued,
    };
    use DrainStatus::{None as Unwatched, Timeout, WaitContainer};
    use RmNodeState::{Decommissioned, Decommissioning, New, Running};
    let (status, remaining_s) = (WaitContainer, Some(0));
    let line = StatusLine { draining_s: 4, fresh_s: 0, active_containers: 1, status, remaining_s };
    let facts = [
        (0, Fact::JobArrived { job: JobIndex(0) }),
        (0, Fact::QueueHead { cores: Some(4) }),
        (0, Fact::Granted { node, kind: TypeId(0), reason: GrantReason::Shortfall }),
        (10_500, rm("STARTED", New, Running, None)),
        (10_500, start(&first)),
        (10_500, Fact::QueueHead { cores: None }),
        (20_000, Fact::JobArrived { job: JobIndex(1) }),
        (20_000, Fact::QueueHead { cores: Some(2) }),
        (110_500, Fact::JobCompleted { gang: Rc::clone(&first) }),
        (110_500, start(&second)),
        (110_500, Fact::QueueHead { cores: None }),
        (115_000, Fact::DrainOrdered { node, reason: DrainReason::Surplus { nodes: 1 }, busy_cores: 2 }),
        (115_000, Fact::DrainTimeout { node, timeout: Some(SimSpan::from_ms(4500)) }),
        (115_000, rm("GRACEFUL_DECOMMISSION", Running, Decommissioning, None)),
        (116_000, Fact::DrainStatus { node, from: Unwatched, to: WaitContainer }),
        (120_000, Fact::DrainPolled { node, line, applications: vec![Application::Job(JobIndex(1))] }),
        (120_500, Fact::DrainStatus { node, from: WaitContainer, to: Timeout }),
        (120_500, killed),
        (120_500, rm("DECOMMISSION", Decommissioning, Decommissioned, Some(RemovalCause::Timeout))),
        (121_000, Fact::StopOrdered { node, from: InstanceStage::Up, reason: StopReason::Down }),
        (125_000, Fact::Gone { node, from: InstanceStage::Stopping }),
    ];
    let mut last = SimTime::ZERO;
    for (ms, fact) in &facts {
        let now = SimTime::from_ms(*ms);
        if now > last {
            assert!(ledger.settle(last));
        }
        ledger.record(now, fact);
        last = now;
    }
    ledger.settle(last);
    let sink = ledger.close(SimTime::from_secs(130));
    (ledger, Story::taken_back(sink))
}

#[test]
fn the_story_is_told_as_it_happens() {
    let (events, timeline) = (Shared::default(), Shared::default());
    let (_, story) = played(Story::begin(events.clone(), timeline.clone()).unwrap());
    story.unwrap().finish().unwrap();
    let expected = "\
time_s,actor,subject,event,from,to,detail
0.000,submitter,job-7,SUBMIT,,QUEUED,cores=4
0.000,cloud,node-1 instance,GRANT,,BOOTING,\"type==n,1 reason=shortfall\"
10.500,resource_tracker,node-1,STARTED,NEW,RUNNING,
10.500,scheduler,job-7,START,QUEUED,RUNNING,reason=head cores=4 nodes=1:4
20.000,submitter,job-9,SUBMIT,,QUEUED,cores=2
110.500,scheduler,job-7,END,RUNNING,COMPLETED,
110.500,scheduler,job-9,START,QUEUED,RUNNING,reason=head cores=2 nodes=1:2
115.000,policy,node-1 drain,START_DRAIN,,NONE,reason=surplus nodes=1 busy_cores=2
115.000,resource_tracker,node-1,GRACEFUL_DECOMMISSION,RUNNING,DECOMMISSIONING,
116.000,watcher,node-1 drain,STATUS,NONE,WAIT_CONTAINER,
120.500,watcher,node-1 drain,STATUS,WAIT_CONTAINER,TIMEOUT,
120.500,scheduler,job-9,KILL,RUNNING,QUEUED,by=node-1 cause=timeout nodes=1
120.500,resource_tracker,node-1,DECOMMISSION,DECOMMISSIONING,DECOMMISSIONED,cause=timeout
121.000,policy,node-1 instance,START_SHUTDOWN,UP,STOPPING,reason=down
125.000,cloud,node-1 instance,GONE,STOPPING,GONE,
";
    assert_eq!(events.text(), expected);
    // Columns: booting, running, decommissioning, down; cores in service, allocated, queued; jobs queued, running.
    let expected = "\
time_s,nodes_booting,nodes_running,nodes_decommissioning,nodes_down,cores_in_service,cores_allocated,\
cores_queued,jobs_queued,jobs_running,cost_per_hour
0.000,1,0,0,0,0,0,4,1,0,3.6
10.500,0,1,0,0,4,4,0,0,1,3.6
20.000,0,1,0,0,4,4,2,1,1,3.6
110.500,0,1,0,0,4,2,0,0,1,3.6
115.000,0,0,1,0,4,2,0,0,1,3.6
120.500,0,0,0,1,0,0,2,1,0,3.6
125.000,0,0,0,0,0,0,2,1,0,0.0
";
    assert_eq!(timeline.text(), expected);
}

#[test]
fn the_status_log_has_a_block_for_each_draining_node_at_each_poll() {
    let log = Shared::default();
    let story = Story::begin(Shared::default(), Shared::default()).unwrap();
    let (_, story) = played(story.with_status_log(log.clone()));
    story.unwrap().finish().unwrap();
    // yarn.md 3.5: the host in 34 columns, the status in 14. Job 9 was submitted at 20 s, and a job has no tasks.
    let expected = [
        "120.000 node-1                                4s fresh:  0s containers: 1 WAIT_CONTAINER timeout:   0s\n",
        "  job-9 RUNNING batch        100s\n",
    ];
    assert_eq!(log.text(), expected.concat());
}

#[test]
fn every_job_and_every_skipped_line_has_its_row() {
    let (ledger, _) = played(Story::begin(io::sink(), io::sink()).unwrap());
    let mut out = Vec::new();
    let faulty = SkippedApp {
        name: "=a".to_owned(),
        line: 1,
        column: 1,
        reason: AppFault::NoTasks { key: String::new() },
    };
    run::jobs(&mut out, &ledger, &[faulty]).unwrap();
    let expected = "\
job,kind,submit_s,start_s,end_s,wait_s,wait_boot_s,wait_drain_s,wait_poll_s,wait_queue_s,wait_lost_s,\
run_s,cores,nodes,requeues,lost_core_s,outcome
7,batch,0.000,10.500,110.500,10.500,10.500,0.000,0.000,0.000,0.000,100.000,4,1,0,0.000,completed
9,batch,20.000,,,,,,,,,,2,,1,20.000,unfinished
12,batch,30.000,,,,,,,,,,64,,0,0.000,rejected_too_large
6,batch,-1.500,,,,,,,,,,,,,,skipped_no_run_time
8,batch,10.000,,,,,,,,,,,,,,skipped_no_processors
'=a,app,,,,,,,,,,,,,,,skipped_no_tasks
";
    assert_eq!(String::from_utf8(out).unwrap(), expected);
}

#[test]
fn every_instance_has_its_row_with_its_bill() {
    let (ledger, _) = played(Story::begin(io::sink(), io::sink()).unwrap());
    let mut out = Vec::new();
    run::nodes(&mut out, &ledger).unwrap();
    // At 1,000 millionths a second: boot 10.5 s, busy to 115 s, drain to 120.5 s, down to 125 s. Job 9 loses 10 s of 2
    // cores.
    let expected = "\
node,type,requested_s,up_s,drain_start_s,drain_timeout_s,drain_status,decommissioned_s,gone_s,cause,\
containers_killed,masters_killed,lost_core_s,output_lost_core_s,idle_held_s,cost_total,cost_busy,\
cost_idle,cost_boot,cost_drain,cost_down,cost_rounding
node-1,\"'=n,1\",0.000,10.500,115.000,4.500,TIMEOUT,120.500,125.000,timeout,1,0,20.000,0.000,0.000,\
0.125,0.1045,0.0,0.0105,0.0055,0.0045,0.0
";
    assert_eq!(String::from_utf8(out).unwrap(), expected);
}

#[test]
fn a_summary_has_the_varied_settings_before_the_metrics() {
    let metrics = |jobs, mean| {
        [
            Metric { name: "jobs_loaded", value: Value::Count(jobs) },
            Metric { name: "wait_mean_s", value: mean },
        ]
    };
    let mut out = Vec::new();
    let mut rows =
        SummaryRows::begin(&mut out, ["policy.idle_grace"], ["jobs_loaded", "wait_mean_s"]).unwrap();
    rows.add("@night", 1, ["5m"], &metrics(3, Value::Micros(1_250_000))).unwrap();
    rows.add("a \"b\"", 2, ["never"], &metrics(0, Value::Unknown)).unwrap();
    rows.finish().unwrap();
    let expected = "\
scenario,seed,policy.idle_grace,jobs_loaded,wait_mean_s
'@night,1,5m,3,1.25
\"a \"\"b\"\"\",2,never,0,
";
    assert_eq!(String::from_utf8(out).unwrap(), expected);

    let mut out = Vec::new();
    run::summary(&mut out, "one", 7, &metrics(3, Value::Micros(0))).unwrap();
    assert_eq!(String::from_utf8(out).unwrap(), "scenario,seed,jobs_loaded,wait_mean_s\none,7,3,0.0\n");
}

#[test]
fn a_full_disk_is_told_once_at_the_end() {
    let disk = |room| FullAfter(room);
    let (_, story) = played(Story::begin(disk(100), disk(1 << 20)).unwrap());
    let error = story.unwrap().finish().expect_err("the events have no room");
    assert_eq!(error.file, "events.csv");
    assert_eq!(error.source.kind(), io::ErrorKind::StorageFull);
    let (_, story) = played(Story::begin(disk(1 << 20), disk(100)).unwrap());
    let error = story.unwrap().finish().expect_err("the timeline has no room").to_string();
    assert!(error.starts_with("timeline.csv: no storage space"), "{error}");
    let story = Story::begin(disk(1 << 20), disk(1 << 20)).unwrap().with_status_log(disk(100));
    let (_, story) = played(story);
    assert_eq!(story.unwrap().finish().expect_err("the log has no room").file, "decommissioning.log");
}

#[test]
fn the_first_error_ends_a_story_that_is_longer_than_the_buffer() {
    let mut story = Story::begin(FullAfter(1000), FullAfter(1000)).unwrap();
    let row = crate::ledger::EventRow {
        time: SimTime::ZERO,
        actor: "cloud",
        subject: crate::ledger::Subject::Instance(HostName::Numbered(1)),
        event: "UP",
        from: "",
        to: "",
        detail: "",
    };
    for _ in 0..100_000 {
        crate::ledger::Sink::event(&mut story, &row);
    }
    assert_eq!(story.finish().expect_err("no room").file, "events.csv");
}
