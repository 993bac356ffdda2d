// SPDX-License-Identifier: Apache-2.0
// From sets of points to a model that points: by the right answers, or by the lengths of tours.
#include <fmt/format.h>

#include <memory>

#include "heed/autograd/ops.h"
#include "heed/base/error.h"
#include "heed/base/text.h"
#include "heed/corpora/points/point_files.h"
#include "heed/decoding/point_stepper.h"
#include "heed/pipeline/examples.h"
#include "heed/pipeline/pointer/point_batches.h"
#include "heed/pipeline/pointer/point_quality.h"
#include "heed/pipeline/pointer/point_search.h"
#include "heed/pipeline/pointer/pointer_options.h"
#include "heed/pipeline/pointer/rollout_baseline.h"
#include "heed/pipeline/starting_weights.h"

namespace heed::pipeline {
namespace {

using corpora::PointSet;
using corpora::PointTask;

constexpr std::size_t kValidatedTogether = 512;

// -log p of the answers, summed.
Variable answers_loss(const models::PointModel& model, const PointBatch& batch,
                      const models::Call& call) {
  const Variable logits = model.decode(model.read(Variable(batch.points(model.features())), call),
                                       batch.choices(), call);
  const Ids targets = batch.targets();
  return cross_entropy(logits, targets.reshape({targets.size()}),
                       {.ignored = -1, .reduction = Reduction::sum});
}

// How well held-out sets are answered.
class PointValidation {
 public:
  PointValidation(const PointerOptions& options, const PointForm& form,
                  const models::PointModel& model)
      : form_(form),
        learns_targets_(options.learn == PointLearning::targets),
        model_(model),
        sets_(validation_sets(options, form)) {
    for (const PointSet& set : sets_) points_.push_back(set.points);
  }

  std::vector<training::MetricKind> metrics() const {
    if (sets_.empty()) return {};
    std::vector<training::MetricKind> kinds;
    if (learns_targets_) kinds.push_back({"loss", training::Better::lower});
    if (form_.task == PointTask::tour) {
      kinds.push_back({"length", training::Better::lower});
      if (all_answered()) kinds.push_back({"ratio", training::Better::lower});
    } else {
      kinds.push_back({"exact", training::Better::higher});
    }
    if (form_.task == PointTask::hull) kinds.push_back({"area", training::Better::higher});
    return kinds;
  }

  training::Metrics measure() const {
    std::vector<corpora::Route> routes;
    for (FoundRoute& found : find_routes(model_, points_)) routes.push_back(std::move(found.route));
    const PointQuality quality = point_quality(form_.task, sets_, routes);
    training::Metrics metrics;
    if (learns_targets_) metrics["loss"] = loss();
    if (form_.task == PointTask::tour) {
      metrics["length"] = quality.length.value_or(0);
      if (all_answered()) metrics["ratio"] = quality.ratio.value_or(0);
    } else {
      metrics["exact"] = quality.exact.value_or(0);
    }
    if (form_.task == PointTask::hull) metrics["area"] = quality.area.value_or(0);
    return metrics;
  }

  std::vector<std::string> examples(std::size_t count) const {
    std::vector<std::string> lines;
    for (corpora::Points points : points_) {
      // Fewer digits are enough to be looked at.
      for (corpora::Point& point : points) {
        point = {std::round(point.x * 1000) / 1000, std::round(point.y * 1000) / 1000};
      }
      if (!corpora::problem_of(form_.task, points).empty()) continue;
      lines.push_back(corpora::written_points(points, corpora::features_of(form_.task)));
    }
    return chosen_examples(lines, count);
  }

 private:
  bool all_answered() const {
    return std::ranges::none_of(sets_, [](const PointSet& set) { return set.answer.empty(); });
  }

  // Per answer.
  double loss() const {
    std::map<std::size_t, PointBatch> by_size;
    double sum = 0;
    const auto add = [&](PointBatch& batch) {
      if (!batch.sets.empty()) sum += static_cast<double>(answers_loss(model_, batch, {}).item());
      batch.sets.clear();
    };
    for (const PointSet& set : sets_) {
      PointBatch& batch = by_size[set.points.size()];
      batch.sets.push_back(set);
      if (batch.sets.size() == kValidatedTogether) add(batch);
    }
    for (auto& [size, batch] : by_size) add(batch);
    return sum / static_cast<double>(sets_.size());
  }

  PointForm form_;
  bool learns_targets_;
  const models::PointModel& model_;
  std::vector<PointSet> sets_;
  std::vector<corpora::Points> points_{};
};

class PointerSetup final : public TrainingSetup {
 public:
  PointerSetup(const PointerOptions& options, const Print& print)
      : options_(options),
        print_(print),
        batches_(options),
        random_(options.trainer.seed),
        model_(models::make_point_model(options.model_for(batches_.form()), random_)),
        parameters_(nn::parameters(*model_)),
        validation_(options, batches_.form(), *model_) {
    start_from(options, parameters_, print);
    if (options.learn != PointLearning::reinforce) return;
    const auto make = [this] {
      Random any(0);
      return models::make_point_model(options_.model_for(batches_.form()), any);
    };
    baseline_ = std::make_unique<RolloutBaseline>(
        *model_, make,
        RolloutBaselineOptions{.sets = options.baseline_sets,
                               .points = batches_.form().most,
                               .seed = options.trainer.seed,
                               .epoch_batches = batches_.epoch_batches()});
  }

