# SPDX-License-Identifier: Apache-2.0
"""Heed's Transformer in PyTorch: norms first, sinusoidal positions, output and target embeddings tied.

Query, key and value of one input are one product, as a careful author would have it.
"""
import math

import torch
import torch.nn.functional as F
from torch import nn

PADDING, BEGIN, END, FIRST_PIECE = 0, 2, 3, 4


def positions(count, width, first=0):
    """Sines, then cosines, of Vaswani 2017, in pairs."""
    places = torch.arange(first, first + count, dtype=torch.float32).unsqueeze(1)
    rates = torch.exp(torch.arange(0, width, 2, dtype=torch.float32) * (-math.log(10000.0) / width))
    table = torch.empty(count, width)
    table[:, 0::2] = torch.sin(places * rates)
    table[:, 1::2] = torch.cos(places * rates)
    return table


def attend(query, keys, values, mask):
    """query [B,H,Q,D], keys and values [B,H,K,D], mask added to scores or None -> [B,Q,H*D]"""
    if hasattr(F, "scaled_dot_product_attention"):
        context = F.scaled_dot_product_attention(query, keys, values, attn_mask=mask)
    else:
        scores = torch.matmul(query / math.sqrt(query.shape[-1]), keys.transpose(-2, -1))
        if mask is not None:
            scores += mask
        context = torch.matmul(torch.softmax(scores, dim=-1), values)
    return context.transpose(1, 2).flatten(2)


def split(x, heads):
    """[B,S,H*D] -> [B,H,S,D]"""
    return x.unflatten(-1, (heads, -1)).transpose(1, 2)


class Projections(nn.Module):
    """W_Q, W_K and W_V side by side, and W_O."""

    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.inputs = nn.Linear(width, 3 * width)
        self.output = nn.Linear(width, width)
        self.width = width

    def query_keys_values(self, x):
        return (split(part, self.heads) for part in self.inputs(x).chunk(3, dim=-1))

    def query(self, x):
        return split(F.linear(x, self.inputs.weight[: self.width], self.inputs.bias[: self.width]), self.heads)

    def keys_values(self, x):
        both = F.linear(x, self.inputs.weight[self.width :], self.inputs.bias[self.width :])
        return [split(part, self.heads) for part in both.chunk(2, dim=-1)]


class Layer(nn.Module):
    def __init__(self, width, inner, heads, decoder):
        super().__init__()
        self.self_norm, self.feed_norm = nn.LayerNorm(width), nn.LayerNorm(width)
        self.self_attention = Projections(width, heads)
        if decoder:
            self.cross_norm, self.cross = nn.LayerNorm(width), Projections(width, heads)
        self.first, self.second = nn.Linear(width, inner), nn.Linear(inner, width)

    def feed(self, x):
        return self.second(F.relu(self.first(x)))


