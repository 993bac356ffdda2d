// SPDX-License-Identifier: Apache-2.0
// Names, limits and help of the options of recognisers.
#include "heed/pipeline/recognise/recognise_options.h"

#include <array>

#include "heed/base/error.h"
#include "heed/base/file.h"
#include "heed/corpora/strips/digit_strips.h"
#include "heed/corpora/strips/symbol_strips.h"

namespace heed::pipeline {
namespace {

constexpr std::int64_t kMostLabels = 1000;
constexpr std::int64_t kUsualDigitHeight = 28;  // of MNIST

constexpr std::array<Preset, 4> kRecognisePresets = {{
    {"strips-ctc", R"toml(
writes = "ctc"
learning-rate = 0.001
)toml"},
    {"strips-additive", R"toml(
writes = "attention"
attention = "additive(size=64)"
learning-rate = 0.001
)toml"},
    {"strips-monotonic", R"toml(
writes = "attention"
attention = "monotonic(size=64, offset=-1, hard=true)"
learning-rate = 0.001
)toml"},
    {"strips-mocha", R"toml(
writes = "attention"
attention = "mocha(size=64, offset=-1, chunk=4, hard=true)"
learning-rate = 0.001
)toml"},
}};

}  // namespace

const std::vector<std::string>& strip_task_names() {
  static const std::vector<std::string> names = {"symbols", "digits"};
  return names;
}

corpora::StripForm LearntStrips::form() const {
  return {.height = height,
          .alphabet = std::string(task == StripTask::symbols ? corpora::kSymbolAlphabet
                                                             : corpora::kDigitAlphabet)};
}

void LearntStrips::declare(Options& options) {
  options.add("strips", task, strip_task_names(), "what the model reads");
  options.add("height", height, "numbers of a frame").range(1, 1024);
  options.add("fewest", fewest, "labels of the shortest strip it learnt from").at_least(1);
  options.add("most", most, "labels of the longest").at_least(1);
}

void LearntStrips::write(const std::filesystem::path& file) const {
  LearntStrips copy = *this;
  Options list;
  copy.declare(list);
  write_atomically(file, list.to_toml());
}

LearntStrips LearntStrips::read(const std::filesystem::path& file) {
  LearntStrips strips;
  Options list;
  strips.declare(list);
  const std::string text = read_file(file);
  try {
    list.read_toml_text(text, file.string());
  } catch (const UsageError& error) {
    throw DataError("{}; the file is damaged or was changed", error.what());
  }
  return strips;
}

RecogniseOptions::RecogniseOptions() {
  trainer.clip_norm = 5;
  trainer.schedule.decay = training::Decay::constant;
  declare_run(recognise_presets());
  list.section("Data");
  list.add("task", task, strip_task_names(),
           "what lies in the strips: 12 symbols that are made (symbols), or digits of --images "
           "side by side (digits); fresh strips for every batch");
  list.add("images", images, "digits: pictures of single digits, an IDX file (or gz)").kind("FILE");
  list.add("labels", labels, "digits: what they are, an IDX file (or gz)").kind("FILE");
  list.add("valid-images", valid_images,
           "digits: other pictures for validation; otherwise the last tenth of --images, which is "
           "not learnt from then")
      .kind("FILE");
  list.add("valid-labels", valid_labels, "digits: what these are").kind("FILE");
  list.add("fewest", fewest, "labels of the shortest strips; 0: 3").range(0, kMostLabels);
  list.add("most", most, "labels of the longest strips; 0: 8 symbols, 6 digits")
      .range(0, kMostLabels);
  list.add("batch", batch, "strips of a batch").range(1, 100'000);
  list.add("epoch-batches", epoch_batches, "batches of an epoch").range(1, 1'000'000'000);
  list.add("valid-strips", valid_strips, "strips of validation; 0: none").range(0, 1'000'000);
  list.section("Model");
  declare_model(list);
  list.section("Learning");
  trainer.declare(list);
}

void RecogniseOptions::declare_model(Options& options) {
  options.add("writes", model.writing, models::label_writing_names(),
              "how labels are written: a label or a blank for each state (ctc; Graves 2006), or by "
              "a decoder that attends to them (attention)");
  options.add("attention", model.attention,
              "attention: the mechanism in its written form, such as \"additive\" or "
              "\"monotonic(hard=true)\"");
  options.add("cell", model.encoder.cell, nn::cell_names(), "of the encoder and the decoder");
  options.add("hidden", model.encoder.hidden, "units of each direction of the encoder")
      .range(1, 8192);
  options.add("layers", model.encoder.layers, "of the encoder").range(1, 100);
  options.add("dropout", dropout, "between layers of the encoder").at_least(0).below(1);
  options
      .add("channels", model.encoder.channels,
           "digits: of the first convolution, and half of the second")
      .range(1, 1024);
  options.add("embedding", model.embedding, "attention: width of labels that were written")
      .range(1, 8192);
  options.add("decoder-hidden", model.hidden, "attention: units of the decoder").range(1, 8192);
}

void RecogniseOptions::apply_preset() {
  pipeline::apply_preset(*this, recognise_presets());
}

void RecogniseOptions::check() const {
  check_run();
  const bool digits = task == StripTask::digits;
  if (digits && (images.empty() || labels.empty())) {
    throw UsageError(
        "--task digits: give --images and --labels, IDX files such as train-images-idx3-ubyte and "
        "train-labels-idx1-ubyte");
  }
  if (!digits && !(images + labels + valid_images + valid_labels).empty()) {
    throw UsageError("--images, --labels: symbols are made; give --task digits as well");
  }
  if (valid_images.empty() != valid_labels.empty()) {
    throw UsageError("--valid-images and --valid-labels belong together; give both, or none");
  }
  const LearntStrips strips = learnt(1);
  if (strips.most < strips.fewest) {
    throw UsageError("--most {}: it is below --fewest {}", strips.most, strips.fewest);
  }
}

LearntStrips RecogniseOptions::learnt(std::int64_t height) const {
  const bool digits = task == StripTask::digits;
  return {.task = task,
          .height = height,
          .fewest = fewest > 0 ? fewest : 3,
          .most = most > 0 ? most
                  : digits ? 6
                           : 8};
}

models::StripRecogniserOptions RecogniseOptions::model_for(const LearntStrips& strips) const {
  models::StripRecogniserOptions made = model;
  made.encoder.height = strips.height;
  made.encoder.dropout = static_cast<Real>(dropout);
  made.encoder.convolution = strips.task == StripTask::digits;
  made.labels = std::ssize(strips.form().alphabet);
  return made;
}

nn::Parameters RecogniseOptions::sketch(Random& random, std::int64_t) const {
  const auto height = task == StripTask::digits ? kUsualDigitHeight : corpora::kSymbolHeight;
  models::StripRecogniser made(model_for(learnt(height)), random);
  return nn::parameters(made);
}

std::span<const Preset> recognise_presets() {
  return kRecognisePresets;
}

}  // namespace heed::pipeline
