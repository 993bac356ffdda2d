// SPDX-License-Identifier: Apache-2.0
// The loop of training: update, validate, save, and when to end.
#include "heed/training/trainer.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <optional>
#include <utility>

#include "heed/base/error.h"
#include "heed/base/file.h"
#include "heed/base/stop.h"
#include "heed/base/text.h"
#include "heed/training/checkpoint.h"
#include "heed/training/config_check.h"
#include "heed/training/ema.h"
#include "heed/training/interruption.h"
#include "heed/training/limits.h"
#include "heed/training/trainer_state.h"
#include "heed/training/training_log.h"

namespace heed::training {
namespace {

// Of its own, so that noise never repeats the numbers that made the first weights.
constexpr std::uint64_t kNoiseStream = 0x6e6f697365;

std::string config_of(TrainerOptions options) {
  Options list;
  options.declare(list);
  return list.to_toml();
}

// What keeps a task from being trained, before anything is written.
void check(const Task& task, const TrainerOptions& options) {
  options.check();
  if (!task.next_batch_loss || !task.position || !task.seek) {
    throw UsageError("trainer: a task needs next_batch_loss, position and seek");
  }
  const bool validates = !task.metrics.empty();
  if (validates != static_cast<bool>(task.validate)) {
    throw UsageError("trainer: a task has {} metrics and {} validate; it takes both or none",
                     task.metrics.size(), task.validate ? "a" : "no");
  }
  if (validates) find_metric(task.metrics, options.early_stopping);
  options.check_end(validates);
}

std::string_view name_of(Ending ending) {
  switch (ending) {
    case Ending::limit:
      return "limit";
    case Ending::early_stopping:
      return "early-stopping";
    case Ending::interrupted:
      return "interrupted";
  }
  return "";
}

class Trainer {
 public:
  Trainer(const Task& task, const TrainerOptions& options, const TrainingRun& run);
  Outcome go();

 private:
  bool validates() const { return !task_.metrics.empty(); }
  void resume();
  void require_same(const TrainerState& saved, const std::filesystem::path& path) const;
  Ending loop();
  // How it ends after all: the last validation may be interrupted.
  Ending finish(Ending ending);

  // Runs work that a signal may cut short; false when it did.
  template <typename Work>
  bool unless_stopped(Work&& work) const;
  // What an update changes before it is finished, so that it can be given up.
  struct Place {
    std::uint64_t noise = 0;
    std::string data;
    std::map<std::string, Tensor> carried;
  };
  Place place() const;
  void go_back_to(const Place& place);
  // False when it was given up.
  bool make_update();
  [[noreturn]] void refuse(std::string_view what, double found, std::string_view batch) const;
  [[noreturn]] void refuse_validation() const;
  std::string remedy() const;
  void report();
  void tick();

  // A validation in turn counts for patience and plateau; one at an odd end of a run does not, so
  // that a longer limit takes the same course.
  // False when it was given up.
  enum class Turn { in_turn, out_of_turn };
  bool validate(Turn turn);
  void save_model();
  void save();
  void draw_curve() const;

  const Task& task_;
  const TrainerOptions& options_;
  const TrainingRun& run_;
  const Interval validate_every_;
  const Interval save_every_;

  Optimiser optimiser_;
  Schedule schedule_;
  std::optional<Ema> ema_;
  std::optional<EarlyStopping> stopping_;
  Random noise_;
  Curve curve_;
  TrainerState state_;

  CheckpointStore store_;
  std::filesystem::path last_checkpoint_;
  std::optional<std::pair<std::string, double>> broken_;  // of the last validation: not finite
  bool changed_ = false;                                  // since the last checkpoint
  bool must_save_ = false;  // the best model's state is yet to be kept
  double saved_at_ = 0;     // state_.seconds of the last checkpoint

