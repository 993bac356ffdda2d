#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Writes the seeds of the fuzz target of SentencePiece models: valid_* must be read, bad_* must be refused.
import pathlib
import struct

FOLDER = pathlib.Path(__file__).parent / "subwords"
NORMAL, UNKNOWN, CONTROL, USER, UNUSED, BYTE = range(1, 7)
UNIGRAM, BPE, WORD = 1, 2, 3


def varint(value):
    out = b""
    while value >= 128:
        out += bytes([value % 128 + 128])
        value //= 128
    return out + bytes([value])


def number(field, value):
    return varint(field << 3) + varint(value)


def content(field, value):
    return varint(field << 3 | 2) + varint(len(value)) + value


def piece(text, score=0.0, kind=NORMAL):
    inner = content(1, text.encode()) + varint(2 << 3 | 5) + struct.pack("<f", score)
    return content(1, inner + (number(3, kind) if kind != NORMAL else b""))


def special(ids=(0, 1, 2, 3)):
    pieces = dict(zip(ids, [("<pad>", CONTROL), ("<unk>", UNKNOWN), ("<s>", CONTROL), ("</s>", CONTROL)]))
    return b"".join(piece(text, 0.0, kind) for _, (text, kind) in sorted(pieces.items()))


def trainer(kind=UNIGRAM, ids=(0, 1, 2, 3), more=b""):
    pad, unknown, begin, end = ids
    return content(2, number(3, kind) + number(40, unknown) + number(41, begin) + number(42, end) +
                   number(43, pad) + more)


def normaliser(character_map=b""):
    return content(3, content(1, b"identity") + content(2, character_map))


# A double-array trie of 256 units that leads nowhere, and one text for leaves to point to.
EMPTY_MAP = struct.pack("<I", 1024) + bytes(1024) + b"x\0"
SMALL = piece("\u2581", -1.0) + piece("a", -2.0) + piece("b", -2.5) + piece("\u2581a", -1.5) + piece("ab", -1.75)
SEEDS = {
    "valid_unigram": special() + SMALL + trainer() + normaliser(),
    "valid_bpe": special() + SMALL + trainer(BPE) + normaliser(),
    "valid_map": special() + SMALL + trainer() + normaliser(EMPTY_MAP),
    "valid_user_defined": special() + SMALL + piece("ba", 0.0, USER) + piece("zz", -3.0, UNUSED) + trainer() + normaliser(),
    "bad_nothing": b"",
    "bad_text": b"the\t5\n",
    "bad_cut": (special() + SMALL + trainer())[:-3],
    "bad_ids": special((1, 0, 2, 3)) + SMALL + trainer(ids=(1, 0, 2, 3)),
    "bad_no_pieces": trainer() + normaliser(),
    "bad_kind": special() + SMALL + trainer(WORD) + normaliser(),
    "bad_piece_empty": special() + SMALL + piece("") + trainer() + normaliser(),
    "bad_piece_zero": special() + SMALL + piece("a\0b") + trainer() + normaliser(),
    "bad_piece_twice": special() + SMALL + piece("a") + trainer() + normaliser(),
    "bad_score": special() + SMALL + piece("c", float("nan")) + trainer() + normaliser(),
    "bad_map_size": special() + SMALL + trainer() + normaliser(struct.pack("<I", 2048) + bytes(1024) + b"x\0"),
    "bad_map_leaf": special() + SMALL + trainer() + normaliser(EMPTY_MAP[:4] + struct.pack("<I", 1 << 31 | 99) + EMPTY_MAP[8:]),
    "bad_map_step": special() + SMALL + trainer() + normaliser(EMPTY_MAP[:4] + struct.pack("<I", 1 << 20) + EMPTY_MAP[8:]),
    "bad_map_text": special() + SMALL + trainer() + normaliser(EMPTY_MAP[:-1]),
}

if __name__ == "__main__":
    FOLDER.mkdir(exist_ok=True)
    for name, seed in SEEDS.items():
        (FOLDER / name).write_bytes(seed)
