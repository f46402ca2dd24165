#!/usr/bin/env python3
"""What src/workload/synth.rs must generate, computed a second time from the description at its top.

Shares no code with it: ChaCha is written from Bernstein's paper, logarithm and cosine are the C library's (which may
differ in the last bit; samples are rounded to whole numbers).

    python3 synth.py syn.json [factor of task times]

prints a line for each job: name, submission in seconds, and for each group of tasks the count, memory in MB, virtual
cores, the sum of the run times in ms, and the sum of the numbers of the preferred nodes; then the first three tasks.
"""
import json
import math
import sys

MASK = (1 << 32) - 1


def block(key, counter):
    state = [0x61707865, 0x3320646E, 0x79622D32, 0x6B206574] + key + [counter & MASK, counter >> 32, 0, 0]
    x = state[:]

    def quarter(a, b, c, d):
        for p, q, r, by in ((a, b, d, 16), (c, d, b, 12), (a, b, d, 8), (c, d, b, 7)):
            x[p] = (x[p] + x[q]) & MASK
            y = x[r] ^ x[p]
            x[r] = (y << by | y >> (32 - by)) & MASK

    for _ in range(4):
        for a in range(4):
            quarter(a, a + 4, a + 8, a + 12)
        for a in range(4):
            quarter(a, 4 + (a + 1) % 4, 8 + (a + 2) % 4, 12 + (a + 3) % 4)
    return [(a + b) & MASK for a, b in zip(x, state)]


class Draws:
    def __init__(self, seed, purpose, index):
        seed_bytes = b"".join(w.to_bytes(8, "little") for w in (seed % 2**64, purpose, index, 1))
        self.key = [int.from_bytes(seed_bytes[i : i + 4], "little") for i in range(0, 32, 4)]
        self.counter, self.words = 0, []

    def word(self):
        if not self.words:
            self.words = block(self.key, self.counter)
            self.counter += 1
        low, high = self.words[:2]
        self.words = self.words[2:]
        return high << 32 | low

    def unit(self):
        return (self.word() >> 11 | 1) / 2**53

    def below(self, n):
        return self.word() * n >> 64

    def pick(self, weights):
        mark, total = self.unit() * sum(weights), 0.0
        for i, weight in enumerate(weights):
            total += weight
            if total > mark:
                return i
        return max(i for i, weight in enumerate(weights) if weight > 0)

    def normal(self):
        u, v = self.unit(), self.unit()
        return math.sqrt(-2 * math.log(u)) * math.cos(2 * math.pi * v)


def sample(s, draws, factor=1):
    if "discrete" in s:
        x = float(s["discrete"][draws.pick(s.get("weights", [1.0] * len(s["discrete"])))])
    elif "std" not in s:
        x = s["val"]
    else:
        mean, std = s["val"], s["std"] or s["val"] / 6
        if s.get("dist", "LOGNORM") == "NORM":
            x = mean + std * draws.normal()
        else:
            variance = math.log1p(std**2 / mean**2)
            x = math.exp(math.log(mean) - variance / 2 + math.sqrt(variance) * draws.normal())
    return math.floor(x * factor + 0.5)


def flat(c, short, long):
    keys = {"count": short + "tasks", "time": short + "time", "max_memory": long + "_max_memory",
            "max_vcores": long + "_max_vcores"}
    return {k: {"val": c[v + "_avg"], "std": c.get(v + "_stddev", 0)} for k, v in keys.items()}


def main(path, factor=1):
    trace = json.load(open(path))
    seed, nodes = trace["rand_seed"], trace["num_nodes"]
    for job in range(trace["num_jobs"]):
        story, draws, places = (Draws(seed, purpose, job) for purpose in (1, 2, 3))
        work = trace["workloads"][story.pick([w["workload_weight"] for w in trace["workloads"]])]
        times = work["time_distribution"]
        at = story.pick([t["weight"] for t in times])
        width = times[at + 1]["time"] - times[at]["time"] if at + 1 < len(times) else 0
        submit = times[at]["time"] + story.below(width)
        job_class = work["job_classes"][story.pick([c["class_weight"] for c in work["job_classes"]])]
        tasks = job_class.get("tasks") or [flat(job_class, "m", "map"), flat(job_class, "r", "reduce")]
        groups, first = [], []
        for task in tasks:
            count = max(0, sample(task["count"], draws))
            memory, cores = max(1024, sample(task["max_memory"], draws)), max(1, sample(task["max_vcores"], draws))
            runs = [sample(task["time"], draws, factor) for _ in range(count)]
            at_nodes = [places.below(nodes) for _ in range(count)]
            groups.append((count, memory, cores, sum(runs), sum(at_nodes)))
            first += zip(runs, at_nodes)
        print(f"{job_class['class_name']}_{job:06d}", submit, groups, first[:3])


if __name__ == "__main__":
    main(sys.argv[1], *(int(a) for a in sys.argv[2:]))
