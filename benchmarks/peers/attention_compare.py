# SPDX-License-Identifier: Apache-2.0
"""Runs attention in Heed, ONNX Runtime and PyTorch in turns on the same tensors and prints ratios.

Times are best tenths of many runs, the better of two turns: Heed, the others, Heed, the others, so
that a noisy minute hits all. Every output must agree with Heed's, or the run fails.
"""
import argparse
import json
import os
import subprocess
import sys
import tempfile
from dataclasses import dataclass

from attention_plot import lengths_svg

TURNS = 2
TOLERANCE = 1e-4
ONNXRUNTIME_OPS = ("MultiHeadAttention", "Attention")
# torch.set_num_threads and OPENBLAS_NUM_THREADS. On two cores the best setting may leave PyTorch's
# own threads at one: the two kinds get into each other's way.
PYTORCH_SETTINGS = {1: ((1, 1),), 2: ((1, 2), (2, 1), (2, 2))}
LENGTHS = (128, 256, 512, 1024, 2048, 4096, 8192)


@dataclass
class Case:
    name: str
    shape: str
    causal: bool = False
    backward: bool = False  # forward and backward together
    threads: int = 1
    wanted: str = ""


CASES = (
    Case("forward, B1 H8 N1024", "1,8,1024,1024,64", wanted="ONNX Runtime 1.3"),
    Case("forward, B1 H8 N4096", "1,8,4096,4096,64", wanted="ONNX Runtime 1.3"),
    Case("forward, causal, B1 H8 N1024", "1,8,1024,1024,64", causal=True, wanted="ONNX Runtime 5"),
    Case("forward, causal, B1 H8 N4096", "1,8,4096,4096,64", causal=True, wanted="ONNX Runtime 5"),
    Case("forward, B1 H8 N256", "1,8,256,256,64", wanted="ONNX Runtime 1.4"),
    Case("forward, B8 H8 N128", "8,8,128,128,64", wanted="ONNX Runtime 1.7"),
    Case("forward, B32 H4 N32", "32,4,32,32,64", wanted="ONNX Runtime 2"),
    Case("forward + backward, two threads, B1 H8 N1024", "1,8,1024,1024,64", backward=True, threads=2,
         wanted="PyTorch 2.6"),
)


class Contest:
    """The contenders on one case; each keeps its best turn."""

    def __init__(self, program, onnxruntime, case, folder, seconds):
        self.program = program
        self.onnxruntime = onnxruntime
        self.case = case
        self.file = os.path.join(folder, "tensors.safetensors")
        self.seconds = str(seconds)
        self.best = {}
        self.difference = 0.0

    def keep(self, name, row):
        self.difference = max(self.difference, row.get("difference", 0.0))
        if name not in self.best or row["p10"] < self.best[name]["p10"]:
            self.best[name] = row

    def turn(self):
        self.keep("Heed", self.heed())
        if not self.case.backward:
            for op in ONNXRUNTIME_OPS:
                self.keep("ONNX Runtime", self.onnxruntime_op(op))
        for torch_threads, blas_threads in PYTORCH_SETTINGS[self.case.threads]:
            self.keep("PyTorch", self.pytorch(torch_threads, blas_threads))

    def heed(self):
        spec = "scaled_dot | causal" if self.case.causal else "scaled_dot"
        command = [self.program, "bench", "attention", "--shape", self.case.shape, "--spec", spec, "--threads",
                   str(self.case.threads), "--seconds", self.seconds, "--json"]
        if not self.case.backward:
            return output_of(command + ["--dump", self.file])[0]
        forward = output_of(command)[0]
        row = output_of(command + ["--backward", "--dump", self.file])[0]
        for field in ("ms", "p10", "p90"):
            row[field] += forward[field]
        return row

    def onnxruntime_op(self, op):
        script = os.path.join(os.path.dirname(__file__), "attention_onnxruntime.js")
        return output_of(["node", script, self.onnxruntime, op, self.file, *self.flags(self.case.threads)])

    def pytorch(self, torch_threads, blas_threads):
        script = os.path.join(os.path.dirname(__file__), "attention_pytorch.py")
        command = ["/usr/bin/python3", script, self.file, *self.flags(torch_threads)]
        if self.case.backward:
            command.append("--backward")
        return output_of(command, {"OPENBLAS_NUM_THREADS": str(blas_threads)})

    def flags(self, threads):
        flags = ["--threads", str(threads), "--seconds", self.seconds]
        return flags + ["--causal"] if self.case.causal else flags


