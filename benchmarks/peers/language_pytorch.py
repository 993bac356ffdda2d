# SPDX-License-Identifier: Apache-2.0
"""Training steps of the small LSTM language model of Zaremba 2014 in PyTorch, beside `heed bench language`.

Both read 20 tracks of 20 words out of 10,000 through 2 x 200 LSTM units behind a carried state, and take the mean
cross-entropy back: forward, backward, clipping, plain gradient descent. PyTorch runs with one and with two threads,
and its better time counts. Prints both times, words per second and the ratio.
"""
import sys
import time

import torch
import torch.nn.functional as F
from torch import nn

from compare import keep_best, rows_of

TRACKS, LENGTH, WORDS, HIDDEN, LAYERS = 20, 20, 10_000, 200, 2
SECONDS = 3.0
THREAD_SETTINGS = (1, 2)
NAME = "language_lstm"


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.words = nn.Embedding(WORDS, HIDDEN)
        self.lstm = nn.LSTM(HIDDEN, HIDDEN, LAYERS)
        self.output = nn.Linear(HIDDEN, WORDS)

    def forward(self, ids, state):
        hidden, state = self.lstm(self.words(ids), state)
        return self.output(hidden), state


def step_ms():
    """The shortest training step of SECONDS."""
    torch.manual_seed(1)
    model = Model().train()
    parameters = list(model.parameters())
    descent = torch.optim.SGD(parameters, lr=1e-3)
    ids, wanted = torch.randint(WORDS, (LENGTH, TRACKS)), torch.randint(WORDS, (LENGTH, TRACKS))
    state = tuple(torch.zeros(LAYERS, TRACKS, HIDDEN) for _ in range(2))
    best, spent = float("inf"), 0.0
    while spent < SECONDS:
        begin = time.perf_counter()
        descent.zero_grad(set_to_none=True)
        logits, state = model(ids, state)
        F.cross_entropy(logits.view(-1, WORDS), wanted.view(-1)).backward()
        nn.utils.clip_grad_norm_(parameters, 0.25)
        descent.step()
        state = tuple(part.detach() for part in state)
        once = time.perf_counter() - begin
        best, spent = min(best, once), spent + once
    return best * 1e3


def pytorch_row():
    best = None
    for threads in THREAD_SETTINGS:
        torch.set_num_threads(threads)
        row = {"ms": step_ms(), "threads": threads}
        if best is None or row["ms"] < best["ms"]:
            best = row
    return {NAME: best}


def main():
    program, turns = sys.argv[1], int(sys.argv[2])
    heed, pytorch = {}, {}
    for turn in range(turns):
        print(f"turn {turn + 1} of {turns}", file=sys.stderr)
        keep_best(heed, {NAME: rows_of([program, "bench", "language", "--json"])[NAME]})
        keep_best(pytorch, pytorch_row())
    print(f"{'who':<8} {'ms':>8} {'threads':>7} {'words/s':>9}")
    for who, rows in (("Heed", heed), ("PyTorch", pytorch)):
        row = rows[NAME]
        print(f"{who:<8} {row['ms']:>8.2f} {row['threads']:>7} {TRACKS * LENGTH / row['ms'] * 1e3:>9.0f}")
    print(f"PyTorch takes {pytorch[NAME]['ms'] / heed[NAME]['ms']:.2f} times as long")


if __name__ == "__main__":
    main()
