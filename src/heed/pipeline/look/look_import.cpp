// SPDX-License-Identifier: Apache-2.0
// Classifiers of images of other programs: ViT (Dosovitskiy 2021).
#include <algorithm>
#include <array>
#include <cmath>

#include "heed/base/error.h"
#include "heed/pipeline/foreign/stack_recipes.h"
#include "heed/pipeline/look/look_options.h"

namespace heed::pipeline {
namespace {

constexpr std::int64_t kMostLayers = 100;  // as --layers takes

// What its program makes of an image before the model sees it.
struct Preprocessing {
  std::array<double, 3> mean = {.5, .5, .5};
  std::array<double, 3> deviation = {.5, .5, .5};
};

void take_channels(const ForeignConfig& config, const char* key, std::array<double, 3>& values) {
  const auto found = config.find(key);
  if (!found) return;
  if (found->list().size() != values.size()) {
    found->fail("{} numbers; it takes one for red, green and blue", found->list().size());
  }
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = found->at(i).number();
}

Preprocessing preprocessing_of(const ForeignFolder& folder, std::int64_t side) {
  Preprocessing found;
  if (!folder.has("preprocessor_config.json")) return found;
  const ForeignConfig config(folder.path / "preprocessor_config.json");
  config.require("do_resize", true, "images of any size become those of the model");
  config.require("do_rescale", true, "bytes become numbers from 0 to 1");
  config.require("do_center_crop", false, "the whole image is looked at");
  if (const auto resample = config.find("resample"); resample && resample->whole(0, 100) != 2) {
    resample->fail("{}; Heed resizes these images by the bilinear rule, 2",
                   resample->whole(0, 100));
  }
  if (std::abs(config.number("rescale_factor", 1. / 255) - 1. / 255) > 1e-9) {
    config.find("rescale_factor")->fail("bytes become numbers from 0 to 1 here: 1 / 255");
  }
  if (const auto size = config.find("size")) {
    const auto is = [&](const JsonPlace& place) { return place.whole(1, 1 << 16) == side; };
    if (size->is_object() ? !is(size->at("height")) || !is(size->at("width")) : !is(*size)) {
      size->fail("images are made as large as the model sees them, {} x {}", side, side);
    }
  }
  if (!config.truth("do_normalize", true)) {
    found = {.mean = {0, 0, 0}, .deviation = {1, 1, 1}};
    return found;
  }
  take_channels(config, "image_mean", found.mean);
  take_channels(config, "image_std", found.deviation);
  for (const double deviation : found.deviation) {
    if (!(deviation > 0)) config.root().fail("image_std {}; it takes more than 0", deviation);
  }
  return found;
}

// Of a layer, behind its number: as files of most versions call it, and as later ones may.
struct Names {
  const char *layer, *query, *key, *value, *output, *first, *second;
};
constexpr Names kUsual = {"encoder.layer.",
                          ".attention.attention.query",
                          ".attention.attention.key",
                          ".attention.attention.value",
                          ".attention.output.dense",
                          ".intermediate.dense",
                          ".output.dense"};
constexpr Names kLater = {"layers.",           ".attention.q_proj", ".attention.k_proj",
                          ".attention.v_proj", ".attention.o_proj", ".mlp.fc1",
                          ".mlp.fc2"};

// Patches as the model reads them, (pixel - mean) / deviation being a part of the weights:
// W ((x - m) / s) + b = (W / s) x + (b - sum of W m / s).
void take_patches(TensorRecipes& recipes, const Preprocessing& made, std::size_t width,
                  std::size_t patch) {
  const std::string name = "embeddings.patch_embeddings.projection";
  const std::size_t area = patch * patch, row = 3 * area;
  recipes.add({"encoder.patches.weight",
               name + ".weight",
               {width, 3, patch, patch},
               [made, row, area](std::span<const Real> from, std::span<Real> to) {
                 for (std::size_t i = 0; i < to.size(); ++i) {
                   to[i] = static_cast<Real>(static_cast<double>(from[i]) /
                                             made.deviation[i % row / area]);
                 }
               }});
  const ForeignWeights& weights = recipes.weights();
  recipes.add({"encoder.patches.bias",
               name + ".bias",
               {width},
               [made, row, area, name, &weights](std::span<const Real> from, std::span<Real> to) {
                 const ForeignTensor& kernel = *weights.find(name + ".weight");
                 std::vector<Real> values(kernel.count);
                 kernel.read(values);
                 for (std::size_t o = 0; o < to.size(); ++o) {
                   double sum = from[o];
                   for (std::size_t i = 0; i < row; ++i) {
                     const std::size_t channel = i / area;
                     sum -= static_cast<double>(values[o * row + i]) * made.mean[channel] /
                            made.deviation[channel];
                   }
                   to[o] = static_cast<Real>(sum);
                 }
               }});
}

std::string name_of(models::ImageReading reading) {
  return models::image_reading_names().at(static_cast<std::size_t>(reading));
}

ImportPlan plan(ForeignFolder& folder) {
  const ForeignConfig& config = folder.config;
  config.require_text("model_type", "vit", "patches with one class token");
  const std::int64_t width = config.size("hidden_size", 768);
  const std::int64_t layers = config.size("num_hidden_layers", 12);
  const std::int64_t heads = config.size("num_attention_heads", 12);
  const std::int64_t inner = config.size("intermediate_size", 3072);
  const std::int64_t side = config.size("image_size", 224);
  const std::int64_t patch = config.size("patch_size", 16);
  if (config.size("num_channels", 3) != 3) {
    config.find("num_channels")->fail("Heed looks at red, green and blue here: 3");
  }
  if (layers > kMostLayers) config.root().fail("{} layers; Heed takes {}", layers, kMostLayers);
  if (width % heads != 0) {
    config.root().fail("{} features do not divide into {} heads", width, heads);
  }
  if (side > images::kMostSide || side % patch != 0) {
    config.root().fail("images of {} x {} do not cut into patches of {} x {}", side, side, patch,
                       patch);
  }
  const LearntImages learnt{.form = {side, side, 3, images::Fitting::stretched},
                            .names = config.labels()};
  const Preprocessing made = preprocessing_of(folder, side);
  folder.weights.strip("vit.");
  ImportPlan plan{.recipes = TensorRecipes(folder.weights), .family = "ViT"};
  TensorRecipes& recipes = plan.recipes;
  const auto d = static_cast<std::size_t>(width);
  const auto f = static_cast<std::size_t>(inner);
  const auto cells = static_cast<std::size_t>((side / patch) * (side / patch));
  take_patches(recipes, made, d, static_cast<std::size_t>(patch));
  recipes.take("encoder.token", "embeddings.cls_token", {1, 1, d});
  recipes.take("encoder.stack.positions.weight", "embeddings.position_embeddings",
               {1, cells + 1, d});
  const bool later = folder.weights.find("layers.0.attention.q_proj.weight") != nullptr;
  const Names& names = later ? kLater : kUsual;
  const bool biased = config.truth("qkv_bias", true);
  for (std::int64_t i = 0; i < layers; ++i) {
    const std::string to = fmt::format("encoder.stack.layers.{}.", i);
    const std::string from = fmt::format("{}{}", names.layer, i);
    for (const auto& [mine, theirs] :
         {std::pair{"self.W_Q", names.query}, {"self.W_K", names.key}, {"self.W_V", names.value}}) {
      recipes.take_linear(to + mine, from + theirs, d, d, biased);
      if (!biased) recipes.fill(to + mine + ".bias", 0);
    }
    recipes.take_linear(to + "self.W_O", from + names.output, d, d);
    recipes.take_norm(to + "self_norm", from + ".layernorm_before", d);
    recipes.take_linear(to + "feed.first", from + names.first, d, f);
    recipes.take_linear(to + "feed.second", from + names.second, f, d);
    recipes.take_norm(to + "feed_norm", from + ".layernorm_after", d);
  }
  recipes.take_norm("encoder.stack.norm", "layernorm", d);
  recipes.take_linear("output", "classifier", d, learnt.names.size());
  recipes.drop_beginning("pooler.", "a layer over the class token, which this head has not");
  plan.options =
      toml("reading", name_of(models::ImageReading::patches)) + toml("patch", patch) +
      toml("layers", layers) + toml("width", width) + toml("heads", heads) + toml("inner", inner) +
      toml("activation", config.activation("hidden_act", "gelu")) +
      toml("norm", std::string("pre")) +
      toml("norm-epsilon", config.number("layer_norm_eps", 1e-12)) +
      toml("positions", std::string("learned")) +
      toml("pooling",
           models::cell_pooling_names().at(static_cast<std::size_t>(models::CellPooling::token)));
  plan.texts[kLearntImagesFile] = learnt.to_toml();
  plan.parameters = [learnt](const KindOptions& options) {
    Random random(0);
    models::ImageClassifier model(dynamic_cast<const LookOptions&>(options).model_for(learnt),
                                  random);
    return nn::parameters(model);
  };
  return plan;
}

const ListedImporter kListed({.kind = "look",
                              .architectures = {"ViTForImageClassification"},
                              .plan = plan});

}  // namespace
}  // namespace heed::pipeline