  std::optional<Interruption> interruption_;
  std::unique_ptr<TrainingLog> log_;
  UpdateReport report_;
  double clock_ = 0;
  TrainerState start_;  // where this run began
  // Since the last line of the log.
  double words_ = 0;
  double update_seconds_ = 0;
};

Trainer::Trainer(const Task& task, const TrainerOptions& options, const TrainingRun& run)
    : task_(task),
      options_(options),
      run_(run),
      validate_every_(parse_interval(options.validate_every, "--validate-every")),
      save_every_(parse_interval(options.save_every, "--save-every")),
      optimiser_(task.parameters, options.method(), options.groups()),
      schedule_(options.schedule),
      noise_(options.seed, kNoiseStream),
      store_(run.folder / "checkpoints") {
  if (options.ema > 0) ema_.emplace(task.parameters, options.ema);
  if (validates()) {
    stopping_.emplace(find_metric(task.metrics, options.early_stopping), options.patience);
  }
  state_.config = run.config.empty() ? config_of(options) : run.config;
  state_.data = run.data;
}

void Trainer::require_same(const TrainerState& saved, const std::filesystem::path& path) const {
  std::vector<std::string> changeable = changeable_options();
  changeable.insert(changeable.end(), run_.changeable.begin(), run_.changeable.end());
  auto differences = config_differences(saved.config, state_.config, changeable);
  for (auto& difference : config_differences(saved.data, state_.data, {})) {
    difference.name = "data: " + difference.name;
    differences.push_back(std::move(difference));
  }
  if (differences.empty()) return;
  throw UsageError(
      "{}: was made by a run with other options or data, and this one cannot resume from it; set "
      "them back, choose another folder, or start over with --reset:\n{}",
      path.string(), difference_lines(differences));
}

void Trainer::resume() {
  if (options_.reset) store_.clear();
  auto found = store_.newest();
  std::vector<std::string> lines;
  if (found) {
    const std::filesystem::path& path = found->file.path;
    TrainerState saved;
    try {
      saved = read_state(found->checkpoint);
      require_same(saved, path);
      restore_parameters(task_.parameters, found->checkpoint.part("parameters"));
      optimiser_.restore(found->checkpoint.part("optimiser"), saved.optimiser_steps);
      if (ema_) ema_->restore(found->checkpoint.part("ema"));
      curve_ = Curve::from_text(saved.curve);
    } catch (const DataError& error) {
      throw DataError("{}: {}; --reset starts over", path.string(), error.what());
    }
    schedule_.restore(saved.schedule_cuts);
    if (stopping_) stopping_->restore(saved.stopping);
    noise_.seek(saved.noise_position);
    task_.seek(saved.data_position);
    if (task_.carry) task_.carry(found->checkpoint.part("carried"));
    saved.config = state_.config;  // with the limits of now
    state_ = std::move(saved);
    last_checkpoint_ = path;
    for (const std::string& warning : found->warnings) lines.push_back("warning: " + warning);
    lines.push_back(fmt::format("resuming from update {} ({})", state_.update, path.string()));
  }
  start_ = state_;
  saved_at_ = state_.seconds;
  const bool by_updates =
      options_.max_updates > 0 && options_.max_epochs == 0 && options_.max_minutes == 0;
  log_ = std::make_unique<TrainingLog>(
      TrainingLogSetting{.total = by_updates ? static_cast<std::uint64_t>(options_.max_updates) : 0,
                         .first = static_cast<std::uint64_t>(state_.update),
                         .json = options_.log_json,
                         .print = run_.print,
                         .sink = run_.sink});
  for (const std::string& line : lines) log_->print(line);
}

Outcome Trainer::go() {
  resume();
  clock_ = run_.sink.seconds();
  interruption_.emplace();
  const Ending ending = finish(loop());
  return {.ending = ending,
          .signal = ending == Ending::interrupted ? interruption_->signal() : 0,
          .updates = state_.update,
          .epochs = state_.epochs,
          .best_update = stopping_ ? stopping_->state().best_update : state_.update,
          .best = state_.best};
}

template <typename Work>
bool Trainer::unless_stopped(Work&& work) const {
  try {
    const StopScope scope(interruption_->flag());
    work();
    return true;
  } catch (const Stopped&) {
    return false;
  }
}

Trainer::Place Trainer::place() const {
  return {.noise = noise_.position(),
          .data = task_.position(),
          .carried = task_.carried ? task_.carried() : std::map<std::string, Tensor>()};
}

void Trainer::go_back_to(const Place& place) {
  noise_.seek(place.noise);
  task_.seek(place.data);
  if (task_.carry) task_.carry(place.carried);
  for (nn::Parameter parameter : task_.parameters) parameter.variable.clear_gradient();
}

Ending Trainer::loop() {
  for (;;) {
    if (interruption_->requested()) return Ending::interrupted;
    if (validates() && state_.validated < state_.update && is_due(validate_every_, state_, 0) &&
        !validate(Turn::in_turn)) {
      continue;
    }
    if (changed_ && (must_save_ || is_due(save_every_, state_, saved_at_))) {
      if (!validates()) save_model();
      save();
    }
    if (stopping_ && stopping_->stop()) return Ending::early_stopping;
    if (limit_reached(options_, state_)) return Ending::limit;
    if (interruption_->requested()) continue;
    if (make_update()) report();
  }
}

Ending Trainer::finish(Ending ending) {
  const bool left_out = validates() && state_.validated < state_.update;
  if (left_out && ending != Ending::interrupted && !validate(Turn::out_of_turn)) {
    ending = Ending::interrupted;
  }
  if (ending == Ending::interrupted) {
    interruption_->seen();
    log_->print(fmt::format("{}: saving and stopping", interruption_->signal_name()));
  }
  // Whoever stops before the first validation gets what there is.
  const bool nothing_best = !stopping_ || !stopping_->state().best;
  if (nothing_best && broken_ && ending != Ending::interrupted) refuse_validation();
  if (nothing_best) save_model();
  if (changed_) save();
  draw_curve();
  if (ending == Ending::early_stopping) {
    log_->print(fmt::format("early stopping: no better {} in the last {} validations",
                            stopping_->metric().name, stopping_->state().stale));
  }
  log_->end(state_.update, name_of(ending));
  return ending;
}

// Gradients of sums are added over the batches and divided by the weight of all: the same mean
// over tokens as of one large batch, however the tokens are spread.
bool Trainer::make_update() {
  double loss_sum = 0;
  double weight_sum = 0;
  double words = 0;
  bool ends_epoch = false;
  double phase = 1;
  std::vector<std::string> batches;
  const auto add_batch = [&] {
    const BatchLoss batch = task_.next_batch_loss(noise_);
    batches.push_back(task_.describe_batch ? task_.describe_batch() : "unknown place");
    const auto loss = static_cast<double>(batch.loss.item());
    if (!std::isfinite(loss)) refuse("the loss", loss, batches.back());
    if (!(batch.weight > 0)) {
      throw InternalError("trainer: a batch of weight {}; it takes more than 0", batch.weight);
    }
    backward(batch.loss);
    loss_sum += loss;
    weight_sum += batch.weight;
    words += batch.words;
    ends_epoch = ends_epoch || batch.ends_epoch;
    phase = batch.rate;
  };
  const Place before = place();
  for (std::int64_t i = 0; i < options_.accumulate; ++i) {
    if (unless_stopped(add_batch)) continue;
    go_back_to(before);
    return false;
  }
  words_ += words;
  const double rate = schedule_.rate(state_.update + 1) * phase;
  const double norm = optimiser_.step({.learning_rate = rate,
                                       .clip_norm = options_.clip_norm,
                                       .clip_each = options_.clip_each,
                                       .gradient_scale = 1 / weight_sum});
  if (!std::isfinite(norm)) refuse("the gradient's norm", norm, join(batches, " and "));
  ++state_.update;
  if (ema_) ema_->update(state_.update);
  if (ends_epoch) {
    ++state_.epochs;
    state_.epoch_end = state_.update;
  }
  state_.loss_sum += loss_sum;
  state_.weight_sum += weight_sum;
  changed_ = true;
  report_.gradient_norm = norm;
  report_.learning_rate = rate;
  const double seconds = state_.seconds;
  tick();
  update_seconds_ += state_.seconds - seconds;
  return true;
}

std::string Trainer::remedy() const {
  return fmt::format(
      "start over with --reset and a lower --learning-rate (it is {:g}), a longer --warm-up (it is "
      "{}) or a smaller --clip-norm (it is {})",
      options_.schedule.peak, options_.schedule.warm_up,
      options_.clip_norm == 0 ? "0, which is off" : fmt::format("{:g}", options_.clip_norm));
}

void Trainer::refuse(std::string_view what, double found, std::string_view batch) const {
  const std::string kept = last_checkpoint_.empty() ? "no checkpoint had been saved yet"
                                                    : fmt::format("the last good checkpoint is {}",
                                                                  last_checkpoint_.string());
  throw UsageError("update {}: {} is {} in the batch of {}; {}; {}", state_.update + 1, what, found,
                   batch, remedy(), kept);
}

void Trainer::refuse_validation() const {
  throw DataError("update {}: the {} of validation is {}; {}", state_.update, broken_->first,
                  broken_->second, remedy());
}

void Trainer::tick() {
  const double now = run_.sink.seconds();
  state_.seconds += now - std::exchange(clock_, now);
}

void Trainer::report() {
  report_.update = state_.update;
  report_.epoch = epoch_of(state_);
  report_.loss = state_.loss_sum / state_.weight_sum;
  report_.words_per_second = update_seconds_ > 0 ? words_ / update_seconds_ : 0;
  report_.seconds = state_.seconds;
  report_.seconds_left = seconds_left(options_, state_, start_);
  log_->show(report_);
  if (state_.update % options_.log_every != 0) return;
  log_->update(report_);
  curve_.add_training({state_.update, report_.loss});
  state_.loss_sum = state_.weight_sum = 0;
  words_ = update_seconds_ = 0;
}

bool Trainer::validate(Turn turn) {
  const EmaScope averaged(ema_ ? &*ema_ : nullptr);
  const NoGradient no_gradient;
  Metrics metrics;
  if (!unless_stopped([&] { metrics = task_.validate(); })) return false;
  broken_.reset();
  for (const MetricKind& kind : task_.metrics) {
    const auto found = metrics.find(kind.name);
    if (found == metrics.end()) {
      throw InternalError("trainer: validation did not give {}, which the task lists", kind.name);
    }
    const bool counts = kind.better == Better::lower || kind.name == stopping_->metric().name;
    if (counts && !broken_ && !std::isfinite(found->second)) broken_.emplace(*found);
    curve_.add_validation(kind.name, {state_.update, found->second});
  }
  if (broken_ && broken_->first == "loss") refuse_validation();
  // A loss may be huge and finite where its perplexity is not: that is no model to keep.
  const double value =
      broken_ ? std::numeric_limits<double>::quiet_NaN() : metrics.at(stopping_->metric().name);
  const bool best = turn == Turn::in_turn ? stopping_->observe(value, state_.update)
                                          : stopping_->consider(value, state_.update);
  if (turn == Turn::in_turn) schedule_.observe(stopping_->state().stale);
  // The model first, then the checkpoint that says it is there: a kill between them costs nothing
  // but doing this validation again.
  if (best) {
    state_.best = metrics;
    must_save_ = true;
    const Interruption::Saving saving;
    if (task_.save_model) task_.save_model();
  }
  state_.validated = state_.update;
  changed_ = true;
  tick();
  log_->validation({.update = state_.update,
                    .epoch = epoch_of(state_),
                    .metrics = metrics,
                    .best = best,
                    .seconds = state_.seconds},
                   task_.metrics);
  if (task_.samples && !broken_) {
    std::string samples;
    if (unless_stopped([&] { samples = task_.samples(); }) && !samples.empty()) {
      log_->print(samples);
    }
  }
  draw_curve();
  tick();  // none of this is the next update's time
  return true;
}

void Trainer::save_model() {
  if (!task_.save_model) return;
  const Interruption::Saving saving;
  const EmaScope averaged(ema_ ? &*ema_ : nullptr);
  const NoGradient no_gradient;
  task_.save_model();
}

void Trainer::save() {
  const Interruption::Saving saving;
  tick();
  state_.optimiser_steps = optimiser_.steps();
  state_.schedule_cuts = schedule_.cuts();
  state_.noise_position = noise_.position();
  if (stopping_) state_.stopping = stopping_->state();
  state_.data_position = task_.position();
  state_.curve = curve_.text();
  Checkpoint checkpoint;
  checkpoint.put("parameters", parameter_values(task_.parameters));
  checkpoint.put("optimiser", optimiser_.state());
  if (ema_) checkpoint.put("ema", ema_->state());
  if (task_.carried) checkpoint.put("carried", task_.carried());
  write_state(state_, checkpoint);
  last_checkpoint_ = store_.save(checkpoint, state_.update);
  store_.keep(options_.keep_last, state_.stopping.best_update);
  changed_ = must_save_ = false;
  saved_at_ = state_.seconds;
  tick();
}

void Trainer::draw_curve() const {
  if (run_.draw) run_.draw(curve_);
}

}  // namespace

Outcome train(const Task& task, const TrainerOptions& options, const TrainingRun& run) {
  check(task, options);
  return Trainer(task, options, run).go();
}

}  // namespace heed::training
