#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Trains the smallest of models with build/release/heed and writes the seeds of the fuzz target of model folders: the
# files of a folder as parts "@NAME". valid_* must be read, bad_* must be refused.
import json
import pathlib
import struct
import subprocess
import tempfile

FOLDER = pathlib.Path(__file__).parent / "model_folder"
HEED = pathlib.Path(__file__).parents[2] / "build/release/heed"
LABELLED = "a\ta b\nb\tb a\na\ta a b\nb\tb b\n"
LINES = "a b\nb a\na b a\n"
STORIES = "1 a b\n2 b a\n3 a\tb\t2\n"
PAIRS = "a b\tb a\nb a\ta b\n"
# The options that make it small, which is all that its config need say.
MODELS = {
    "classify": ("--train", LABELLED, {"encoder": "bag", "embedding": 1, "attention": "none"}),
    "classify_attention": ("--train", LABELLED, {"encoder": "rnn", "cell": "gru", "bidirectional": "false",
                                                 "embedding": 1, "hidden": 1, "attention": "additive(size=1)"}),
    "language": ("--train", LINES, {"model": "recurrent", "hidden": 1, "layers": 1, "embedding": 1, "tracks": 1,
                                    "window": 4, "tied": "false"}),
    "masked": ("--train", LINES, {"encoder": "bag", "embedding": 1}),
    "memory": ("--train", STORIES, {"width": 1, "hops": 1}),
    "translate": ("--train", PAIRS, {"model": "seq2seq", "embedding": 1, "hidden": 1, "tie": "none",
                                            "encoder-layers": 1, "decoder-layers": 1, "shared-vocabulary": "true"}),
}


def toml(options):
    plain = (int, float)
    return "".join(f"{key} = {value}\n" if isinstance(value, plain) or value in ("true", "false")
                   else f'{key} = "{value}"\n' for key, value in options.items()).encode()


def flags(options):
    for key, value in options.items():
        if value == "false":
            yield f"--no-{key}"
        elif value == "true":
            yield f"--{key}"
        else:
            yield from (f"--{key}", str(value))


def unsealed(weights):
    """The same without what the files beside it must be, so that a changed file is read as well."""
    size = struct.unpack("<Q", weights[:8])[0]
    header = json.loads(weights[8:8 + size])
    header["__metadata__"] = {key: value for key, value in header["__metadata__"].items() if key in ("format", "task")}
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)
    return struct.pack("<Q", len(text)) + text + weights[8 + size:]


def trained(name):
    option, text, options = MODELS[name]
    task = name.split("_")[0]
    with tempfile.TemporaryDirectory() as place:
        data = pathlib.Path(place, "data.tsv")
        data.write_text(text)
        out = pathlib.Path(place, "model")
        # Stories have a vocabulary of all their words.
        words = [] if task == "memory" else ["--tokeniser", "words", "--vocabulary-size", "20"]
        subprocess.run([HEED, "train", task, option, data, "--out", out, *words, "--max-updates", "1", "--threads", "1",
                        *flags(options)], check=True,
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        parts = {"config.toml": toml(options)}
        for file in ("tokeniser", "source.tokeniser", "labels.tsv", "memory.tsv", "model.safetensors"):
            if (out / file).exists():
                parts[file] = (out / file).read_bytes().rstrip(b"\n" if file != "model.safetensors" else b"")
        parts["model.safetensors"] = unsealed(parts["model.safetensors"])
        return parts


def write(name, parts):
    (FOLDER / name).write_bytes(b"\n".join(f"@{file}\n".encode() + content.rstrip(b"\n") if file != "model.safetensors"
                                           else b"@model.safetensors\n" + content for file, content in parts.items()))


if __name__ == "__main__":
    FOLDER.mkdir(exist_ok=True)
    for model in MODELS:
        parts = trained(model)
        write(f"valid_{model}", parts)
        task = model.split("_")[0].encode()
        without = {file: content for file, content in parts.items() if file != "model.safetensors"}
        write(f"bad_{model}_without_weights", {"task": task, **without})
    parts = trained("memory")
    write("bad_memory_sizes", {**parts, "memory.tsv": b"slots\t0\nwords\t2\n"})
    parts = trained("classify")
    write("bad_config", {**parts, "config.toml": b"encoder = \"bog\"\n"})
    write("bad_attention", {**parts, "config.toml": b"attention = \"additiv\"\n"})
    write("bad_large", {**parts, "config.toml": b"encoder = \"transformer\"\nwidth = 65536\ninner = 65536\nlayers = 1000\n"})
    write("bad_filters", {**parts, "config.toml": b"encoder = \"cnn\"\nfilters = [\"-1\", \"x\"]\n"})
    write("bad_tokeniser", {**parts, "tokeniser": b"heed-vocabulary 1 kind=words\n"})
    write("bad_labels", {**parts, "labels.tsv": b"label\ta\t1\n"})
    write("valid_choices", {"choices.tsv": b"temperature of label\t1.5\nthreshold of label\t0.7", **parts})
    write("bad_choices", {"choices.tsv": b"temperature of tone\t1.5", **parts})
    write("bad_task", {"task": b"juggle", "config.toml": b"", "tokeniser": parts["tokeniser"]})
    write("bad_weights", {**parts, "model.safetensors": parts["model.safetensors"][:-3]})
