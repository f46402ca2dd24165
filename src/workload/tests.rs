//! Whole logs: the shipped ones against counts of another tool, small ones for each trap, and every refusal.

use std::io::Write;
use std::path::Path;

use flate2::Compression;
use flate2::write::GzEncoder;
use proptest::prelude::*;

use super::*;

/// A spec that loads all of `trace` as it is.
fn everything_of(trace: impl Into<PathBuf>) -> WorkloadSpec {
    WorkloadSpec::whole(trace)
}

fn shipped(name: &str) -> WorkloadSpec {
    everything_of(Path::new(env!("CARGO_MANIFEST_DIR")).join("scenarios/traces").join(name))
}

fn read_bytes(stored: &[u8], spec: &WorkloadSpec) -> Result<Workload, WorkloadError> {
    read(Log::open(stored, &spec.trace)?, spec)
}

fn read_text(text: &str) -> Workload {
    read_bytes(text.as_bytes(), &everything_of("log.swf")).expect(text)
}

fn refusal(stored: &[u8]) -> String {
    read_bytes(stored, &everything_of("log.swf")).expect_err("refused").to_string()
}

/// A line of SWF that asks for `cores` and `requested` seconds.
fn line(id: u64, submit: &str, run: &str, cores: &str, requested: &str) -> String {
    format!("{id} {submit} -1 {run} {cores} -1 -1 {cores} {requested} -1 1 1 1 1 1 1 -1 -1\n")
}

/// Jobs 1 to 5, submitted at 100, 110, 120, 130 and 140 s, for 10 s each.
fn five_jobs() -> String {
    (1..=5).map(|id| line(id, &(90 + 10 * id).to_string(), "10", "1", "20")).collect()
}

fn ids(workload: &Workload) -> Vec<u64> {
    workload.jobs.iter().map(|job| job.id).collect()
}

fn submits_ms(workload: &Workload) -> Vec<u64> {
    workload.jobs.iter().map(|job| job.submit.as_ms()).collect()
}

/// Sums over a workload: run, core and requested seconds, KiB for each core, submits; and the last submit in seconds.
fn sums(workload: &Workload) -> [u64; 6] {
    let sum = |of: fn(&Job) -> u64| workload.jobs.iter().map(of).sum::<u64>();
    let last = workload.jobs.last().expect("jobs").submit;
    [
        sum(|job| job.run.as_ms()) / 1000,
        sum(|job| job.run.as_ms() * u64::from(job.cores)) / 1000,
        sum(|job| job.requested.as_ms()) / 1000,
        sum(|job| u64::from(job.memory_per_core_kib)),
        sum(|job| job.submit.as_ms()) / 1000,
        last.as_ms() / 1000,
    ]
}

// The expected values of both logs are awk's, over the unpacked file: per line without `;`, cores = $8 > 0 ? $8 : $5,
// requested = $9 > 0 ? $9 : $4, memory = $10 > 0 ? $10 : $7 > 0 ? $7 : 0; kept if $4 > 0 and cores > 0; submits from
// the first one kept. The digests are those of five lines of Python over the stored bytes. That KTH keeps 28,481 of
// 28,489 jobs on 100 processors, and HPC2N all 202,871, is also what other simulators' replays of both logs count.

#[test]
fn kth_loads_with_the_sums_that_awk_finds() {
    let workload = load_jobs(&shipped("KTH-SP2-1996-2.1.swf.gz")).expect("KTH loads");
    assert_eq!(workload.jobs.len() + workload.skipped.len(), 28_489);
    assert_eq!(workload.jobs.iter().filter(|job| job.cores <= 100).count(), 28_481);
    assert_eq!(workload.skipped.len(), 8);
    assert!(workload.skipped.iter().all(|skipped| skipped.reason == SkipReason::NoRunTime));
    let expected = [252_883_787, 2_019_298_503, 389_572_200, 0, 432_801_540_937, 29_363_618];
    assert_eq!(sums(&workload), expected);
    assert_eq!(workload.jobs.last().map(|job| job.id), Some(28_490));
    assert_eq!(workload.unix_start_s, Some(843_480_031));
    assert_eq!(workload.digest, "c1eea9f6098f69c2");

    let trimmed = load_jobs(&WorkloadSpec { overrun: Overrun::Trim, ..shipped("KTH-SP2-1996-2.1.swf.gz") });
    assert_eq!(sums(&trimmed.expect("KTH loads"))[0], 252_339_555);
}

