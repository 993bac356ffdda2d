// SPDX-License-Identifier: Apache-2.0
// Names, limits and help of the options of training.
#include "heed/training/trainer_options.h"

#include "heed/base/error.h"
#include "heed/training/training_log.h"

namespace heed::training {
namespace {

void declare_limits(TrainerOptions& mine, Options& options) {
  options.section("How long to train");
  options.add("max-updates", mine.max_updates, "updates after which training ends; 0: no limit")
      .at_least(0);
  options.add("max-epochs", mine.max_epochs, "passes over the data; 0: no limit").at_least(0);
  options
      .add("max-minutes", mine.max_minutes,
           "minutes of training, including those before an interruption; 0: no limit")
      .at_least(0);
}

void declare_optimiser(TrainerOptions& mine, Options& options) {
  options.section("Optimiser");
  options
      .add("optimiser", mine.optimiser,
           "update rule; adam adds the weight decay to the gradient, adamw takes it off the "
           "weights")
      .one_of({"adam", "adamw", "sgd", "rmsprop", "adagrad", "adadelta"});
  options
      .add("beta1", mine.beta1, "adam: decay of the mean of gradients; adadelta: of both its means")
      .at_least(0)
      .below(1);
  options.add("beta2", mine.beta2, "adam, rmsprop: decay of the mean of squared gradients")
      .at_least(0)
      .below(1);
  options.add("epsilon", mine.epsilon, "added to the divisor by all but sgd").above(0);
  options.add("momentum", mine.momentum, "sgd, rmsprop: share of the last step that is repeated")
      .at_least(0)
      .below(1);
  options.add("weight-decay", mine.weight_decay, "how strongly weights are pulled to 0")
      .at_least(0);
  options
      .add(
          "decay-of", mine.decay_of,
          "which weights the weight decay pulls: all, or matrices, which leaves out biases and the "
          "gains of norms")
      .one_of({"all", "matrices"});
  options
      .add("clip-norm", mine.clip_norm,
           "gradient clipping: gradients of a larger norm are scaled down to this one; 0: off")
      .at_least(0);
  options
      .add("clip-each", mine.clip_each,
           "the same for the gradient of each weight tensor by itself; 0: off")
      .at_least(0);
  options
      .add("accumulate", mine.accumulate,
           "gradient accumulation: batches whose gradients make one update, as if they were one "
           "large batch")
      .at_least(1);
  options
      .add("ema", mine.ema,
           "decay of a moving average of the weights, such as 0.999, which is validated and saved "
           "in their place; 0: off")
      .at_least(0)
      .below(1);
}

void declare_schedule(ScheduleOptions& mine, Options& options) {
  options.section("Learning rate");
  options.add("learning-rate", mine.peak, "size of an update, at the peak of the schedule")
      .above(0);
  options.add("schedule", mine.decay, decay_names(), "how the learning rate falls after its peak");
  options.add("warm-up", mine.warm_up, "updates in which the learning rate climbs to its peak")
      .at_least(0);
  options
      .add("decay-updates", mine.decay_updates,
           "cosine: the update at which the lowest rate is reached; step: updates between cuts")
      .at_least(0);
  options.add("decay-factor", mine.factor, "step, plateau: the rate is cut by this factor")
      .above(0)
      .below(1);
  options
      .add("decay-patience", mine.patience,
           "plateau: validations without a better one before a cut")
      .at_least(1);
  options.add("lowest-rate", mine.low, "the learning rate never falls below this").at_least(0);
}

void declare_rest(TrainerOptions& mine, Options& options) {
  options.section("Validation, checkpoints and log");
  options.add("validate-every", mine.validate_every,
              "when to validate: \"500\" (updates) or \"1 epoch\"");
  options.add("early-stopping", mine.early_stopping,
              "the metric of validation that decides which model is best and when to stop");
  options
      .add("patience", mine.patience,
           "validations without a better one after which training ends; 0: never")
      .at_least(0);
  options.add("save-every", mine.save_every,
              "when to save a checkpoint: \"500\" (updates), \"1 epoch\" or \"10 minutes\"");
  options.add("keep-last", mine.keep_last, "checkpoints to keep, besides that of the best model")
      .at_least(1);
  options.add("reset", mine.reset, "start over: remove the checkpoints of an earlier run");
  options.add("seed", mine.seed, "of all random numbers; the same seed gives the same model");
  options.add("log-every", mine.log_every, "updates from one log line to the next").at_least(1);
  options
      .add("log-json", mine.log_json, "file that gets one JSON object per log line and validation")
      .kind("FILE");
}

}  // namespace

void TrainerOptions::declare(Options& options) {
  declare_limits(*this, options);
  declare_optimiser(*this, options);
  declare_schedule(schedule, options);
  declare_rest(*this, options);
}

Method TrainerOptions::method() const {
  if (optimiser == "adam" || optimiser == "adamw") {
    return Adam{.beta1 = beta1,
                .beta2 = beta2,
                .epsilon = epsilon,
                .weight_decay = weight_decay,
                .decoupled = optimiser == "adamw"};
  }
  if (optimiser == "sgd") return Sgd{.momentum = momentum, .weight_decay = weight_decay};
  if (optimiser == "rmsprop") {
    return RmsProp{
        .decay = beta2, .epsilon = epsilon, .momentum = momentum, .weight_decay = weight_decay};
  }
  if (optimiser == "adagrad") return Adagrad{.epsilon = epsilon, .weight_decay = weight_decay};
  if (optimiser == "adadelta") {
    return Adadelta{.decay = beta1, .epsilon = epsilon, .weight_decay = weight_decay};
  }
  throw UsageError(
      "--optimiser is \"{}\": it takes one of adam, adamw, sgd, rmsprop, adagrad, adadelta",
      optimiser);
}

std::vector<ParameterGroup> TrainerOptions::groups() const {
  if (decay_of == "matrices") return {undecayed_vectors()};
  return {};
}

void TrainerOptions::check() const {
  const Schedule complete(schedule);
  parse_interval(save_every, "--save-every");
  if (parse_interval(validate_every, "--validate-every").unit == Interval::Unit::minutes) {
    throw UsageError(
        "--validate-every is \"{}\": validations change the course of training, so a clock may not "
        "call them; it takes updates or epochs",
        validate_every);
  }
  if (accumulate < 1) throw UsageError("--accumulate is {}: it takes 1 or more", accumulate);
  check_log_file(log_json);
  if (log_every < 1) throw UsageError("--log-every is {}: it takes 1 or more", log_every);
}

void TrainerOptions::check_end(bool validates) const {
  if (max_updates > 0 || max_epochs > 0 || max_minutes > 0) return;
  if (validates && patience > 0) return;
  throw UsageError(
      "training would never end; it takes one of --max-updates, --max-epochs, --max-minutes, or "
      "validation with --patience");
}

const std::vector<std::string>& changeable_options() {
  static const std::vector<std::string> names = {"max-updates", "max-epochs", "max-minutes",
                                                 "patience",    "save-every", "keep-last",
                                                 "reset",       "log-every",  "log-json"};
  return names;
}

}  // namespace heed::training
