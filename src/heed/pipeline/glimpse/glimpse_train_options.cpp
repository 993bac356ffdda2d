// SPDX-License-Identifier: Apache-2.0
// Names, limits and help of the options of networks that look in glimpses.
#include "heed/pipeline/glimpse/glimpse_train_options.h"

#include <algorithm>
#include <array>

#include "heed/base/error.h"
#include "heed/base/file.h"
#include "heed/images/image_bytes.h"
#include "heed/models/glimpse_network.h"

namespace heed::pipeline {
namespace {

constexpr std::array<Preset, 4> kGlimpsePresets = {{
    {"ram", R"toml(
glimpses = 6
size = 8
deviation = 0.1
learning-rate = 0.001
schedule = "step"
decay-updates = 1750
decay-factor = 0.97
lowest-rate = 0.0001
)toml"},
    {"ram-canvas", R"toml(
side = 60
glimpses = 6
size = 12
scales = 3
deviation = 0.11
learning-rate = 0.001
schedule = "step"
decay-updates = 1750
decay-factor = 0.97
lowest-rate = 0.0001
)toml"},
    {"dram", R"toml(
core = "stacked"
side = 100
digits = 2
glimpses = 3
size = 12
scales = 3
deviation = 0.11
learning-rate = 0.001
)toml"},
    {"draw-read", R"toml(
policy = "draw"
core = "lstm"
glimpses = 6
size = 8
learning-rate = 0.001
)toml"},
}};

constexpr std::int64_t kUsualSide = 28;  // of MNIST
constexpr std::int64_t kUsualClasses = 10;

void declare_canvas(corpora::CanvasOptions& canvas, Options& options) {
  options
      .add("side", canvas.side,
           "of the square canvas that images are put on at uniform places, fresh for every epoch; "
           "0: images as they are")
      .range(0, corpora::kMostCanvasSide);
  options.add("digits", canvas.digits, "images on a canvas, which do not overlap").range(1, 100);
  options.add("clutter", canvas.clutter, "pieces of other images, added at uniform places")
      .range(0, 10'000);
  options.add("piece", canvas.piece, "side of a piece").range(1, 1024);
}

}  // namespace

void LearntCanvases::declare(Options& options) {
  options.add("height", height, "of a canvas").range(1, images::kMostSide);
  options.add("width", width, "of a canvas").range(1, images::kMostSide);
  options.add("channels", channels, "of a canvas").range(1, 4);
  options.add("classes", names, "names of the classes").kind("NAME");
  declare_canvas(canvas, options);
}

void LearntCanvases::write(const std::filesystem::path& file) const {
  LearntCanvases copy = *this;
  Options list;
  copy.declare(list);
  write_atomically(file, list.to_toml());
}

LearntCanvases LearntCanvases::read(const std::filesystem::path& file) {
  LearntCanvases canvases;
  Options list;
  canvases.declare(list);
  const std::string text = read_file(file);
  try {
    list.read_toml_text(text, file.string());
  } catch (const UsageError& error) {
    throw DataError("{}; the file is damaged or was changed", error.what());
  }
  return canvases;
}

GlimpseTrainOptions::GlimpseTrainOptions() {
  trainer.clip_norm = 5;
  trainer.schedule.decay = training::Decay::constant;
  trainer.early_stopping = "error";
  declare_run(glimpse_presets());
  list.section("Data");
  list.add("images", images,
           "an IDX file (or gz) such as train-images-idx3-ubyte, with --labels; or a folder with a "
           "sub-folder for each label, or a TSV of file and label")
      .kind("FILE")
      .required();
  list.add("labels", labels, "of an IDX file of images: what they are, IDX too").kind("FILE");
  list.add("valid-images", valid_images,
           "other images for validation; otherwise the last tenth of --images, which is not learnt "
           "from then")
      .kind("FILE");
  list.add("valid-labels", valid_labels, "of an IDX file: what these are").kind("FILE");
  declare_canvas(canvas, list);
  list.add("batch", batch, "canvases of a batch").range(1, 100'000);
  list.add("valid-canvases", valid_canvases, "canvases of validation at most; 0: none")
      .range(0, 1'000'000);
  list.section("Model");
  declare_model(list);
  list.section("Learning");
  list.add("reinforce", reinforce, "weight of the policy's loss beside that of the classes")
      .at_least(0);
  list.add("reward", reward, models::glimpse_reward_names(),
           "of the policy: whether the class is right (right), the chance it is given (chance), or "
           "that less the chance it had before a place was chosen (gain), which tells best what a "
           "place was good for");
  trainer.declare(list);
}

void GlimpseTrainOptions::declare_model(Options& options) {
  options
      .add("glimpses", model.glimpses,
           "looks at an image; of several digits, for each of them and for the end")
      .range(1, 1000);
  options.add("size", model.sensor.size, "pixels along a side of what a glimpse sees")
      .range(2, 256);
  options
      .add("scales", model.sensor.scales,
           "patches of a glimpse, each so many times as wide as the last and no finer")
      .range(1, 8);
  options.add("factor", model.sensor.factor, "how many times").range(1, 8);
  options.add("policy", model.policy, models::glimpse_policy_names(),
              "where it looks: learnt by REINFORCE (learnt), anywhere, the control (random), or by "
              "the differentiable filters of DRAW (draw)");
  options.add(
      "core", model.core, models::glimpse_core_names(),
      "what remembers: a layer of ReLU (feedforward, RAM), an LSTM (lstm), two of them with "
      "a glance at the whole image (stacked, DRAM)");
  options.add("deviation", model.deviation, "learnt: of places around their mean; 1 is half a side")
      .above(0)
      .at_most(2);
  options.add("part", model.part, "width of what is made of a patch, and of its place")
      .range(1, 8192);
  options.add("hidden", model.hidden, "width of a glimpse and of the core").range(1, 8192);
  options.add("place-hidden", model.place_hidden, "width of the layer before a place")
      .range(1, 8192);
}

void GlimpseTrainOptions::apply_preset() {
  pipeline::apply_preset(*this, glimpse_presets());
}

void GlimpseTrainOptions::check() const {
  check_run();
  if (images.empty()) {
    throw UsageError(
        "nothing to learn from: give --images, an IDX file with --labels, or a folder or list of "
        "images");
  }
  if (labels.empty() && !valid_labels.empty()) {
    throw UsageError("--valid-labels: --images has no --labels; give both, or neither");
  }
  if (!valid_labels.empty() && valid_images.empty()) {
    throw UsageError("--valid-labels {}: give --valid-images as well", valid_labels);
  }
  if (!labels.empty() && !valid_images.empty() && valid_labels.empty()) {
    throw UsageError("--valid-images {}: give --valid-labels as well", valid_images);
  }
  if (canvas.side > 0 && canvas.side < model.sensor.size) {
    throw UsageError(
        "--side {}: a canvas smaller than a glimpse, which is {} wide; take --size {} "
        "or a larger canvas",
        canvas.side, model.sensor.size, canvas.side);
  }
}

models::GlimpseNetworkOptions GlimpseTrainOptions::model_for(const LearntCanvases& canvases) const {
  models::GlimpseNetworkOptions made = model;
  made.height = canvases.height;
  made.width = canvases.width;
  made.channels = canvases.channels;
  made.classes = std::ssize(canvases.names);
  made.targets = canvases.canvas.digits;
  return made;
}

nn::Parameters GlimpseTrainOptions::sketch(Random& random, std::int64_t) const {
  // Images that nobody has seen yet may be larger than the usual ones.
  const std::int64_t side = canvas.side > 0 ? canvas.side : std::max(kUsualSide, model.sensor.size);
  models::GlimpseNetwork made(
      model_for({.height = side,
                 .width = side,
                 .names = std::vector<std::string>(static_cast<std::size_t>(kUsualClasses)),
                 .canvas = canvas}),
      random);
  return nn::parameters(made);
}

std::span<const Preset> glimpse_presets() {
  return kGlimpsePresets;
}

}  // namespace heed::pipeline
