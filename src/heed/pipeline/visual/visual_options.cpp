// SPDX-License-Identifier: Apache-2.0
// Names, limits and help of the options of those who answer questions on pictures.
#include "heed/pipeline/visual/visual_options.h"

#include <array>
#include <filesystem>

#include "heed/base/error.h"
#include "heed/text/token.h"

namespace heed::pipeline {
namespace {

constexpr std::int64_t kWordsOfQuestions = 40, kAnswersOfScenes = 18;

constexpr std::array<Preset, 4> kVisualPresets = {{
    {"questions-soft", R"toml(
attention = "additive(size=64)"
learning-rate = 0.002
)toml"},
    {"questions-continuous", R"toml(
attention = "continuous_grid(columns=12)"
learning-rate = 0.002
)toml"},
    {"questions-mean", R"toml(
reading = "mean"
learning-rate = 0.002
)toml"},
    {"questions-only", R"toml(
reading = "nothing"
learning-rate = 0.002
)toml"},
}};

}  // namespace

VisualOptions::VisualOptions() {
  trainer.clip_norm = 5;
  trainer.schedule.decay = training::Decay::constant;
  declare_run(visual_presets());
  list.section("Data");
  pictures.declare(list);
  list.add("batch", batch, "pictures of a batch, with all of their questions").range(1, 100'000);
  list.section("Model");
  declare_model(list);
  list.section("Learning");
  draw.declare(list);
  trainer.declare(list);
}

void VisualOptions::declare_model(Options& options) {
  options.add("stages", stages,
              "convolutions of the encoder: channels, side of the window and of the pooling, such "
              "as 16:3:2");
  options.add("places", places, models::cell_places_names(),
              "what cells are told of their place: nothing, sines beside their features, or two "
              "channels of the picture");
  options.add("reading", reading, models::picture_reading_names(),
              "what is read of the picture: cells by attention, their mean, or nothing, so that "
              "the question alone must do");
  options.add("attention", attention, "the mechanism over the cells in its written form");
  options.add("hops", hops, "looks at the picture, one after another").range(1, 100);
  options.add("embedding", embedding, "width of words").range(1, 8192);
  options.add("hidden", hidden, "units of the GRU that reads the question").range(1, 8192);
}

void VisualOptions::apply_preset() {
  pipeline::apply_preset(*this, visual_presets());
}

void VisualOptions::check() const {
  check_run();
  draw.check();
  if (stages.empty()) throw UsageError("--stages: without convolutions nothing reads a picture");
  for (const std::string& stage : stages) models::ImageStage::parse(stage);
}

void VisualOptions::take_data(std::span<const std::string> files) {
  if (files.size() != 1) {
    throw UsageError("{} files: questions on pictures take one folder with tables", files.size());
  }
  pictures.data = files[0];
}

// A folder with captions as well is taken for these.
double VisualOptions::suits(std::span<const std::string> files) const {
  if (files.size() != 1) return 0;
  std::error_code ignored;
  return std::filesystem::exists(std::filesystem::path(files[0]) / "train.questions.tsv", ignored)
             ? .9
             : 0;
}

bool VisualOptions::validates() const {
  if (pictures.data.empty()) return pictures.valid_scenes > 0;
  std::error_code ignored;
  return std::filesystem::exists(std::filesystem::path(pictures.data) / "valid.questions.tsv",
                                 ignored);
}

models::PictureAskerOptions VisualOptions::model_for(const LearntPictures& form,
                                                     std::int64_t vocabulary,
                                                     std::int64_t answers) const {
  models::PictureAskerOptions made{.vocabulary = vocabulary,
                                   .answers = answers,
                                   .reading = reading,
                                   .attention = attention,
                                   .hops = hops,
                                   .embedding = embedding,
                                   .hidden = hidden};
  made.encoder.height = form.height;
  made.encoder.width = form.width;
  made.encoder.channels = form.channels;
  made.encoder.places = places;
  made.encoder.normal = form.normal();
  made.encoder.stages.clear();
  for (const std::string& stage : stages) {
    made.encoder.stages.push_back(models::ImageStage::parse(stage));
  }
  return made;
}

nn::Parameters VisualOptions::sketch(Random& random, std::int64_t vocabulary) const {
  models::PictureAsker made(
      model_for({}, vocabulary > 0 ? vocabulary : text::kFirstPiece + kWordsOfQuestions,
                kAnswersOfScenes),
      random);
  return nn::parameters(made);
}

std::span<const Preset> visual_presets() {
  return kVisualPresets;
}

}  // namespace heed::pipeline
