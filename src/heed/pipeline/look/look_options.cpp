// SPDX-License-Identifier: Apache-2.0
// Names, limits and help of the options of classifiers of images.
#include "heed/pipeline/look/look_options.h"

#include <algorithm>
#include <array>

#include "heed/base/error.h"
#include "heed/base/file.h"

namespace heed::pipeline {
namespace {

constexpr std::int64_t kUsualSide = 28;  // of MNIST

constexpr std::array<Preset, 3> kLookPresets = {{
    {"regions", R"toml(
reading = "convolutions"
stages = ["16:5:2", "32:3:2", "64:3"]
pooling = "attention"
attention = "additive(size=64)"
learning-rate = 0.001
batch = 64
)toml"},
    {"target", R"toml(
target = "cross"
reading = "convolutions"
stages = ["16:3:2", "32:3:2", "64:3"]
pooling = "attention"
attention = "additive(size=64)"
learning-rate = 0.002
batch = 64
)toml"},
    {"vit-tiny", R"toml(
reading = "patches"
patch = 7
layers = 4
width = 64
heads = 4
inner = 128
activation = "gelu"
positions = "learned"
pooling = "token"
optimiser = "adamw"
weight-decay = 0.05
learning-rate = 0.001
schedule = "cosine"
decay-updates = 4220
warm-up = 400
clip-norm = 1
batch = 128
)toml"},
}};

}  // namespace

void LearntImages::declare(Options& options) {
  options.add("height", form.height, "pixels of an image").range(0, images::kMostSide);
  options.add("width", form.width, "pixels of an image").range(0, images::kMostSide);
  options.add("channels", form.channels, "1: grey; 3: colours").range(1, 3);
  options.add("fitting", form.fitting, images::fitting_names(),
              "how an image of another shape becomes one of this: whole and inside, or stretched");
  options.add("names", names, "of the classes");
  options.add("canvas", canvas.side, "side of the canvas that images lay on; 0: none")
      .range(0, corpora::kMostCanvasSide);
  options.add("clutter", canvas.clutter, "pieces of other images beside them").range(0, 10'000);
  options.add("piece", canvas.piece, "side of a piece").range(1, corpora::kMostCanvasSide);
  options.add("target", target, "built-in scenes: the shape whose colour is asked for");
  options.add("distractors", distractors, "built-in scenes: objects of other shapes").range(0, 8);
  options.add("mean", mean, "of the pixels it learnt from").range(0, 1);
  options.add("deviation", deviation, "of these; 0: they are read as they are").range(0, 1);
}

corpora::TargetWish LearntImages::wish() const {
  return {corpora::target_shape(target), static_cast<int>(distractors)};
}

std::string LearntImages::to_toml() const {
  LearntImages copy = *this;
  Options list;
  copy.declare(list);
  return list.to_toml();
}

void LearntImages::write(const std::filesystem::path& file) const {
  write_atomically(file, to_toml());
}

LearntImages LearntImages::read(const std::filesystem::path& file) {
  LearntImages learnt;
  Options list;
  learnt.declare(list);
  const std::string text = read_file(file);
  try {
    list.read_toml_text(text, file.string());
  } catch (const UsageError& error) {
    throw DataError("{}; the file is damaged or was changed", error.what());
  }
  if (learnt.of_scenes() &&
      std::ranges::find(corpora::kShapeWords, learnt.target) == corpora::kShapeWords.end()) {
    throw DataError("{}: \"{}\" is no shape of scenes; the file is damaged or was changed",
                    file.string(), learnt.target);
  }
  if (learnt.names.size() < 2 || learnt.form.channels == 2 || learnt.form.height < 1 ||
      learnt.form.width < 1) {
    throw DataError("{}: {} classes, {} channels of {} x {}; the file is damaged or was changed",
                    file.string(), learnt.names.size(), learnt.form.channels, learnt.form.width,
                    learnt.form.height);
  }
  return learnt;
}

LookOptions::LookOptions() {
  stack.width = 64;
  stack.heads = 4;
  stack.inner = 128;
  stack.dropout = 0;
  trainer.schedule.decay = training::Decay::constant;
  trainer.schedule.peak = .001;
  declare_run(look_presets());
  list.section("Data");
  list.add("images", images,
           "images of one size, an IDX file such as train-images-idx3-ubyte (or gz)")
      .kind("FILE");
  list.add("labels", labels, "what they show, an IDX file (or gz)").kind("FILE");
  list.add("valid-images", valid_images,
           "other images for validation; otherwise the last tenth of --images, which is not learnt "
           "from then")
      .kind("FILE");
  list.add("valid-labels", valid_labels, "what these show").kind("FILE");
  list.add("train", train,
           "instead of --images: PNG, JPEG, PPM or PGM in a folder with a sub-folder for each "
           "label, or a list of them: file, tab, label")
      .kind("PATH");
  list.add("valid", valid, "the same for validation; otherwise a tenth of --train").kind("PATH");
  list.add(
          "target", target,
          "instead of files: built-in scenes, fresh for every epoch, with one object of this shape "
          "(circle, square, triangle, cross) among others, and its colour is the label")
      .kind("SHAPE");
  list.add("distractors", distractors, "with --target: objects of other shapes").range(0, 8);
  list.add("scenes", scenes, "with --target: scenes of an epoch").range(1, 10'000'000);
  list.add("side", side,
           "side of what the model sees. IDX: of a black canvas, at a uniform place of which an "
           "image lies, fresh for every epoch; files: of the square that they are fitted into. 0: "
           "images as they are, files as large as the first")
      .range(0, corpora::kMostCanvasSide);
  list.add("clutter", clutter,
           "IDX, with --side: pieces of other images that are added to the canvas")
      .range(0, 10'000);
  list.add("piece", piece, "side of a piece").range(1, corpora::kMostCanvasSide);
  list.add("colour", colour, "files: look at colours, not at greys");
  list.add("batch", batch, "images of a batch").range(1, 100'000);
  list.add("valid-count", valid_count, "images of validation at most; 0: none")
      .range(0, 10'000'000);
  list.section("Model");
  declare_model(list);
  list.section("Learning");
  trainer.declare(list);
}

void LookOptions::declare_model(Options& options) {
  options.add("reading", reading, models::image_reading_names(),
              "what makes cells of pixels: convolutions, or patches read by a Transformer (ViT; "
              "Dosovitskiy 2021)");
  options.add("stages", stages,
              "convolutions, each as channels:window:pool; window 3 and pool 1 may be left out");
  options.add("places", places, models::cell_places_names(),
              "convolutions: what a cell is told of its place: nothing, sines of row and column "
              "added to it, or two channels of the image");
  options.add("patch", patch, "patches: side of one; it must divide the image's").range(1, 1024);
  options.add("layers", layers, "patches: of the Transformer").range(1, 100);
  options.add("self-attention", self_attention,
              "patches: the mechanism by which they look at each other");
  options.add("pooling", pooling, models::cell_pooling_names(),
              "how cells become one vector: by attention of a learned query, as their mean, the "
              "largest of each feature, all side by side, or by the class token of patches");
  options.add("attention", attention,
              "the mechanism of pooling in its written form, such as \"additive\" or "
              "\"additive | full | sparsemax\"");
  stack.declare(options, "Transformer: not used; there is a position for each patch");
}

void LookOptions::apply_preset() {
  pipeline::apply_preset(*this, look_presets());
}

void LookOptions::check() const {
  check_run();
  const int sources = (from_files() ? 1 : 0) + (images.empty() ? 0 : 1) + (from_scenes() ? 1 : 0);
  if (sources != 1) {
    throw UsageError(
        sources > 1 ? "--train, --images and --target: give one of them, a folder or list of "
                      "images, an IDX file or a shape of the built-in scenes"
                    : "nothing to learn from: give --images and --labels, IDX files, --train with "
                      "a folder or list of images, or --target cross for built-in scenes");
  }
  if (from_scenes()) {
    corpora::target_shape(target);
    if (side > 0 || clutter > 0) {
      throw UsageError(
          "--side and --clutter are for images of files; with --target there are --distractors");
    }
  }
  if (images.empty() != labels.empty() || valid_images.empty() != valid_labels.empty()) {
    throw UsageError(
        "--images and --labels belong together, and so do --valid-images and "
        "--valid-labels; give both");
  }
  if (from_files() && (clutter > 0 || !valid_images.empty())) {
    throw UsageError("--clutter and --valid-images are for IDX files; with --train give --valid");
  }
  if (!from_files() && (!valid.empty() || colour)) {
    throw UsageError(
        "--valid and --colour are for --train; IDX files are grey and take "
        "--valid-images");
  }
  if (clutter > 0 && side == 0) {
    throw UsageError("--clutter {}: it lies on a canvas; give --side, such as 60", clutter);
  }
  for (const std::string& stage : stages) models::ImageStage::parse(stage);
}

models::ImageClassifierOptions LookOptions::model_for(const LearntImages& learnt) const {
  models::ImageClassifierOptions made{
      .pooling = pooling,
      .attention = attention,
      .attention_dropout = static_cast<Real>(stack.attention_dropout),
      .dropout = static_cast<Real>(stack.dropout),
      .classes = std::ssize(learnt.names)};
  models::ImageEncoderOptions& encoder = made.encoder;
  encoder.height = learnt.form.height;
  encoder.width = learnt.form.width;
  encoder.channels = learnt.form.channels;
  encoder.reading = reading;
  encoder.stages.clear();
  for (const std::string& stage : stages) {
    encoder.stages.push_back(models::ImageStage::parse(stage));
  }
  encoder.places = places;
  if (learnt.deviation > 0) {
    encoder.normal = {static_cast<Real>(learnt.mean), static_cast<Real>(learnt.deviation)};
  }
  encoder.patch = patch;
  encoder.stack = stack;
  encoder.stack.layers = layers;
  encoder.stack.attention = self_attention;
  return made;
}

nn::Parameters LookOptions::sketch(Random& random, std::int64_t) const {
  LearntImages learnt{.form = {.height = side > 0 ? side : kUsualSide,
                               .width = side > 0 ? side : kUsualSide,
                               .channels = colour ? 3 : 1},
                      .names = std::vector<std::string>(10)};
  if (from_scenes()) {
    learnt.form = {corpora::kSceneSide, corpora::kSceneSide, 3};
    learnt.names.resize(corpora::kColourWords.size());
  }
  if (from_files() && side == 0 && reading == models::ImageReading::patches) {
    learnt.form.height = learnt.form.width = 4 * patch;  // their size is not known yet
  }
  models::ImageClassifier made(model_for(learnt), random);
  return nn::parameters(made);
}

std::span<const Preset> look_presets() {
  return kLookPresets;
}

}  // namespace heed::pipeline