class Transformer(nn.Module):
    def __init__(self, vocabulary=8000, width=256, heads=8, inner=1024, layers=(3, 3), dropout=0.1):
        super().__init__()
        self.width, self.dropout = width, dropout
        self.source = nn.Embedding(vocabulary, width, padding_idx=PADDING)
        self.target = nn.Embedding(vocabulary, width, padding_idx=PADDING)
        self.encoder = nn.ModuleList(Layer(width, inner, heads, False) for _ in range(layers[0]))
        self.decoder = nn.ModuleList(Layer(width, inner, heads, True) for _ in range(layers[1]))
        self.encoder_norm, self.decoder_norm = nn.LayerNorm(width), nn.LayerNorm(width)
        self.output_bias = nn.Parameter(torch.zeros(vocabulary))
        self.table = positions(512, width)
        for embedding in (self.source, self.target):
            nn.init.normal_(embedding.weight, std=width**-0.5)

    def drop(self, x):
        return F.dropout(x, self.dropout, self.training)

    def embed(self, embedding, ids, first=0):
        return self.drop(embedding(ids) * math.sqrt(self.width) + self.table[first : first + ids.shape[1]])

    def encode(self, source, mask):
        """source [B,S] -> keys and values of each decoder layer"""
        x = self.embed(self.source, source)
        for layer in self.encoder:
            attention = layer.self_attention
            context = attend(*attention.query_keys_values(layer.self_norm(x)), mask)
            x = x + self.drop(attention.output(context))
            x = x + self.drop(layer.feed(layer.feed_norm(x)))
        x = self.encoder_norm(x)
        return [layer.cross.keys_values(x) for layer in self.decoder]

    def through(self, layer, x, mine, source, masks):
        """x [B,Q,width]; mine: (keys, values) of the tokens so far and these, after `query`"""
        query, keys, values = mine
        x = x + self.drop(layer.self_attention.output(attend(query, keys, values, masks[0])))
        context = attend(layer.cross.query(layer.cross_norm(x)), *source, masks[1])
        x = x + self.drop(layer.cross.output(context))
        return x + self.drop(layer.feed(layer.feed_norm(x)))

    def logits(self, x):
        return F.linear(self.decoder_norm(x), self.target.weight, self.output_bias)

    def decode(self, memories, target, source_mask, places):
        """target [B,T] -> logits [tokens,V] of the places that are no padding"""
        length = target.shape[1]
        begin = torch.full((target.shape[0], 1), BEGIN, dtype=target.dtype)
        x = self.embed(self.target, torch.cat([begin, target[:, :-1]], 1))
        future = torch.full((length, length), float("-inf")).triu(1)
        for layer, memory in zip(self.decoder, memories):
            mine = layer.self_attention.query_keys_values(layer.self_norm(x))
            x = self.through(layer, x, mine, memory, (future, source_mask))
        x = x.flatten(0, 1)
        return self.logits(x if places is None else x.index_select(0, places))

    def step(self, memories, caches, tokens, step, source_mask):
        """tokens [N] -> logits [N,V]; the caches [N,H,longest,D] get one more key and value"""
        x = self.embed(self.target, tokens.unsqueeze(1), step)
        for layer, memory, cache in zip(self.decoder, memories, caches):
            query, keys, values = layer.self_attention.query_keys_values(layer.self_norm(x))
            cache[0][:, :, step : step + 1] = keys
            cache[1][:, :, step : step + 1] = values
            mine = (query, cache[0][:, :, : step + 1], cache[1][:, :, : step + 1])
            x = self.through(layer, x, mine, memory, (None, source_mask))
        return self.logits(x.squeeze(1))

    def new_caches(self, rows, longest):
        heads = self.decoder[0].self_attention.heads
        shape = (rows, heads, longest, self.width // heads)
        return [[torch.empty(shape), torch.empty(shape)] for _ in self.decoder]


def lengths_mask(lengths, width):
    """Added to scores [B,1,1,S]; None where nothing is padding."""
    if int(lengths.min()) == width:
        return None
    padding = torch.arange(width).unsqueeze(0) >= lengths.unsqueeze(1)
    return torch.zeros(padding.shape).masked_fill_(padding, float("-inf"))[:, None, None, :]


def token_places(lengths, width):
    if int(lengths.min()) == width:
        return None
    return (torch.arange(width).unsqueeze(0) < lengths.unsqueeze(1)).flatten().nonzero().squeeze(1)


def attention_state(weights, mine, theirs):
    """The state of Projections from W_Q, W_K, W_V, W_O."""
    parts = [f"{theirs}.W_{letter}" for letter in "QKV"]
    return {
        f"{mine}.inputs.weight": torch.cat([weights[f"{part}.weight"] for part in parts]),
        f"{mine}.inputs.bias": torch.cat([weights[f"{part}.bias"] for part in parts]),
        f"{mine}.output.weight": weights[f"{theirs}.W_O.weight"],
        f"{mine}.output.bias": weights[f"{theirs}.W_O.bias"],
    }


def norm_state(weights, mine, theirs):
    return {f"{mine}.weight": weights[f"{theirs}.gain"], f"{mine}.bias": weights[f"{theirs}.bias"]}


def layer_state(weights, layer, decoder):
    state = attention_state(weights, f"{layer}.self_attention", f"{layer}.self")
    for norm in ("self_norm", "feed_norm") + (("cross_norm",) if decoder else ()):
        state.update(norm_state(weights, f"{layer}.{norm}", f"{layer}.{norm}"))
    if decoder:
        state.update(attention_state(weights, f"{layer}.cross", f"{layer}.cross"))
    for part in ("first", "second"):
        for kind in ("weight", "bias"):
            state[f"{layer}.{part}.{kind}"] = weights[f"{layer}.feed.{part}.{kind}"]
    return state


def loaded(weights, heads):
    """The model with these weights: norms first, positions sinusoidal, output and target embeddings tied."""
    source = weights["source.embedding.weight"]
    target = weights.get("target.embedding.weight", source)  # one table for all when there is no other
    vocabulary, width = target.shape
    layers = [
        1 + max(int(name.split(".")[1]) for name in weights if name.startswith(f"{side}."))
        for side in ("encoder", "decoder")
    ]
    model = Transformer(vocabulary, width, heads, weights["encoder.0.feed.first.weight"].shape[0], layers)
    model.source = nn.Embedding(*source.shape, padding_idx=PADDING)
    state = {
        "source.weight": source,
        "target.weight": target,
        "output_bias": weights["output_bias"],
    }
    for side, count in zip(("encoder", "decoder"), layers):
        state.update(norm_state(weights, f"{side}_norm", f"{side}_norm"))
        for i in range(count):
            state.update(layer_state(weights, f"{side}.{i}", side == "decoder"))
    model.load_state_dict(state)
    return model.eval()
