// SPDX-License-Identifier: Apache-2.0
// BERT (Devlin 2019), RoBERTa (Liu 2019), DistilBERT (Sanh 2019): one stack by three sets of names.
#include <array>

#include "heed/base/error.h"
#include "heed/models/text_encoder.h"
#include "heed/pipeline/foreign/stack_recipes.h"

namespace heed::pipeline {
namespace {

struct Names {
  std::string family;
  std::string prefix;
  const char *width, *layers, *heads, *inner, *activation;
  // Of a layer, behind its number.
  std::string layer;
  std::string query, key, value, output, self_norm, first, second, feed_norm;
  bool segments = true;
  std::size_t unread_positions = 0;  // rows of the table before the first that is read
};

// The kind of text encoder that it is.
const std::string kEncoder =
    models::text_encoder_names().at(static_cast<std::size_t>(models::TextEncoderKind::transformer));

const Names& names_of(const ForeignConfig& config) {
  static const Names kBert = {"BERT",
                              "bert.",
                              "hidden_size",
                              "num_hidden_layers",
                              "num_attention_heads",
                              "intermediate_size",
                              "hidden_act",
                              "encoder.layer.",
                              ".attention.self.query",
                              ".attention.self.key",
                              ".attention.self.value",
                              ".attention.output.dense",
                              ".attention.output.LayerNorm",
                              ".intermediate.dense",
                              ".output.dense",
                              ".output.LayerNorm"};
  static const Names kRoberta = [] {
    Names names = kBert;
    names.family = "RoBERTa";
    names.prefix = "roberta.";
    return names;
  }();
  static const Names kDistil = {"DistilBERT",
                                "distilbert.",
                                "dim",
                                "n_layers",
                                "n_heads",
                                "hidden_dim",
                                "activation",
                                "transformer.layer.",
                                ".attention.q_lin",
                                ".attention.k_lin",
                                ".attention.v_lin",
                                ".attention.out_lin",
                                ".sa_layer_norm",
                                ".ffn.lin1",
                                ".ffn.lin2",
                                ".output_layer_norm",
                                false};
  const JsonPlace type = config.root().at("model_type");
  if (type.text() == "bert") return kBert;
  if (type.text() == "roberta") return kRoberta;
  if (type.text() == "distilbert") return kDistil;
  type.fail("\"{}\"; with {} it takes bert, roberta or distilbert", type.text(),
            config.architecture());
}

}  // namespace

std::string toml(const char* name, const std::string& value) {
  return fmt::format("{} = \"{}\"\n", name, value);
}
std::string toml(const char* name, std::int64_t value) {
  return fmt::format("{} = {}\n", name, value);
}
std::string toml(const char* name, double value) {
  const std::string written = fmt::format("{}", value);
  const bool plain = written.find_first_of(".e") == std::string::npos;
  return fmt::format("{} = {}{}\n", name, written, plain ? ".0" : "");
}
std::string toml_flag(const char* name, bool value) {
  return fmt::format("{} = {}\n", name, value);
}

std::int64_t bert_vocabulary(const ForeignFolder& folder) {
  const bool roberta = names_of(folder.config).family == "RoBERTa";
  return folder.config.size("vocab_size", roberta ? 50265 : 30522);
}

void strip_family_prefix(ForeignFolder& folder) {
  folder.weights.strip(names_of(folder.config).prefix);
}

ForeignStack bert_stack(const ForeignFolder& folder, const ForeignTokens& tokens,
                        const std::string& prefix, TensorRecipes& recipes) {
  const ForeignConfig& config = folder.config;
  const Names& names = names_of(config);
  const bool roberta = names.family == "RoBERTa";
  config.require_text("position_embedding_type", "absolute", "a learnt vector for each position");
  config.require("is_decoder", false, "the whole text is seen at once");
  config.require("add_cross_attention", false, "there is no second text to attend to");
  const std::int64_t width = config.size(names.width, 768);
  const std::int64_t layers = config.size(names.layers, names.segments ? 12 : 6);
  const std::int64_t heads = config.size(names.heads, 12);
  const std::int64_t inner = config.size(names.inner, 3072);
  const std::int64_t places = config.size("max_position_embeddings", 512);
  const std::int64_t segments = names.segments ? config.size("type_vocab_size", 2) : 0;
  const std::int64_t unread = roberta ? config.token("pad_token_id").value_or(1) + 1 : 0;
  if (layers > 1000) config.root().fail("{} layers; Heed takes at most 1000", layers);
  if (width % heads != 0) {
    config.root().fail("{} features do not divide into {} heads", width, heads);
  }
  if (places <= unread) {
    config.root().fail("{} positions, of which the first {} are never read; it takes more", places,
                       unread);
  }
  const auto d = static_cast<std::size_t>(width);
  const auto f = static_cast<std::size_t>(inner);
  ForeignStack stack{.family = names.family,
                     .width = d,
                     .activation = config.activation(names.activation, "gelu")};
  stack.options =
      toml("encoder", kEncoder) + toml("layers", layers) + toml("width", width) +
      toml("heads", heads) + toml("inner", inner) + toml("activation", stack.activation) +
      toml("norm", std::string("post")) +
      toml("norm-epsilon", names.segments ? config.number("layer_norm_eps", 1e-12) : 1e-12) +
      toml_flag("scaled-embeddings", false) + toml_flag("embedding-norm", true) +
      toml("segments", segments) + toml("positions", std::string("learned")) +
      toml("longest", places - unread) + toml_flag("begin-token", !tokens.frame.begin.empty());

  const std::string s = prefix + ".stack.";
  take_token_rows(recipes, tokens, prefix + ".embedding.weight",
                  "embeddings.word_embeddings.weight", d);
  recipes.take_part(s + "positions.weight", "embeddings.position_embeddings.weight",
                    {static_cast<std::size_t>(places), d}, static_cast<std::size_t>(unread));
  if (segments > 0) {
    recipes.take(s + "segments.weight", "embeddings.token_type_embeddings.weight",
                 {static_cast<std::size_t>(segments), d});
  }
  recipes.take_norm(s + "embedding_norm", "embeddings.LayerNorm", d);
  for (std::int64_t i = 0; i < layers; ++i) {
    const std::string to = fmt::format("{}layers.{}.", s, i);
    const std::string from = fmt::format("{}{}", names.layer, i);
    recipes.take_linear(to + "self.W_Q", from + names.query, d, d);
    recipes.take_linear(to + "self.W_K", from + names.key, d, d);
    recipes.take_linear(to + "self.W_V", from + names.value, d, d);
    recipes.take_linear(to + "self.W_O", from + names.output, d, d);
    recipes.take_norm(to + "self_norm", from + names.self_norm, d);
    recipes.take_linear(to + "feed.first", from + names.first, d, f);
    recipes.take_linear(to + "feed.second", from + names.second, f, d);
    recipes.take_norm(to + "feed_norm", from + names.feed_norm, d);
  }
  recipes.drop_ending("position_ids", "numbers of positions");
  recipes.drop_beginning("cls.seq_relationship.", "the head for pairs of sentences");
  return stack;
}

}  // namespace heed::pipeline