def output_of(command, environment=None):
    done = subprocess.run(command, check=True, stdout=subprocess.PIPE, env={**os.environ, **(environment or {})})
    return json.loads(done.stdout)


def ratio_text(best, name):
    if name not in best:
        return ""
    return f"{best[name]['p10'] / best['Heed']['p10']:.2f}"


def run_cases(contest_of):
    print("| case | share of the FMA loop | time of ONNX Runtime over Heed's | of PyTorch | at least |")
    print("|---|---|---|---|---|")
    worst = 0.0
    for case in CASES:
        contest = contest_of(case)
        for _ in range(TURNS):
            contest.turn()
        best = contest.best
        fraction = best["Heed"].get("best_fraction")
        share = "" if case.backward or fraction is None else f"{fraction:.2f}"
        print(f"| {case.name} | {share} | {ratio_text(best, 'ONNX Runtime')} | {ratio_text(best, 'PyTorch')} "
              f"| {case.wanted} |", flush=True)
        for name, row in best.items():
            print(f"{case.name}: {name} {row['p10']:.4g} ms {row.get('setting', '')}", file=sys.stderr)
        worst = max(worst, contest.difference)
    return worst


def run_lengths(contest_of):
    """The figures of a plot: {contender: [(length, ms, extra bytes)]}."""
    print("\n| N | time of ONNX Runtime over Heed's | of PyTorch | extra memory of Heed, MiB | ONNX Runtime | PyTorch |")
    print("|---|---|---|---|---|---|")
    series = {}
    worst = 0.0
    for length in LENGTHS:
        contest = contest_of(Case(f"N{length}", f"1,8,{length},{length},64"))
        contest.turn()
        best = contest.best
        memory = " | ".join(f"{row['extra_bytes'] / 2**20:.1f}" for row in best.values())
        print(f"| {length} | {ratio_text(best, 'ONNX Runtime')} | {ratio_text(best, 'PyTorch')} | {memory} |",
              flush=True)
        for name, row in best.items():
            series.setdefault(name, []).append((length, row["p10"], row["extra_bytes"]))
        worst = max(worst, contest.difference)
    return series, worst


def main():
    parser = argparse.ArgumentParser(prog="benchmarks/peers/attention", description=__doc__.splitlines()[0])
    parser.add_argument("program", help=argparse.SUPPRESS)
    parser.add_argument("onnxruntime", help=argparse.SUPPRESS)
    parser.add_argument("--seconds", type=float, default=2.0, help="time for each contender on each case")
    parser.add_argument("--plot", metavar="FILE.svg", help="draw time and memory against length")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        def contest_of(case):
            return Contest(arguments.program, arguments.onnxruntime, case, folder, arguments.seconds)

        cases_worst = run_cases(contest_of)
        series, lengths_worst = run_lengths(contest_of)
    if arguments.plot:
        with open(arguments.plot, "w", encoding="utf-8") as file:
            file.write(lengths_svg(series))
    worst = max(cases_worst, lengths_worst)
    print(f"\nLargest difference between two outputs: {worst:.1e}")
    if not worst <= TOLERANCE:
        sys.exit(f"benchmarks/peers/attention: outputs differ by {worst:.1e}; they agree to {TOLERANCE:.0e}")


if __name__ == "__main__":
    main()
