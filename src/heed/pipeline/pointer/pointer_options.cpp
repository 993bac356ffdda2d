// SPDX-License-Identifier: Apache-2.0
// Names, limits and help of the options of pointer networks.
#include "heed/pipeline/pointer/pointer_options.h"

#include <algorithm>
#include <array>

#include "heed/base/error.h"
#include "heed/base/file.h"
#include "heed/base/text.h"
#include "heed/corpora/points/tours.h"

namespace heed::pipeline {
namespace {

using corpora::PointTask;

constexpr std::int64_t kMostPoints = 1000;

constexpr std::array<Preset, 4> kPointerPresets = {{
    {"hull", R"(
task = "hull"
points = 5
width = 128
batch = 128
learning-rate = 0.001
)"},
    {"tour", R"(
task = "tour"
points = 10
width = 128
glimpse = true
batch = 128
learning-rate = 0.001
)"},
    {"tour-reinforce", R"(
task = "tour"
points = 10
model = "attention"
learn = "reinforce"
width = 64
heads = 4
layers = 2
inner = 256
batch = 256
learning-rate = 0.0003
clip-norm = 1.0
)"},
    {"sort", R"(
task = "sort"
points = 5
model = "set"
process = 5
glimpse = true
width = 128
batch = 128
learning-rate = 0.001
)"},
}};

}  // namespace

const std::vector<std::string>& point_task_names() {
  static const std::vector<std::string> names = {"hull", "tour", "sort", "given"};
  return names;
}

const std::vector<std::string>& point_learning_names() {
  static const std::vector<std::string> names = {"targets", "reinforce"};
  return names;
}

void PointForm::declare(Options& options) {
  options.add("answers", task, point_task_names(), "what the model points at");
  options.add("least", least, "points before an answer may end; 0: all of them").at_least(0);
  options.add("fewest", fewest, "points of the smallest set it learnt from").at_least(1);
  options.add("most", most, "points of the largest").at_least(1);
}

void PointForm::write(const std::filesystem::path& file) const {
  PointForm copy = *this;
  Options list;
  copy.declare(list);
  write_atomically(file, list.to_toml());
}

PointForm PointForm::read(const std::filesystem::path& file) {
  PointForm form;
  Options list;
  form.declare(list);
  const std::string text = read_file(file);
  try {
    list.read_toml_text(text, file.string());
  } catch (const UsageError& error) {
    throw DataError("{}; the file is damaged or was changed", error.what());
  }
  return form;
}

PointerOptions::PointerOptions() {
  trainer.clip_norm = 2;
  trainer.schedule.decay = training::Decay::constant;
  declare_run(pointer_presets());
  list.section("Data");
  list.add("task", task,
           "what to point at: hull (the corners of the convex hull), tour (all points in the order "
           "of the shortest tour), sort (numbers in rising order), or a file of point sets with "
           "answers, \"x y x y x y output 1 2 3 1\" on each line (or gz)")
      .kind("TASK");
  list.add("valid", valid, "validation sets with answers, in the same form; otherwise fresh ones")
      .kind("FILE");
  list.add("points", points, "points of a set that is made").range(2, kMostPoints);
  list.add("most-points", most_points,
           "where it is larger: each batch has sets of a size drawn from --points to this")
      .range(0, kMostPoints);
  list.add("batch", batch, "sets of a batch").range(1, 100'000);
  list.add("epoch-batches", epoch_batches, "batches of an epoch, where sets are made")
      .range(1, 1'000'000'000);
  list.add("valid-sets", valid_sets, "fresh sets of validation, where no file has them; 0: none")
      .range(0, 1'000'000);
  list.section("Model");
  declare_model(list);
  list.section("Learning");
  list.add(
      "learn", learn, point_learning_names(),
      "from the right answers (targets), or from the lengths of its own tours against those of "
      "its best copy so far (reinforce; Kool 2019)");
  list.add("baseline-sets", baseline_sets,
           "reinforce: sets on which a copy must be beaten before it is replaced")
      .range(2, 10'000'000);
  trainer.declare(list);
}

void PointerOptions::declare_model(Options& options) {
  options.add("model", model.reading, models::point_reading_names(),
              "how points are read: by an LSTM one after another (lstm; Vinyals 2015), as a set in "
              "no order (set; Vinyals 2016), or by a Transformer that also points (attention; Kool "
              "2019)");
  options.add("width", model.width, "of all states").range(1, 8192);
  options.add("glimpse", model.glimpse, "lstm, set: look once before the look that points");
  options.add("process", model.process, "set: steps of the process block").range(1, 1000);
  options.add("attention", model.attention,
              "lstm, set: the mechanism that points, in its written form; it must read a mask");
  options.add("layers", model.layers, "attention: layers of the encoder").range(1, 100);
  options.add("heads", model.heads, "attention: heads").range(1, 1024);
  options.add("inner", model.inner, "attention: width of feed-forward blocks").range(1, 65'536);
}

void PointerOptions::apply_preset() {
  pipeline::apply_preset(*this, pointer_presets());
  // Without answers there is no loss to listen to.
  if (learn == PointLearning::reinforce && !list.is_set("early-stopping")) {
    trainer.early_stopping = "length";
  }
}

std::optional<PointTask> PointerOptions::made_task() const {
  const std::vector<std::string>& names = point_task_names();
  const auto found = std::ranges::find(names, task);
  const auto place = static_cast<PointTask>(found - names.begin());
  if (found == names.end() || place == PointTask::given) return {};
  return place;
}

void PointerOptions::check() const {
  check_run();
  const std::optional<PointTask> made = made_task();
  if (!made && !std::filesystem::exists(task)) {
    std::vector<std::string> names = point_task_names();
    std::erase(names, "given");
    throw UsageError("--task {}: there is no such task{}, and no such file; there are {}", task,
                     did_you_mean(task, names), join(names, ", "));
  }
  if (learn == PointLearning::reinforce) {
    if (made != PointTask::tour) {
      throw UsageError("--learn reinforce: it learns from the lengths of tours; give --task tour");
    }
    if (trainer.early_stopping == "loss") {
      throw UsageError("--early-stopping loss: --learn reinforce has none; give length");
    }
  }
  if (!made) return;
  if (points < corpora::fewest_points(*made)) {
    throw UsageError("--points {}: a {} takes {} or more", points, task,
                     corpora::fewest_points(*made));
  }
  if (most_points != 0 && most_points < points) {
    throw UsageError("--most-points {}: it is below --points {}", most_points, points);
  }
  const auto optimal = static_cast<std::int64_t>(corpora::kMostOptimal);
  if (made == PointTask::tour && learn == PointLearning::targets &&
      std::max(points, most_points) > optimal) {
    throw UsageError(
        "--points {}: the shortest tour is known of at most {} points; learn larger ones by "
        "--learn reinforce --model attention, or give a file with tours",
        std::max(points, most_points), optimal);
  }
}

PointForm PointerOptions::form() const {
  const PointTask made = made_task().value_or(PointTask::hull);
  return {.task = made,
          .least = made == PointTask::hull ? 3 : 0,
          .fewest = points,
          .most = std::max(points, most_points)};
}

models::PointModelOptions PointerOptions::model_for(const PointForm& form) const {
  models::PointModelOptions made = model;
  made.features = corpora::features_of(form.task);
  made.least = form.least;
  return made;
}

bool PointerOptions::validates() const {
  return !valid.empty() || (made_task() && valid_sets > 0);
}

std::span<const Preset> pointer_presets() {
  return kPointerPresets;
}

}  // namespace heed::pipeline
