# SPDX-License-Identifier: Apache-2.0
"""Greedy and beam search in PyTorch: many sentences at once, key/value caches, what has ended dropped."""
import torch

from transformer_pytorch import BEGIN, END, PADDING, lengths_mask

WIDTH = 4  # of beams


class Limits:
    """Lengths and forbidden tokens, as the file says."""

    def __init__(self, metadata):
        self.ends = metadata["ends"] == "yes"
        self.least = float(metadata["least"])
        self.per_source, self.constant = float(metadata["most_per_source"]), float(metadata["most"])
        self.forbidden = [PADDING, BEGIN] + ([] if self.ends else [END])

    def most(self, lengths):
        return (lengths * self.per_source + self.constant).long()

    def constrain(self, scores, step):
        for token in self.forbidden:
            scores[:, token] = float("-inf")
        if step + 1 < self.least:
            scores[:, END] = float("-inf")


def greedy(model, source, lengths, limits):
    """Lists of tokens, ends included; rows that have ended are dropped."""
    mask = lengths_mask(lengths, source.shape[1])
    memories = model.encode(source, mask)
    most = limits.most(lengths)
    caches = model.new_caches(source.shape[0], int(most.max()))
    rows = torch.arange(source.shape[0])
    tokens = torch.full((source.shape[0],), BEGIN)
    written = [[] for _ in range(source.shape[0])]
    for step in range(int(most.max())):
        scores = torch.log_softmax(model.step(memories, caches, tokens, step, mask), dim=1)
        limits.constrain(scores, step)
        _, tokens = scores.max(dim=1)
        for row, token in zip(rows.tolist(), tokens.tolist()):
            written[row].append(token)
        alive = (tokens != END) & (step + 1 < most[rows])
        if not bool(alive.all()):
            kept = alive.nonzero().squeeze(1)
            if kept.numel() == 0:
                break
            rows, tokens = rows[kept], tokens[kept]
            caches = [[one.index_select(0, kept) for one in cache] for cache in caches]
            memories = [[one.index_select(0, kept) for one in memory] for memory in memories]
            mask = None if mask is None else mask.index_select(0, kept)
    return written


def beam(model, source, lengths, limits):
    """The same by beams of WIDTH; a sentence is done when so many of its hypotheses have ended."""
    batch = source.shape[0]
    mask = lengths_mask(lengths, source.shape[1])
    memories = model.encode(source, mask)
    most = limits.most(lengths)
    longest = int(most.max())
    caches = model.new_caches(batch, longest)
    sentences = list(range(batch))
    live, tokens, totals = 1, torch.full((batch,), BEGIN), torch.zeros(batch, 1)
    history = torch.empty(batch, 0, dtype=torch.long)
    ended = [[] for _ in range(batch)]
    for step in range(longest):
        scores = torch.log_softmax(model.step(memories, caches, tokens, step, mask), dim=1)
        limits.constrain(scores, step)
        vocabulary = scores.shape[1]
        scores = (scores.view(len(sentences), live, vocabulary) + totals.unsqueeze(2)).flatten(1)
        best, places = scores.topk(2 * WIDTH, dim=1)
        beams, pieces = torch.div(places, vocabulary, rounding_mode="floor"), places % vocabulary
        ends = pieces == END
        length = step + 1
        scale = ((5 + length) / 6) ** 0.6
        kept_sentences, parents = [], []
        if limits.ends or length == longest or not torch.equal(most, most[:1].expand_as(most)):
            best_list, beam_list, piece_list = best.tolist(), beams.tolist(), pieces.tolist()
            for i, sentence in enumerate(sentences):
                last = length == int(most[sentence])
                for rank in range(2 * WIDTH):
                    ends_here = piece_list[i][rank] == END
                    if (ends_here and rank < WIDTH) or (last and not ends_here and rank < WIDTH):
                        path = history[i * live + beam_list[i][rank]].tolist() + [piece_list[i][rank]]
                        ended[sentence].append((ends_here, best_list[i][rank] / scale, path))
                done = last or sum(one[0] for one in ended[sentence]) >= WIDTH
                if not done:
                    kept_sentences.append(i)
        else:
            kept_sentences = list(range(len(sentences)))
        if not kept_sentences:
            break
        if len(kept_sentences) < len(sentences):
            kept = torch.tensor(kept_sentences)
            best, beams, pieces, ends = (x.index_select(0, kept) for x in (best, beams, pieces, ends))
        else:
            kept = torch.arange(len(sentences))
        # The best WIDTH that go on: those that end are sorted behind.
        _, order = (best.masked_fill(ends, float("-inf")) if limits.ends else best).topk(WIDTH, dim=1)
        totals, beams, tokens = best.gather(1, order), beams.gather(1, order), pieces.gather(1, order).flatten()
        parents = (kept.unsqueeze(1) * live + beams).flatten()
        caches = [[one.index_select(0, parents) for one in cache] for cache in caches]
        if live == 1 or len(kept_sentences) < len(sentences):
            memories = [[one.index_select(0, parents) for one in memory] for memory in memories]
            mask = None if mask is None else mask.index_select(0, parents)
        history = torch.cat([history.index_select(0, parents), tokens.unsqueeze(1)], dim=1)
        sentences = [sentences[i] for i in kept_sentences]
        live = WIDTH
    return [max(all_ended, key=lambda one: one[:2])[2] for all_ended in ended]