  nn::Parameters parameters() override { return parameters_; }

  training::Task task() override {
    training::Task task{
        .parameters = {},
        .next_batch_loss =
            [this](Random& noise) { return baseline_ ? next_tours(noise) : next_answers(noise); },
        .position = [this] { return written_place(std::array{batches_.number()}); },
        .seek = [this](const std::string& place) { batches_.seek(place_numbers(place, 1)[0]); },
        .describe_batch = [this] { return fmt::format("number {}", batches_.number()); }};
    if (baseline_) {
      task.carried = [this] { return baseline_->carried(); };
      task.carry = [this](const std::map<std::string, Tensor>& carried) {
        baseline_->carry(carried);
      };
    }
    task.metrics = validation_.metrics();
    if (!task.metrics.empty()) task.validate = [this] { return validation_.measure(); };
    return task;
  }

  CardFacts facts() override {
    const PointForm& form = batches_.form();
    return {
        {"points at", point_task_names()[static_cast<std::size_t>(form.task)]},
        {"reads", models::point_reading_names()[static_cast<std::size_t>(options_.model.reading)]},
        {"learns from", point_learning_names()[static_cast<std::size_t>(options_.learn)]},
        {"points", form.fewest == form.most ? fmt::format("{}", form.most)
                                            : fmt::format("{} to {}", form.fewest, form.most)},
        {"parameters", fmt::format("{}", nn::parameter_count(parameters_))}};
  }

  std::string data() const override { return batches_.report(); }
  std::uint64_t epoch_batches() const override { return batches_.epoch_batches(); }
  std::uint64_t data_bytes() const override { return batches_.bytes(); }
  std::vector<std::string> examples() const override {
    return validation_.examples(static_cast<std::size_t>(options_.examples));
  }
  std::int64_t longest() const override { return batches_.form().most; }
  void save_files(const ModelFolder& folder) const override {
    batches_.form().write(folder.file(kPointFormFile));
  }

 private:
  training::BatchLoss next_answers(Random& noise) {
    const PointBatch batch = batches_.next();
    return {.loss = answers_loss(*model_, batch, {.noise = &noise}),
            .weight = static_cast<double>(batch.sets.size()),
            .words = points_in(batch),
            .ends_epoch = batch.ends_epoch};
  }

  // REINFORCE (Williams 1992): the gradient of the mean length is that of (length - baseline) log p
  // of tours drawn from the model, the first factor being constant.
  training::BatchLoss next_tours(Random& noise) {
    const std::uint64_t number = batches_.number();
    if (const std::string line = baseline_->begin(number); !line.empty()) say(print_, line);
    PointBatch batch = batches_.next();
    const Tensor points = batch.points(model_->features());
    const models::Encoded encoded = model_->read(Variable(points), {.noise = &noise});
    decoding::PointStepper stepper(*model_, encoded.detached(), points.shape());
    auto drawn = decoding::sample(
        stepper, {.constraints = decoding::point_constraints(points.size(1))}, noise);
    std::vector<double> lengths;
    for (std::size_t i = 0; i < drawn.size(); ++i) {
      batch.sets[i].answer = decoding::route_of(drawn[i].front());
      lengths.push_back(corpora::tour_length(batch.sets[i].points, batch.sets[i].answer));
    }
    const std::vector<double> baseline = (*baseline_)(number, batch.sets, lengths);
    const Ids choices = batch.choices();
    const Variable logits = model_->decode(encoded, choices, {.noise = &noise});
    const Variable losses = cross_entropy(logits, choices.reshape({choices.size()}),
                                          {.reduction = Reduction::none});  // -log p, [B*T]
    Tensor advantage(losses.shape());
    for (std::int64_t i = 0; i < advantage.size(); ++i) {
      const auto set = static_cast<std::size_t>(i / choices.size(1));
      advantage.mutable_data()[i] = static_cast<Real>(baseline[set] - lengths[set]);
    }
    return {.loss = sum(losses * Variable(advantage)),
            .weight = static_cast<double>(batch.sets.size()),
            .words = points_in(batch),
            .ends_epoch = batch.ends_epoch};
  }

  static double points_in(const PointBatch& batch) {
    return static_cast<double>(batch.sets.size() * batch.sets.front().points.size());
  }

  const PointerOptions& options_;
  Print print_;
  PointBatches batches_;
  Random random_;
  std::unique_ptr<models::PointModel> model_;
  nn::Parameters parameters_;
  PointValidation validation_;
  std::unique_ptr<RolloutBaseline> baseline_{};  // of --learn reinforce
};

}  // namespace

std::unique_ptr<TrainingSetup> PointerOptions::setup(const Print& print) const {
  return std::make_unique<PointerSetup>(*this, print);
}

}  // namespace heed::pipeline
