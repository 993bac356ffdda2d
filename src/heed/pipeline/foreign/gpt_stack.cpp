// SPDX-License-Identifier: Apache-2.0
// GPT-2 (Radford 2019), and LLaMA (Touvron 2023) with Mistral and Qwen 2, which differ in biases
// and windows.
#include <cmath>

#include "heed/base/error.h"
#include "heed/pipeline/foreign/stack_recipes.h"

namespace heed::pipeline {
namespace {

constexpr std::int64_t kMostLayers = 1000;

void require_layers(const ForeignConfig& config, std::int64_t layers) {
  if (layers > kMostLayers) {
    config.root().fail("{} layers; Heed takes at most {}", layers, kMostLayers);
  }
}

ForeignStack gpt2(const ForeignFolder& folder, const ForeignTokens& tokens,
                  TensorRecipes& recipes) {
  const ForeignConfig& config = folder.config;
  config.require("add_cross_attention", false, "there is no second text to attend to");
  const std::int64_t width = config.size("n_embd", 768);
  const std::int64_t layers = config.size("n_layer", 12);
  const std::int64_t heads = config.size("n_head", 12);
  const std::int64_t inner = config.size("n_inner", 4 * width);
  const std::int64_t places = config.size("n_positions", 1024);
  require_layers(config, layers);
  if (width % heads != 0) {
    config.root().fail("{} features do not divide into {} heads", width, heads);
  }
  ForeignStack stack{.family = "GPT-2",
                     .width = static_cast<std::size_t>(width),
                     .activation = config.activation("activation_function", "gelu_new")};
  stack.options = toml("layers", layers) + toml("width", width) + toml("heads", heads) +
                  toml("inner", inner) + toml("activation", stack.activation) +
                  toml("norm", std::string("pre")) +
                  toml("norm-epsilon", config.number("layer_norm_epsilon", 1e-5)) +
                  toml_flag("scaled-embeddings", false) +
                  toml("positions", std::string("learned")) + toml("longest", places);
  const std::size_t d = stack.width;
  const auto f = static_cast<std::size_t>(inner);
  take_token_rows(recipes, tokens, "words.weight", "wte.weight", d);
  recipes.take("stack.positions.weight", "wpe.weight", {static_cast<std::size_t>(places), d});
  for (std::int64_t i = 0; i < layers; ++i) {
    const std::string to = fmt::format("stack.layers.{}.", i);
    const std::string from = fmt::format("h.{}.", i);
    // Scores are scaled by 1 / sqrt(d) in Heed; another scale goes into the queries.
    double scale = 1;
    if (!config.truth("scale_attn_weights", true)) {
      scale *= std::sqrt(static_cast<double>(width) / static_cast<double>(heads));
    }
    if (config.truth("scale_attn_by_inverse_layer_idx", false)) {
      scale /= static_cast<double>(i + 1);
    }
    const char* const sides[] = {"W_Q", "W_K", "W_V"};
    for (std::size_t side = 0; side < 3; ++side) {
      const double factor = side == 0 ? scale : 1;
      recipes.take_transposed(to + "self." + sides[side] + ".weight", from + "attn.c_attn.weight",
                              d, 3 * d, side * d, d, factor);
      recipes.take_part(to + "self." + sides[side] + ".bias", from + "attn.c_attn.bias", {3 * d},
                        side * d, factor);
    }
    recipes.take_transposed(to + "self.W_O.weight", from + "attn.c_proj.weight", d, d);
    recipes.take(to + "self.W_O.bias", from + "attn.c_proj.bias", {d});
    recipes.take_norm(to + "self_norm", from + "ln_1", d);
    recipes.take_transposed(to + "feed.first.weight", from + "mlp.c_fc.weight", d, f);
    recipes.take(to + "feed.first.bias", from + "mlp.c_fc.bias", {f});
    recipes.take_transposed(to + "feed.second.weight", from + "mlp.c_proj.weight", f, d);
    recipes.take(to + "feed.second.bias", from + "mlp.c_proj.bias", {d});
    recipes.take_norm(to + "feed_norm", from + "ln_2", d);
  }
  recipes.take_norm("stack.norm", "ln_f", d);
  recipes.drop_ending(".attn.bias", "the mask of the future");
  recipes.drop_ending(".attn.masked_bias", "the mask of the future");
  return stack;
}

// The keys of rotary positions, which newer files put into an object of their own.
std::string rotary_options(const ForeignConfig& config) {
  const auto parameters = config.find("rope_parameters");
  const auto scaling = parameters ? parameters : config.find("rope_scaling");
  double base = config.number("rope_theta", 10000);
  std::string text;
  if (scaling) {
    if (const auto inside = scaling->find("rope_theta")) base = inside->number();
    const auto type =
        scaling->find("rope_type") ? scaling->find("rope_type") : scaling->find("type");
    const std::string name = type ? type->text() : "default";
    const auto positive = [&](const char* key) {
      const JsonPlace place = scaling->at(key);
      if (!(place.number() > 0)) place.fail("{}; it takes more than 0", place.number());
      return place.number();
    };
    if (name == "linear") {
      text = toml("rotary-scaling", name) + toml("rotary-factor", positive("factor"));
    } else if (name == "llama3") {
      text = toml("rotary-scaling", name) + toml("rotary-factor", positive("factor")) +
             toml("rotary-low", positive("low_freq_factor")) +
             toml("rotary-high", positive("high_freq_factor")) +
             toml("rotary-original", positive("original_max_position_embeddings"));
    } else if (name != "default") {
      scaling->fail("rotary positions \"{}\"; Heed knows default, linear and llama3", name);
    }
  }
  if (!(base > 0)) config.root().fail("rope_theta {}; it takes more than 0", base);
  return toml("positions", std::string("rotary")) +
         toml("rotary-pairs", std::string("half_split")) + toml("rotary-base", base) + text;
}

// The window that every layer has; 0: none.
std::int64_t window_of(const ForeignConfig& config, std::int64_t layers) {
  const std::string& type = config.root().at("model_type").text();
  if (type == "llama") return 0;
  const auto window = config.find("sliding_window");
  if (type == "qwen2") {
    if (!config.truth("use_sliding_window", false) || !window) return 0;
    const std::int64_t first = config.size("max_window_layers", 28);
    if (first >= layers) return 0;
    config.root().fail(
        "max_window_layers {} of {} layers have no sliding window; Heed reads one window for all "
        "layers, or none",
        first, layers);
  }
  if (window) return window->whole(1, 1 << 24);
  // Missing is the default, null is none.
  for (const auto& [key, value] : config.root().object()) {
    if (key == "sliding_window") return 0;
  }
  return 4096;
}

ForeignStack llama(const ForeignFolder& folder, const ForeignTokens& tokens,
                   TensorRecipes& recipes) {
  const ForeignConfig& config = folder.config;
  const std::string& type = config.root().at("model_type").text();
  const std::int64_t width = config.size("hidden_size", 4096);
  const std::int64_t layers = config.size("num_hidden_layers", 32);
  const std::int64_t heads = config.size("num_attention_heads", 32);
  const std::int64_t key_heads = config.size("num_key_value_heads", type == "mistral" ? 8 : heads);
  const std::int64_t inner = config.size("intermediate_size", type == "mistral" ? 14336
                                                              : type == "qwen2" ? 22016
                                                                                : 11008);
  const std::int64_t places = config.size("max_position_embeddings", 2048);
  require_layers(config, layers);
  if (heads % key_heads != 0) {
    config.root().fail("{} heads do not divide into {} heads of keys", heads, key_heads);
  }
  const std::int64_t head = config.size("head_dim", std::max<std::int64_t>(width / heads, 1));
  if (head % 2 != 0 || head > 65536) {
    config.root().fail("heads of {} features; it takes an even number up to 65536", head);
  }
  const bool biases = config.truth("attention_bias", false);
  const bool feed_bias = config.truth("mlp_bias", false);
  const std::string kinds = biases ? "all" : type == "qwen2" ? "inputs" : "none";
  ForeignStack stack{.family = type == "mistral" ? "Mistral"
                               : type == "qwen2" ? "Qwen 2"
                                                 : "LLaMA",
                     .width = static_cast<std::size_t>(width),
                     .activation = config.activation("hidden_act", "silu")};
  stack.options = toml("layers", layers) + toml("width", width) + toml("heads", heads) +
                  toml("key-heads", key_heads) + toml("head-width", head) + toml("inner", inner) +
                  toml("activation", stack.activation) + toml_flag("gated", true) +
                  toml_flag("feed-bias", feed_bias) + toml("attention-bias", kinds) +
                  toml("norm", std::string("pre")) + toml("norm-kind", std::string("rms")) +
                  toml("norm-epsilon", config.number("rms_norm_eps", 1e-6)) +
                  toml_flag("scaled-embeddings", false) + rotary_options(config) +
                  toml("longest", places);
  if (const std::int64_t window = window_of(config, layers); window > 0) {
    stack.options +=
        toml("attention", fmt::format("scaled_dot | window(left={}, right=0)", window - 1));
  }
  const std::size_t d = stack.width;
  const auto f = static_cast<std::size_t>(inner);
  const auto q = static_cast<std::size_t>(heads * head);
  const auto k = static_cast<std::size_t>(key_heads * head);
  take_token_rows(recipes, tokens, "words.weight", "embed_tokens.weight", d);
  for (std::int64_t i = 0; i < layers; ++i) {
    const std::string to = fmt::format("stack.layers.{}.", i);
    const std::string from = fmt::format("layers.{}.", i);
    const bool inputs = kinds != "none";
    recipes.take_linear(to + "self.W_Q", from + "self_attn.q_proj", d, q, inputs);
    recipes.take_linear(to + "self.W_K", from + "self_attn.k_proj", d, k, inputs);
    recipes.take_linear(to + "self.W_V", from + "self_attn.v_proj", d, k, inputs);
    recipes.take_linear(to + "self.W_O", from + "self_attn.o_proj", q, d, biases);
    recipes.take_norm(to + "self_norm", from + "input_layernorm", d, false);
    recipes.take_linear(to + "feed.first", from + "mlp.gate_proj", d, f, feed_bias);
    recipes.take_linear(to + "feed.gated", from + "mlp.up_proj", d, f, feed_bias);
    recipes.take_linear(to + "feed.second", from + "mlp.down_proj", f, d, feed_bias);
    recipes.take_norm(to + "feed_norm", from + "post_attention_layernorm", d, false);
  }
  recipes.take_norm("stack.norm", "norm", d, false);
  recipes.drop_ending("rotary_emb.inv_freq", "rates of rotary positions, computed");
  return stack;
}

}  // namespace

ForeignStack gpt_stack(const ForeignFolder& folder, const ForeignTokens& tokens,
                       TensorRecipes& recipes) {
  const JsonPlace type = folder.config.root().at("model_type");
  if (type.text() == "gpt2") return gpt2(folder, tokens, recipes);
  for (const char* known : {"llama", "mistral", "qwen2"}) {
    if (type.text() == known) return llama(folder, tokens, recipes);
  }
  type.fail("\"{}\"; with {} it takes gpt2, llama, mistral or qwen2", type.text(),
            folder.config.architecture());
}

}  // namespace heed::pipeline
