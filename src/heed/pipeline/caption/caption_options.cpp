// SPDX-License-Identifier: Apache-2.0
// Names, limits and help of the options of captioners.
#include "heed/pipeline/caption/caption_options.h"

#include <array>
#include <filesystem>

#include "heed/base/error.h"
#include "heed/text/token.h"

namespace heed::pipeline {
namespace {

constexpr std::int64_t kWordsOfScenes = 24;

constexpr std::array<Preset, 6> kCaptionPresets = {{
    {"scenes-soft", R"toml(
attention = "additive(size=64)"
learning-rate = 0.002
)toml"},
    {"scenes-carrying", R"toml(
attention = "additive(size=64)"
carries = "read"
learning-rate = 0.002
)toml"},
    {"scenes-hard", R"toml(
attention = "additive(size=64) | full | sample"
draws = 2
expected-reads = 0.5
entropy-bonus = 0.01
bonus-updates = 2000
learning-rate = 0.002
)toml"},
    {"scenes-sparse", R"toml(
attention = "additive(size=64) | full | sparsemax"
learning-rate = 0.002
)toml"},
    {"scenes-continuous", R"toml(
attention = "continuous_grid(columns=12)"
learning-rate = 0.002
)toml"},
    {"scenes-mean", R"toml(
attention = "none"
learning-rate = 0.002
)toml"},
}};

}  // namespace

CaptionOptions::CaptionOptions() {
  trainer.clip_norm = 5;
  trainer.schedule.decay = training::Decay::constant;
  declare_run(caption_presets());
  list.section("Data");
  pictures.declare(list);
  list.add("batch", batch, "pictures of a batch").range(1, 100'000);
  list.section("Model");
  declare_model(list);
  list.section("Learning");
  list.add("spread", spread,
           "how much it is worth to look at every part of a picture once in all (the doubly "
           "stochastic penalty of Xu 2015); 0: nothing")
      .range(0, 1000);
  list.add("spread-share", spread_share,
           "what the looks at a part shall add up to: 1 in the paper; 0: words by cells")
      .range(0, 1000);
  draw.declare(list);
  trainer.declare(list);
}

void CaptionOptions::declare_model(Options& options) {
  options.add("stages", stages,
              "convolutions of the encoder: channels, side of the window and of the pooling, such "
              "as 16:3:2");
  options.add("places", places, models::cell_places_names(),
              "what cells are told of their place: nothing, sines beside their features, or two "
              "channels of the picture");
  options.add("attention", attention,
              "the mechanism over the cells of the picture in its written form; none: their mean "
              "at every word");
  options.add("embedding", embedding, "width of words").range(1, 8192);
  options.add("hidden", hidden, "units of the LSTM").range(1, 8192);
  options.add("carries", carries, models::carries_names(),
              "what of a look the LSTM carries on to the next words: what was read, so that one "
              "look may do for several words (Xu 2015), or only where it looked");
  options.add("gate", gate, "with --carries read: each word says how much of what it read goes on");
  options.add("dropout", dropout, "of words and before the output").at_least(0).below(1);
}

void CaptionOptions::apply_preset() {
  pipeline::apply_preset(*this, caption_presets());
}

void CaptionOptions::check() const {
  check_run();
  draw.check();
  if (stages.empty()) throw UsageError("--stages: without convolutions nothing reads a picture");
  for (const std::string& stage : stages) models::ImageStage::parse(stage);
}

void CaptionOptions::take_data(std::span<const std::string> files) {
  if (files.size() != 1) {
    throw UsageError("{} files: a captioner takes one folder of pictures with tables",
                     files.size());
  }
  pictures.data = files[0];
}

double CaptionOptions::suits(std::span<const std::string> files) const {
  if (files.size() != 1) return 0;
  std::error_code ignored;
  return std::filesystem::exists(std::filesystem::path(files[0]) / "train.captions.tsv", ignored)
             ? 1
             : 0;
}

bool CaptionOptions::validates() const {
  if (pictures.data.empty()) return pictures.valid_scenes > 0;
  std::error_code ignored;
  return std::filesystem::exists(std::filesystem::path(pictures.data) / "valid.captions.tsv",
                                 ignored);
}

models::CaptionerOptions CaptionOptions::model_for(const LearntPictures& form,
                                                   std::int64_t vocabulary) const {
  models::CaptionerOptions made{.vocabulary = vocabulary,
                                .attention = attention,
                                .embedding = embedding,
                                .hidden = hidden,
                                .carries = carries,
                                .gate = gate,
                                .dropout = static_cast<Real>(dropout)};
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

nn::Parameters CaptionOptions::sketch(Random& random, std::int64_t vocabulary) const {
  models::Captioner made(
      model_for({}, vocabulary > 0 ? vocabulary : text::kFirstPiece + kWordsOfScenes), random);
  return nn::parameters(made);
}

std::span<const Preset> caption_presets() {
  return kCaptionPresets;
}

}  // namespace heed::pipeline
