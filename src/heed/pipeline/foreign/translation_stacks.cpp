// SPDX-License-Identifier: Apache-2.0
// Marian (Junczys-Dowmunt 2018) as transformers writes it, and T5 (Raffel 2020).
#include "heed/pipeline/foreign/translation_stacks.h"

#include <algorithm>
#include <cmath>

#include "heed/attention/positions.h"
#include "heed/base/error.h"
#include "heed/models/tie.h"

namespace heed::pipeline {
namespace {

constexpr std::int64_t kMostLayersOfASide = 1000;

// Drops the tables that say again what the first of them says.
void drop_copies(const ForeignWeights& weights, TensorRecipes& recipes, const std::string& first,
                 std::initializer_list<const char*> others) {
  const ForeignTensor* table = weights.find(first);
  for (const char* name : others) {
    const ForeignTensor* other = weights.find(name);
    if (other == nullptr || table == nullptr || first == name) continue;
    if (!weights.same(*table, *other)) {
      throw DataError(
          "{}: \"{}\" is not the copy of \"{}\" that it should be; Heed's translators "
          "of this family have one table for both",
          other->file, other->stored_name, table->stored_name);
    }
    recipes.drop(name, fmt::format("a copy of {}", table->stored_name));
  }
}

// The first of these names that the file has.
std::string first_of(const ForeignWeights& weights, std::initializer_list<const char*> names) {
  for (const char* name : names) {
    if (weights.find(name) != nullptr) return name;
  }
  return *names.begin();
}

// Positions are computed; a stored table must be the one that would be.
void drop_sinusoids(const ForeignFolder& folder, TensorRecipes& recipes, std::size_t width) {
  for (const char* side : {"encoder", "decoder"}) {
    const std::string name = fmt::format("{}.embed_positions.weight", side);
    const ForeignTensor* table = folder.weights.find(name);
    if (table == nullptr) continue;
    if (table->shape.size() != 2 || table->shape[1] != width) {
      throw DataError("{}: \"{}\" is {}; it takes rows of {}", table->file, table->stored_name,
                      shape_text(table->shape), width);
    }
    const auto rows = static_cast<std::int64_t>(table->shape[0]);
    const Tensor computed = attention::sinusoidal_positions(rows, static_cast<std::int64_t>(width),
                                                            0, attention::Sinusoids::halves);
    std::vector<Real> stored(table->count);
    table->read(stored);
    for (std::size_t i = 0; i < stored.size(); ++i) {
      if (std::abs(stored[i] - computed.data()[i]) <= Real(1e-3)) continue;
      throw DataError(
          "{}: \"{}\" holds other numbers than sines and cosines of the position (row {}); Heed "
          "reads Marian models with computed positions",
          table->file, table->stored_name, i / width);
    }
    recipes.drop(name, "sines of positions, computed");
  }
}

}  // namespace

ForeignStack marian_stacks(const ForeignFolder& folder, const ForeignTokens& tokens,
                           TensorRecipes& recipes) {
  const ForeignConfig& config = folder.config;
  config.require("normalize_before", false, "norms come after each sublayer");
  config.require("normalize_embedding", false, "embeddings have no norm");
  config.require("add_final_layer_norm", false, "there is no last norm");
  config.require("static_position_embeddings", true, "positions are sines");
  config.require("share_encoder_decoder_embeddings", true, "both sides have one table");
  const std::int64_t width = config.size("d_model", 1024);
  const std::int64_t heads = config.size("encoder_attention_heads", 16);
  const std::int64_t inner = config.size("encoder_ffn_dim", 4096);
  const std::int64_t encoder = config.size("encoder_layers", 12);
  const std::int64_t decoder = config.size("decoder_layers", 12);
  if (heads != config.size("decoder_attention_heads", 16) ||
      inner != config.size("decoder_ffn_dim", 4096)) {
    config.root().fail(
        "encoder and decoder have other heads or other feed-forward blocks; Heed's translators "
        "have the same in both");
  }
  if (std::max(encoder, decoder) > kMostLayersOfASide) {
    config.root().fail("{} and {} layers; Heed takes at most {}", encoder, decoder,
                       kMostLayersOfASide);
  }
  if (width % heads != 0) {
    config.root().fail("{} features do not divide into {} heads", width, heads);
  }
  ForeignStack stack{.family = "Marian",
                     .width = static_cast<std::size_t>(width),
                     .activation = config.activation("activation_function", "gelu")};
  stack.options = toml("encoder-layers", encoder) + toml("decoder-layers", decoder) +
                  toml("width", width) + toml("heads", heads) + toml("inner", inner) +
                  toml("activation", stack.activation) + toml("norm", std::string("post")) +
                  toml("norm-epsilon", 1e-5) +
                  toml_flag("scaled-embeddings", config.truth("scale_embedding", false)) +
                  toml("positions", std::string("sinusoidal")) +
                  toml("sinusoids", std::string("halves")) + toml("tie", std::string("all"));
  const std::size_t d = stack.width;
  const auto f = static_cast<std::size_t>(inner);
  const auto& weights = folder.weights;
  const std::string table = first_of(
      weights, {"shared.weight", "encoder.embed_tokens.weight", "decoder.embed_tokens.weight"});
  take_token_rows(recipes, tokens, "source.embedding.weight", table, d);
  drop_copies(weights, recipes, table,
              {"encoder.embed_tokens.weight", "decoder.embed_tokens.weight", "lm_head.weight"});
  take_output_bias(recipes, tokens, "output_bias", "final_logits_bias");
  drop_sinusoids(folder, recipes, d);
  const auto attention = [&](const std::string& to, const std::string& from) {
    recipes.take_linear(to + ".W_Q", from + ".q_proj", d, d);
    recipes.take_linear(to + ".W_K", from + ".k_proj", d, d);
    recipes.take_linear(to + ".W_V", from + ".v_proj", d, d);
    recipes.take_linear(to + ".W_O", from + ".out_proj", d, d);
  };
  for (const auto& [side, layers] :
       {std::pair{std::string("encoder"), encoder}, std::pair{std::string("decoder"), decoder}}) {
    for (std::int64_t i = 0; i < layers; ++i) {
      const std::string to = fmt::format("{}.{}.", side, i);
      const std::string from = fmt::format("{}.layers.{}.", side, i);
      attention(to + "self", from + "self_attn");
      recipes.take_norm(to + "self_norm", from + "self_attn_layer_norm", d);
      if (side == "decoder") {
        attention(to + "cross", from + "encoder_attn");
        recipes.take_norm(to + "cross_norm", from + "encoder_attn_layer_norm", d);
      }
      recipes.take_linear(to + "feed.first", from + "fc1", d, f);
      recipes.take_linear(to + "feed.second", from + "fc2", f, d);
      recipes.take_norm(to + "feed_norm", from + "final_layer_norm", d);
    }
  }
  return stack;
}

ForeignStack t5_stacks(const ForeignFolder& folder, const ForeignTokens& tokens,
                       TensorRecipes& recipes) {
  const ForeignConfig& config = folder.config;
  const std::int64_t width = config.size("d_model", 512);
  const std::int64_t heads = config.size("num_heads", 8);
  const std::int64_t head = config.size("d_kv", 64);
  const std::int64_t inner = config.size("d_ff", 2048);
  const std::int64_t encoder = config.size("num_layers", 6);
  const std::int64_t decoder = config.size("num_decoder_layers", encoder);
  const std::int64_t buckets = config.size("relative_attention_num_buckets", 32);
  const std::int64_t distance = config.size("relative_attention_max_distance", 128);
  const std::string feed = config.text("feed_forward_proj", "relu");
  if (feed != "relu" && feed != "gated-gelu") {
    config.root().fail("feed_forward_proj \"{}\"; Heed knows relu and gated-gelu", feed);
  }
  const bool gated = feed == "gated-gelu";
  if (std::max(encoder, decoder) > kMostLayersOfASide) {
    config.root().fail("{} and {} layers; Heed takes at most {}", encoder, decoder,
                       kMostLayersOfASide);
  }
  if (head > 65536 || heads > 65536) {
    config.root().fail("{} heads of {} features; Heed takes at most 65536", heads, head);
  }
  const bool tied = config.truth("tie_word_embeddings", true);
  ForeignStack stack{.family = "T5",
                     .width = static_cast<std::size_t>(width),
                     .activation = gated ? "gelu_tanh" : "relu"};
  // Scores are not divided by the root of a head's width.
  stack.options =
      toml("encoder-layers", encoder) + toml("decoder-layers", decoder) + toml("width", width) +
      toml("heads", heads) + toml("head-width", head) + toml("inner", inner) +
      toml("activation", stack.activation) + toml_flag("gated", gated) +
      toml_flag("feed-bias", false) + toml("attention-bias", std::string("none")) +
      toml("norm", std::string("pre")) + toml("norm-kind", std::string("rms")) +
      toml("norm-epsilon", config.number("layer_norm_epsilon", 1e-6)) +
      toml_flag("scaled-embeddings", false) + toml("positions", std::string("relative")) +
      toml("relative-buckets", buckets) + toml("relative-distance", distance) +
      toml_flag("relative-shared", true) + toml("attention", std::string("dot"));
  const std::size_t d = stack.width;
  const auto f = static_cast<std::size_t>(inner);
  const auto a = static_cast<std::size_t>(heads * head);
  const auto& weights = folder.weights;
  const std::string table = first_of(
      weights, {"shared.weight", "encoder.embed_tokens.weight", "decoder.embed_tokens.weight"});
  take_token_rows(recipes, tokens, "source.embedding.weight", table, d);
  const ForeignTensor* output = weights.find("lm_head.weight");
  const ForeignTensor* shared = weights.find(table);
  const bool own =
      !tied || (output != nullptr && shared != nullptr && !weights.same(*shared, *output));
  drop_copies(weights, recipes, table,
              {"encoder.embed_tokens.weight", "decoder.embed_tokens.weight"});
  if (own) {
    take_token_rows(recipes, tokens, "output", "lm_head.weight", d);
  } else if (output != nullptr) {
    recipes.drop("lm_head.weight", "a copy of the embeddings");
  }
  const models::Tie tie = own ? models::Tie::inputs : models::Tie::all;
  stack.options += toml("tie", models::tie_names().at(static_cast<std::size_t>(tie)));
  take_output_bias(recipes, tokens, "output_bias", "");
  const auto attention = [&](const std::string& to, const std::string& from) {
    recipes.take_linear(to + ".W_Q", from + ".q", d, a, false);
    recipes.take_linear(to + ".W_K", from + ".k", d, a, false);
    recipes.take_linear(to + ".W_V", from + ".v", d, a, false);
    recipes.take_linear(to + ".W_O", from + ".o", a, d, false);
  };
  for (const auto& [side, layers] :
       {std::pair{std::string("encoder"), encoder}, std::pair{std::string("decoder"), decoder}}) {
    const bool reads = side == "decoder";
    for (std::int64_t i = 0; i < layers; ++i) {
      const std::string to = fmt::format("{}.{}.", side, i);
      const std::string from = fmt::format("{}.block.{}.layer.", side, i);
      attention(to + "self", from + "0.SelfAttention");
      recipes.take_norm(to + "self_norm", from + "0.layer_norm", d, false);
      if (reads) {
        attention(to + "cross", from + "1.EncDecAttention");
        recipes.take_norm(to + "cross_norm", from + "1.layer_norm", d, false);
      }
      const std::string last = from + (reads ? "2" : "1");
      if (gated) {
        recipes.take_linear(to + "feed.first", last + ".DenseReluDense.wi_0", d, f, false);
        recipes.take_linear(to + "feed.gated", last + ".DenseReluDense.wi_1", d, f, false);
      } else {
        recipes.take_linear(to + "feed.first", last + ".DenseReluDense.wi", d, f, false);
      }
      recipes.take_linear(to + "feed.second", last + ".DenseReluDense.wo", f, d, false);
      recipes.take_norm(to + "feed_norm", last + ".layer_norm", d, false);
    }
    recipes.take_transposed(side + ".0.self.bias.table",
                            side + ".block.0.layer.0.SelfAttention.relative_attention_bias.weight",
                            static_cast<std::size_t>(buckets), static_cast<std::size_t>(heads));
    // Before a shared table the decoder's result is multiplied by D^-1/2: in the last norm.
    recipes.take_part(side + "_norm.gain", side + ".final_layer_norm.weight", {d}, 0,
                      reads && tied ? 1 / std::sqrt(static_cast<double>(width)) : 1);
  }
  recipes.drop_ending("EncDecAttention.relative_attention_bias.weight",
                      "distances to the source, which are never read");
  return stack;
}

}  // namespace heed::pipeline