#[test]
fn hpc2n_loads_with_the_sums_that_awk_finds() {
    let workload = load_jobs(&shipped("HPC2N-2002-2.2-cln.swf.gz")).expect("HPC2N loads");
    assert_eq!((workload.jobs.len(), workload.skipped.len()), (202_871, 0));
    assert_eq!(workload.jobs.iter().filter(|job| job.memory_per_core_kib > 0).count(), 200_734);
    let expected =
        [3_453_726_379, 15_615_724_524, 9_108_769_535, 82_440_438_784, 11_580_168_826_843, 109_241_501];
    assert_eq!(sums(&workload), expected);
    assert_eq!(workload.unix_start_s, Some(1_027_839_845));
    assert_eq!(workload.digest, "b5363df10f1f2dbd");
}

#[test]
fn the_first_jobs_of_a_log_come_with_the_digest_of_all_of_it() {
    let spec = WorkloadSpec { jobs: Some(1000), ..shipped("HPC2N-2002-2.2-cln.swf.gz") };
    let workload = load_jobs(&spec).expect("HPC2N loads");
    assert_eq!(workload.jobs.len(), 1000);
    assert_eq!(workload.digest, "b5363df10f1f2dbd");
}

#[test]
fn a_window_counts_from_the_first_submit() {
    let month = Some(SimSpan::from_hours(30 * 24));
    let workload = load_jobs(&WorkloadSpec { until: month, ..shipped("HPC2N-2002-2.2-cln.swf.gz") });
    assert_eq!(workload.expect("HPC2N loads").jobs.len(), 1768);

    let window = WorkloadSpec {
        from: Some(SimSpan::from_secs(10)),
        until: Some(SimSpan::from_secs(30)),
        ..everything_of("log.swf")
    };
    // The first line counts even though it is skipped; a skipped line outside of the window is not listed.
    let text = line(9, "100", "0", "1", "20") + &five_jobs() + &line(8, "110", "5", "-1", "20");
    let workload = read_bytes(text.as_bytes(), &window).expect("loads");
    assert_eq!((ids(&workload), submits_ms(&workload)), (vec![2, 3], vec![0, 10_000]));
    let skipped = Skipped { id: 8, submit_ms: 0, reason: SkipReason::NoProcessors };
    assert_eq!(workload.skipped, [skipped]);
}

#[test]
fn jobs_without_run_time_or_processors_are_listed() {
    let text = [
        line(3, "90", "-1", "-1", "-1"),
        line(4, "100", "5", "1", "-1"),
        line(7, "101", "0", "1", "20"),
        line(9, "102.5", "5", "0", "20"),
        line(9, "102.5", "5", "2", "0"),
    ];
    let workload = read_text(&text.concat());
    assert_eq!(ids(&workload), [4, 9]);
    assert_eq!(workload.jobs[1].requested, SimSpan::from_secs(5));
    let skipped = |id, submit_ms, reason| Skipped { id, submit_ms, reason };
    assert_eq!(
        workload.skipped,
        [
            skipped(3, -10_000, SkipReason::NoRunTime),
            skipped(7, 1000, SkipReason::NoRunTime),
            skipped(9, 2500, SkipReason::NoProcessors)
        ]
    );
}

#[test]
fn reading_stops_with_the_last_job_asked_for() {
    let text = line(9, "90", "0", "1", "20") + &five_jobs() + "this is no job\n";
    let three = WorkloadSpec { jobs: Some(3), ..everything_of("log.swf") };
    let workload = read_bytes(text.as_bytes(), &three).expect("never sees the last line");
    assert_eq!((ids(&workload), workload.skipped.len()), (vec![1, 2, 3], 1));
    let many = WorkloadSpec { jobs: Some(99), ..everything_of("log.swf") };
    assert_eq!(read_bytes(five_jobs().as_bytes(), &many).expect("loads").jobs.len(), 5);
}

#[test]
fn submits_out_of_order_are_sorted_and_ties_keep_their_order() {
    let text = [
        line(5, "20", "1", "1", "1"),
        line(2, "30", "1", "1", "1"),
        line(4, "10", "1", "1", "1"),
        line(1, "20", "1", "1", "1"),
        line(3, "30", "1", "1", "1"),
    ];
    let workload = read_text(&text.concat());
    assert_eq!(ids(&workload), [4, 5, 1, 2, 3]);
    assert_eq!(submits_ms(&workload), [0, 10_000, 10_000, 20_000, 20_000]);
}

#[test]
fn line_ends_blanks_tabs_and_missing_headers_do_not_matter() {
    let expected = read_text(&five_jobs()).jobs;
    let variants = [
        five_jobs().replace('\n', "\r\n"),
        five_jobs().replace('\n', "\n\n \n"),
        five_jobs().replace(' ', "\t"),
        five_jobs().replace(' ', "   ").replace('\n', "  \n   "),
        five_jobs().replace(' ', ";"),
        five_jobs().replace('\n', ";\n"),
        five_jobs().trim_end().to_owned(),
        format!("; MaxNodes: 338 (batch partition; 512 total)\n;\n{}; the end", five_jobs()),
        format!("\u{feff}{}", five_jobs()),
    ];
    for text in variants {
        assert_eq!(read_text(&text).jobs, expected, "{text}");
    }
    let mut latin_1 = b"; Installation: H\xf6gskolan\n; UnixStartTime: 5\n".to_vec();
    latin_1.extend(five_jobs().bytes());
    let workload = read_bytes(latin_1.as_slice(), &everything_of("log.swf")).expect("loads");
    assert_eq!((workload.jobs, workload.unix_start_s), (expected, Some(5)));
}

