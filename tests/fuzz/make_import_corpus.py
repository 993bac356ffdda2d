#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Writes the inputs of the fuzz target import: folders of a tiny GPT-2 and a tiny LLaMA, good and bad, file by file.
import json
import pathlib
import struct

FOLDER = pathlib.Path(__file__).parent / "import"
WIDTH, INNER, WORDS = 2, 4, 6


def safetensors(shapes):
    header, at = {}, 0
    for name, shape in shapes.items():
        size = 4
        for n in shape:
            size *= n
        header[name] = {"dtype": "F32", "shape": shape, "data_offsets": [at, at + size]}
        at += size
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)
    return struct.pack("<Q", len(text)) + text + struct.pack("<f", 0.25) * (at // 4)


def gpt2():
    d = WIDTH
    config = {"architectures": ["GPT2LMHeadModel"], "model_type": "gpt2", "n_embd": d, "n_layer": 1, "n_head": 1,
              "n_positions": 4, "vocab_size": WORDS, "eos_token_id": 0}
    shapes = {"wte.weight": [WORDS, d], "wpe.weight": [4, d], "h.0.attn.c_attn.weight": [d, 3 * d],
              "h.0.attn.c_attn.bias": [3 * d], "h.0.attn.c_proj.weight": [d, d], "h.0.attn.c_proj.bias": [d],
              "h.0.mlp.c_fc.weight": [d, 4 * d], "h.0.mlp.c_fc.bias": [4 * d], "h.0.mlp.c_proj.weight": [4 * d, d],
              "h.0.mlp.c_proj.bias": [d]}
    for norm in ("h.0.ln_1", "h.0.ln_2", "ln_f"):
        shapes[norm + ".weight"] = shapes[norm + ".bias"] = [d]
    return config, shapes


def llama():
    d, f = WIDTH, INNER
    config = {"architectures": ["LlamaForCausalLM"], "model_type": "llama", "hidden_size": d, "intermediate_size": f,
              "num_hidden_layers": 1, "num_attention_heads": 1, "max_position_embeddings": 8, "vocab_size": WORDS,
              "tie_word_embeddings": True, "eos_token_id": 0,
              "rope_scaling": {"rope_type": "llama3", "factor": 8.0, "low_freq_factor": 1.0, "high_freq_factor": 4.0,
                               "original_max_position_embeddings": 4}}
    layer = "model.layers.0."
    shapes = {"model.embed_tokens.weight": [WORDS, d], "model.norm.weight": [d],
              layer + "input_layernorm.weight": [d], layer + "post_attention_layernorm.weight": [d],
              layer + "mlp.gate_proj.weight": [f, d], layer + "mlp.up_proj.weight": [f, d],
              layer + "mlp.down_proj.weight": [d, f]}
    for side in "qkvo":
        shapes[layer + f"self_attn.{side}_proj.weight"] = [d, d]
    return config, shapes


def bert(**head):
    d, f = WIDTH, INNER
    config = {"architectures": ["BertModel"], "model_type": "bert", "hidden_size": d, "intermediate_size": f,
              "num_hidden_layers": 1, "num_attention_heads": 1, "max_position_embeddings": 6, "vocab_size": WORDS}
    shapes = {"embeddings.word_embeddings.weight": [WORDS, d], "embeddings.position_embeddings.weight": [6, d],
              "embeddings.token_type_embeddings.weight": [2, d]}
    layer = "encoder.layer.0."
    for name, rows, columns in (("attention.self.query", d, d), ("attention.self.key", d, d),
                                ("attention.self.value", d, d), ("attention.output.dense", d, d),
                                ("intermediate.dense", f, d), ("output.dense", d, f)):
        shapes[layer + name + ".weight"], shapes[layer + name + ".bias"] = [rows, columns], [rows]
    for norm in ("embeddings.LayerNorm", layer + "attention.output.LayerNorm", layer + "output.LayerNorm"):
        shapes[norm + ".weight"] = shapes[norm + ".bias"] = [d]
    return config, {**shapes, **head}


def vit():
    d, f = WIDTH, INNER
    config = {"architectures": ["ViTForImageClassification"], "model_type": "vit", "hidden_size": d,
              "intermediate_size": f, "num_hidden_layers": 1, "num_attention_heads": 1, "image_size": 4,
              "patch_size": 2, "id2label": {"0": "a", "1": "b"}}
    shapes = {"embeddings.cls_token": [1, 1, d], "embeddings.position_embeddings": [1, 5, d],
              "embeddings.patch_embeddings.projection.weight": [d, 3, 2, 2],
              "embeddings.patch_embeddings.projection.bias": [d]}
    layer = "encoder.layer.0."
    for name, rows, columns in (("attention.attention.query", d, d), ("attention.attention.key", d, d),
                                ("attention.attention.value", d, d), ("attention.output.dense", d, d),
                                ("intermediate.dense", f, d), ("output.dense", d, f)):
        shapes[layer + name + ".weight"], shapes[layer + name + ".bias"] = [rows, columns], [rows]
    for norm in (layer + "layernorm_before", layer + "layernorm_after", "layernorm"):
        shapes[norm + ".weight"] = shapes[norm + ".bias"] = [d]
    return config, {**{"vit." + name: shape for name, shape in shapes.items()},
                    "classifier.weight": [2, d], "classifier.bias": [2]}


WORDPIECE = {"added_tokens": [], "pre_tokenizer": {"type": "BertPreTokenizer"},
             "post_processor": {"type": "TemplateProcessing", "single": [
                 {"SpecialToken": {"id": "[CLS]", "type_id": 0}}, {"Sequence": {"id": "A", "type_id": 0}},
                 {"SpecialToken": {"id": "[SEP]", "type_id": 0}}]},
             "decoder": {"type": "WordPiece", "prefix": "##"},
             "model": {"type": "WordPiece", "unk_token": "[UNK]",
                       "vocab": {"[PAD]": 0, "[UNK]": 1, "[CLS]": 2, "[SEP]": 3, "a": 4, "b": 5}}}

TOKENIZER = {"added_tokens": [{"id": 0, "content": "<e>", "special": True}], "pre_tokenizer": {"type": "ByteLevel"},
             "decoder": {"type": "ByteLevel"},
             "model": {"type": "BPE", "vocab": {"<e>": 0, "a": 1, "b": 2, "ab": 3}, "merges": ["a b"]}}


def write(name, config, weights, tokenizer=None, **more):
    files = {"config.json": json.dumps(config).encode(), "tokenizer.json": json.dumps(tokenizer or TOKENIZER).encode(),
             **more, "model.safetensors": weights}
    if weights is None:
        del files["model.safetensors"]
    body = b"\n".join(b"@" + key.encode() + b"\n" + value for key, value in files.items())
    (FOLDER / name).write_bytes(body)


def main():
    FOLDER.mkdir(exist_ok=True)
    for name, (config, shapes) in {"gpt2": gpt2(), "llama": llama()}.items():
        good = safetensors(shapes)
        write(f"valid_{name}", config, good)
        write(f"bad_{name}_missing", config, safetensors(dict(list(shapes.items())[1:])))
        write(f"bad_{name}_surplus", config, safetensors({**shapes, "more": [1]}))
    config, shapes = gpt2()
    good = safetensors(shapes)
    write("bad_layers", {**config, "n_layer": 16000000}, good)
    write("bad_width", {**config, "n_embd": 16777216, "n_head": 16777216}, good)
    write("bad_activation", {**config, "activation_function": "quick_gelu"}, good)
    write("bad_end", {**config, "eos_token_id": 99}, good)
    index = {"weight_map": {key: "part.safetensors" for key in shapes}}
    write("valid_index", config, None, **{"model.safetensors.index.json": json.dumps(index).encode(),
                                          "part.safetensors": good})
    outside = {"weight_map": {key: "../part.safetensors" for key in shapes}}
    write("bad_index", config, None, **{"model.safetensors.index.json": json.dumps(outside).encode(),
                                        "part.safetensors": good})
    config, shapes = bert()
    modules = json.dumps([{"path": "", "type": "m.Transformer"}, {"path": "1_Pooling", "type": "m.Pooling"},
                          {"path": "2", "type": "m.Normalize"}]).encode()
    pooling = b'{"pooling_mode_cls_token": true}'
    write("valid_embed", config, safetensors(shapes), WORDPIECE, **{
        "modules.json": modules, "1_Pooling/config.json": pooling,
        "sentence_bert_config.json": b'{"max_seq_length": 5}'})
    write("bad_module", config, safetensors(shapes), WORDPIECE, **{
        "modules.json": modules.replace(b"m.Normalize", b"m.Dense"), "1_Pooling/config.json": pooling})
    write("bad_pooling", config, safetensors(shapes), WORDPIECE, **{
        "modules.json": modules, "1_Pooling/config.json": b'{"pooling_mode_cls_token": false}'})
    config, shapes = bert(**{"pooler.dense.weight": [WIDTH, WIDTH], "pooler.dense.bias": [WIDTH],
                             "classifier.weight": [2, WIDTH], "classifier.bias": [2]})
    config["architectures"] = ["BertForSequenceClassification"]
    write("valid_classify", {**config, "id2label": {"0": "good", "1": "bad"}}, safetensors(shapes), WORDPIECE)
    write("bad_labels", {**config, "id2label": {"0": "good", "2": "bad"}}, safetensors(shapes), WORDPIECE)
    config, shapes = vit()
    size = b'{"size": {"height": 4, "width": 4}, "image_mean": [0.5, 0.4, 0.3], "image_std": [0.5, 0.5, 0.2]}'
    write("valid_vit", config, safetensors(shapes), **{"preprocessor_config.json": size})
    write("bad_vit_size", config, safetensors(shapes), **{"preprocessor_config.json": size.replace(b"4,", b"8,", 1)})
    write("bad_vit_patch", {**config, "patch_size": 3}, safetensors(shapes))
    config, shapes = llama()
    write("bad_yarn", {**config, "rope_scaling": {"rope_type": "yarn", "factor": 2.0}}, safetensors(shapes))


if __name__ == "__main__":
    main()
