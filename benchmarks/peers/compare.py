# SPDX-License-Identifier: Apache-2.0
"""Runs Heed's benchmark rows and their PyTorch twins in turns and prints the ratios of the best times."""
import json
import os
import subprocess
import sys

TURNS = 3  # Heed, PyTorch, Heed, PyTorch, ...: a noisy minute hits both
# The group of a row's name by its beginning.
GROUPS = {
    "lstm": "recurrent",
    "gru": "recurrent",
    "add16": "autograd",
    "convolution": "convolution",
    "ctc": "ctc",
    "gemm": "gemm",
    "softmax": "rows",
    "layer_norm": "rows",
    "sparsemax": "sparse",
    "entmax15": "sparse",
}


def rows_of(command):
    """{name: best row}, over the thread counts a name was measured with."""
    best = {}
    for row in json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout):
        if row["name"] not in best or row["ms"] < best[row["name"]]["ms"]:
            best[row["name"]] = row
    return best


def keep_best(best, rows):
    for name, row in rows.items():
        if name not in best or row["ms"] < best[name]["ms"]:
            best[name] = row


def main():
    program, *names = sys.argv[1:]
    here = os.path.dirname(os.path.abspath(__file__))
    peer_command = ["/usr/bin/python3", os.path.join(here, "pytorch.py")]
    for name in names:
        peer_command += ["--only", name]
    wanted = {
        group for start, group in GROUPS.items() if not names or any(name.startswith(start) or start.startswith(name) for name in names)
    }
    if not wanted:
        sys.exit(f"benchmarks/peers/run: no row begins with {' or '.join(names)}; there are {', '.join(GROUPS)}")
    heed, pytorch = {}, {}
    for turn in range(TURNS):
        print(f"turn {turn + 1} of {TURNS}", file=sys.stderr)
        keep_best(heed, rows_of([program, "bench", *sorted(wanted), "--json"]))
        keep_best(pytorch, rows_of(peer_command))
    print(f"{'name':<22} {'Heed ms':>10} {'threads':>7} {'PyTorch ms':>11} {'threads':>7} {'ratio':>7}")
    for name, theirs in pytorch.items():
        if name not in heed:
            continue
        ours = heed[name]
        print(
            f"{name:<22} {ours['ms']:>10.4g} {ours['threads']:>7} {theirs['ms']:>11.4g} "
            f"{theirs['threads']:>7} {theirs['ms'] / ours['ms']:>6.2f}x"
        )


if __name__ == "__main__":
    main()