#[test]
fn metacentrums_and_the_slurm_simulators_logs_load() {
    // Two lines of each, the lists of CPUs shortened.
    let workload = read_text(
        "0 1356996147 0 56011 64 1 1024 64 86400 68719476736 1 62 1 1 -1 1 1 1 {1241,1241} q_1d 1:ppn=64:x86_64:cl_zewura#excl\n\
         1 1356996695 71 1164297 12 1 1024 12 1209600 91268055040 1 101 1 1 -1 1 1 1 {1129,1129} q_2w 1:ppn=12\n",
    );
    assert_eq!((ids(&workload), submits_ms(&workload)), (vec![0, 1], vec![0, 548_000]));
    assert_eq!(workload.jobs[0].memory_per_core_kib, 1024 * 1024);
    let workload = read_text(
        "1007;594;-1;-1;24;-1;-1;-1;1500;-1;-1;user4;account2;-1;normal;normal;;-1;\n\
         1015;1194;-1;548;6;-1;-1;-1;900;-1;-1;user2;account1;-1;normal;normal;;-1;\n",
    );
    assert_eq!((ids(&workload), workload.jobs[0].cores), (vec![1015], 6));
    assert_eq!(workload.skipped[0].submit_ms, -600_000);
}

#[test]
fn run_time_beyond_the_requested_time_is_trimmed_or_kept() {
    let text = line(1, "0", "30", "1", "20") + &line(2, "0", "30", "1", "-1") + &line(3, "0", "5", "1", "20");
    let runs = |overrun| {
        let spec = WorkloadSpec { overrun, ..everything_of("log.swf") };
        let workload = read_bytes(text.as_bytes(), &spec).expect("loads");
        workload.jobs.iter().map(|job| job.run.as_ms() / 1000).collect::<Vec<_>>()
    };
    assert_eq!(runs(Overrun::Keep), [30, 30, 5]);
    assert_eq!(runs(Overrun::Trim), [20, 30, 5]);
}

#[test]
fn scaling_divides_gaps_and_multiplies_times() {
    let text = line(9, "97", "0", "1", "20") + &five_jobs();
    let scaled = |scale_load, scale_time| {
        let spec = WorkloadSpec { scale_load, scale_time, ..everything_of("log.swf") };
        read_bytes(text.as_bytes(), &spec).expect("loads")
    };
    // By hand, from submits at 0, 10 … 40 s, run times of 10 s and requested times of 20 s.
    let denser = scaled(3.0, 1.0);
    assert_eq!(submits_ms(&denser), [0, 3333, 6667, 10_000, 13_333]);
    assert_eq!((denser.jobs[0].run, denser.skipped[0].submit_ms), (SimSpan::from_secs(10), -1000));
    let longer = scaled(1.0, 1.5);
    assert_eq!(submits_ms(&longer), [0, 15_000, 30_000, 45_000, 60_000]);
    assert_eq!(
        (longer.jobs[0].run, longer.jobs[0].requested),
        (SimSpan::from_secs(15), SimSpan::from_secs(30))
    );
    let both = scaled(0.5, 2.0);
    assert_eq!(submits_ms(&both), [0, 40_000, 80_000, 120_000, 160_000]);
    let tiny = scaled(1.0, 1e-9);
    assert_eq!((tiny.jobs[0].run, tiny.jobs[0].requested), (SimSpan::MILLISECOND, SimSpan::MILLISECOND));
}

#[test]
fn impossible_scaling_is_refused() {
    for (scale_load, scale_time, hint) in [
        (0.0, 1.0, "log.swf: cannot be scaled with workload.scale_load = 0"),
        (1.0, -2.0, "log.swf: cannot be scaled with workload.scale_time = -2"),
        (f64::NAN, 1.0, "workload.scale_load = NaN"),
        (1.0, f64::INFINITY, "workload.scale_time = inf"),
        (1.0, 1e300, "log.swf: scaled, the times of job 1 are longer than simulated time reaches"),
        (1e-300, 1.0, "the times of job 2 are longer"),
    ] {
        let spec = WorkloadSpec { scale_load, scale_time, ..everything_of("log.swf") };
        let message = read_bytes(five_jobs().as_bytes(), &spec).expect_err(hint).to_string();
        assert!(message.contains(hint), "{message}");
    }
}

