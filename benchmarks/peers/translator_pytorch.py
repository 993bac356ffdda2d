#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""The work of `heed bench transformer translate` in PyTorch, with the weights of a file that `heed bench translate
--record FILE` wrote.

First it reads the targets of the file and fails unless every log-probability agrees with Heed's to 1e-4. Then it
times training steps of the small Transformer (64 pairs of sentences: forward, backward, clipping, Adam) and greedy
and beam search (key/value caches, keys of the source projected once, beams by index_select) at one and at two
threads. Query, key and value of one input are one product, as a careful author would have it.

Prints a JSON list: one row per name and thread setting with `ms` (the best of several runs), `words_per_second`
(target tokens) and `threads`. `--seconds S` sets the time of each row, `--only NAME` (repeatable) picks rows.
"""
import argparse
import json
import sys
import time

import torch
import torch.nn.functional as F
from torch import nn

from safetensors import read_safetensors
from search_pytorch import Limits, beam, greedy
from transformer_pytorch import END, FIRST_PIECE, PADDING, Transformer, lengths_mask, loaded, token_places

TOLERANCE = 1e-4
THREAD_SETTINGS = (1, 2)


def batches_of(tensors):
    """[(source, lengths, target, target lengths, log-probabilities)] of the file."""
    kinds = ("source", "source_lengths", "target", "target_lengths", "log_probabilities")
    count = sum(name.endswith(".source") for name in tensors)
    return [[tensors[f"{i}.{kind}"] for kind in kinds] for i in range(count)]


def check(model, batches):
    """Fails unless the log-probabilities of the file's targets agree."""
    furthest = 0.0
    with torch.inference_mode():
        for source, lengths, target, target_lengths, expected in batches:
            mask = lengths_mask(lengths, source.shape[1])
            places = token_places(target_lengths, target.shape[1])
            logits = model.decode(model.encode(source, mask), target, mask, places)
            wanted = target.flatten() if places is None else target.flatten().index_select(0, places)
            found = -F.cross_entropy(logits, wanted.long(), reduction="none")
            furthest = max(furthest, float((found - expected).abs().max()))
    print(f"log-probabilities differ from Heed's by at most {furthest:.1e}", file=sys.stderr)
    if furthest > TOLERANCE:
        sys.exit(f"translator_pytorch.py: log-probabilities differ by {furthest}; at most {TOLERANCE} is right")


def best_ms(work, seconds):
    """The shortest of the runs that fit into `seconds`, at least three."""
    work()
    best, spent, runs = float("inf"), 0.0, 0
    while runs < 3 or spent < seconds:
        begin = time.perf_counter()
        work()
        once = time.perf_counter() - begin
        best, spent, runs = min(best, once), spent + once, runs + 1
    return best * 1e3


def random_sentences(shortest, longest, count=64, vocabulary=8000):
    lengths = torch.randint(shortest, longest + 1, (count,))
    ids = torch.randint(FIRST_PIECE, vocabulary, (count, longest))
    places = torch.arange(longest).unsqueeze(0)
    ids[places == lengths.unsqueeze(1) - 1] = END
    ids[places >= lengths.unsqueeze(1)] = PADDING
    return ids, lengths


def training_step(shortest):
    """The work of one step, and its target tokens."""
    torch.manual_seed(1)
    model = Transformer().train()
    parameters = list(model.parameters())
    adam = torch.optim.Adam(parameters, lr=1e-4)
    (source, source_lengths), (target, target_lengths) = random_sentences(shortest, 25), random_sentences(shortest, 25)
    places = token_places(target_lengths, 25)
    wanted = target.flatten() if places is None else target.flatten().index_select(0, places)
    mask = lengths_mask(source_lengths, 25)

    def work():
        adam.zero_grad(set_to_none=True)
        F.cross_entropy(model.decode(model.encode(source, mask), target, mask, places), wanted).backward()
        nn.utils.clip_grad_norm_(parameters, 1.0)
        adam.step()

    return work, int(target_lengths.sum())


def search_work(search, model, batches, limits):
    """The work of translating all batches, and the tokens it writes."""

    def work():
        with torch.inference_mode():
            return [search(model, source, lengths.long(), limits) for source, lengths, *_ in batches]

    return work, sum(len(sentence) for batch in work() for sentence in batch)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("record", help="written by `heed bench translate --record FILE`")
    parser.add_argument("--seconds", type=float, default=3.0)
    parser.add_argument("--only", action="append", default=[])
    options = parser.parse_args()
    tensors, metadata = read_safetensors(options.record)
    weights = {name.removeprefix("model."): value for name, value in tensors.items() if name.startswith("model.")}
    model, batches, limits = loaded(weights, int(metadata["heads"])), batches_of(tensors), Limits(metadata)
    check(model, batches)
    makers = {
        "transformer_25": lambda: training_step(25),
        "transformer_5_to_25": lambda: training_step(5),
        "translate_greedy": lambda: search_work(greedy, model, batches, limits),
        "translate_beam_4": lambda: search_work(beam, model, batches, limits),
    }
    rows = []
    for name, make in makers.items():
        if options.only and not name.startswith(tuple(options.only)):
            continue
        for threads in THREAD_SETTINGS:
            torch.set_num_threads(threads)
            work, tokens = make()
            ms = best_ms(work, options.seconds)
            rows.append({"name": name, "ms": ms, "threads": threads, "tokens": tokens,
                         "words_per_second": tokens / ms * 1e3})
    print(json.dumps(rows, indent=1))


if __name__ == "__main__":
    main()
