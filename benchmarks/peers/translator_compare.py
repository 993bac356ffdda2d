# SPDX-License-Identifier: Apache-2.0
"""Runs the benchmarks of translators in Heed and in PyTorch in turns and prints the ratios of their best times.

The weights and sentences of the searches are Heed's, and the run fails unless PyTorch gives the same
log-probabilities; outputs of the same number of tokens are the same work.
"""
import argparse
import os
import subprocess
import sys
import tempfile

from compare import keep_best, rows_of

# The rows of each benchmark, and its twin.
TWINS = {
    "seq2seq": ("seq2seq_pytorch.py", ("seq2seq_bahdanau", "seq2seq_luong")),
    "transformer": ("translator_pytorch.py", ("transformer_25", "transformer_5_to_25")),
    "translate": ("translator_pytorch.py", ("translate_greedy", "translate_beam_4")),
}


def wanted_rows(names):
    """{benchmark: its rows that begin with one of the names, all when there are none}"""
    chosen = {}
    for benchmark, (_, rows) in TWINS.items():
        some = [row for row in rows if not names or row.startswith(tuple(names))]
        if some:
            chosen[benchmark] = some
    if not chosen:
        everything = ", ".join(row for _, rows in TWINS.values() for row in rows)
        sys.exit(f"benchmarks/peers/translator: no row begins with {' or '.join(names)}; there are {everything}")
    return chosen


def main():
    parser = argparse.ArgumentParser(prog="benchmarks/peers/translator", description=__doc__.splitlines()[0])
    parser.add_argument("program", help=argparse.SUPPRESS)
    parser.add_argument("names", nargs="*", metavar="NAME")
    parser.add_argument("--model", metavar="DIR", help="translate with this model folder instead of random weights")
    parser.add_argument("--input", metavar="FILE", help="what it translates")
    parser.add_argument("--turns", type=int, default=3)
    parser.add_argument("--seconds", default="3", help="of each row in PyTorch and each turn")
    options = parser.parse_intermixed_args()
    here = os.path.dirname(os.path.abspath(__file__))
    chosen = wanted_rows(options.names)
    given = ["--model", options.model, "--input", options.input] if options.model else []
    heed, pytorch = {}, {}
    with tempfile.TemporaryDirectory() as folder:
        record = os.path.join(folder, "record.safetensors")
        subprocess.run([options.program, "bench", "translate", *given, "--record", record], check=True,
                       stdout=subprocess.DEVNULL)
        for turn in range(options.turns):
            print(f"turn {turn + 1} of {options.turns}", file=sys.stderr)
            for benchmark, rows in chosen.items():
                twin = [os.path.join(here, TWINS[benchmark][0])]
                if TWINS[benchmark][0] == "translator_pytorch.py":
                    twin.append(record)
                for row in rows:
                    twin += ["--only", row]
                mine = given if benchmark == "translate" else []
                keep_best(heed, rows_of([options.program, "bench", benchmark, "--json", *mine]))
                keep_best(pytorch, rows_of(["/usr/bin/python3", *twin, "--seconds", options.seconds]))
    print(f"{'name':<22} {'Heed words/s':>13} {'threads':>7} {'PyTorch words/s':>16} {'threads':>7} {'ratio':>7}")
    for name, theirs in pytorch.items():
        ours = heed[name]
        ratio = ours["words_per_second"] / theirs["words_per_second"]
        print(
            f"{name:<22} {ours['words_per_second']:>13.0f} {ours['threads']:>7} "
            f"{theirs['words_per_second']:>16.0f} {theirs['threads']:>7} {ratio:>6.2f}x"
        )


if __name__ == "__main__":
    main()