#[test]
fn a_malformed_line_is_shown_with_its_number() {
    let text = format!("; header\n\n{}6 150 -1 soon 1\t-1 -1 1 20 -1 1 1 1 1 1 1 -1 -1\n", five_jobs());
    assert_eq!(
        refusal(text.as_bytes()),
        "log.swf:8: field 4 (run time) is \"soon\", and a number of seconds, as in 120, 552.21 or -1, is expected; \
         correct the line, or make it a comment with \";\" in front: \
         \"6 150 -1 soon 1 -1 -1 1 20 -1 1 1 1 1 1 1 -1 -1\""
    );
    let cut_off = &five_jobs()[..80];
    assert!(refusal(cut_off.as_bytes()).starts_with("log.swf:2: the line has "), "{cut_off}");
}

#[test]
fn a_log_without_a_job_that_can_run_is_refused() {
    let text =
        line(1, "0", "0", "1", "20") + &line(2, "0", "5", "-1", "20") + &line(3, "0", "-1", "-1", "20");
    let message = refusal(text.as_bytes());
    assert!(
        message.starts_with(
            "log.swf: no job that can run was found: 2 lines without run time, 1 without processors, 0 outside of"
        ),
        "{message}"
    );
    assert!(refusal(b"; MaxProcs: 100\n").contains(": 0 lines without run time"));
    let late = WorkloadSpec { from: Some(SimSpan::from_hours(1)), ..everything_of("log.swf") };
    let message = read_bytes(five_jobs().as_bytes(), &late).expect_err("too late").to_string();
    assert!(message.contains("5 outside of workload.from and workload.until"), "{message}");
    let none = WorkloadSpec { jobs: Some(0), ..everything_of("log.swf") };
    let message = read_bytes(five_jobs().as_bytes(), &none).expect_err("none asked for").to_string();
    assert!(message.contains("check the file, workload.jobs"), "{message}");
}

#[test]
fn a_file_that_is_none_is_refused() {
    let message = load_jobs(&shipped("no-such.swf")).expect_err("missing").to_string();
    assert!(message.contains("no-such.swf: there is no such file; check workload.trace"), "{message}");
    let message = load_jobs(&shipped("")).expect_err("a folder").to_string();
    assert!(message.contains("traces/: this is a folder, and a file is expected"), "{message}");
    assert!(refusal(b"").starts_with("log.swf: the file is empty"));
    assert!(refusal(b"{\"am.type\": \"mapreduce\"}").contains("looks like JSON"));
    assert!(refusal(b"\x1f\x8b\x08").starts_with("log.swf: the gzip data are cut off"));
}

#[test]
fn packed_files_are_looked_into() {
    let pack = |text: &[u8]| {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
        encoder.write_all(text).expect("a vector takes all");
        encoder.finish().expect("a vector takes all")
    };
    let packed = pack(five_jobs().as_bytes());
    let workload = read_bytes(packed.as_slice(), &everything_of("log")).expect("loads");
    assert_eq!(workload.jobs, read_text(&five_jobs()).jobs);
    assert!(refusal(&pack(b"JobID|JobIDRaw|Cluster\n")).contains("sacct"));
    assert!(refusal(&pack(&packed)).contains("gzip inside of gzip"));
    assert!(refusal(&pack(b"")).starts_with("log.swf: the file is empty"));
}

proptest! {
    #[test]
    fn no_bytes_make_loading_panic(
        stored in prop::collection::vec(any::<u8>(), 0..400),
        good_lines in 0..3_usize,
        scale in any::<f64>(),
    ) {
        let mut log = line(1, "5", "10", "1", "20").repeat(good_lines).into_bytes();
        log.extend(stored);
        let spec = WorkloadSpec { scale_time: scale, ..everything_of("log.swf") };
        for spec in [spec, everything_of("log.swf")] {
            if let Err(error) = read_bytes(log.as_slice(), &spec) {
                prop_assert!(error.to_string().starts_with("log.swf:"), "{}", error);
            }
        }
    }

    #[test]
    fn huge_times_neither_panic_nor_wrap(submits in prop::collection::vec(0..=4_611_686_018_427_387_u64, 1..5),
        scale in 0.001..1000.0,
    ) {
        let text: String = submits.iter().map(|submit| line(1, &submit.to_string(), "1", "1", "1")).collect();
        let mut sorted = submits;
        sorted.sort_unstable();
        let expected: Vec<u64> = sorted.iter().map(|submit| (submit - sorted[0]) * 1000).collect();
        prop_assert_eq!(submits_ms(&read_text(&text)), expected);
        let spec = WorkloadSpec { scale_load: scale, from: Some(SimSpan::MAX), ..everything_of("log.swf") };
        let _ = read_bytes(text.as_bytes(), &spec);
        let spec = WorkloadSpec { scale_load: scale, ..everything_of("log.swf") };
        let _ = read_bytes(text.as_bytes(), &spec);
    }
}
