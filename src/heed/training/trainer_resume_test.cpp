// SPDX-License-Identifier: Apache-2.0
// Runs that are interrupted in every way, and end with the weights of one that was not.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <stdexcept>

#include "heed/base/testing.h"
#include "heed/base/threads.h"
#include "heed/training/checkpoint.h"
#include "heed/training/testing.h"
#include "heed/training/trainer.h"

namespace heed::training {
namespace {

using heed::test::get;
using heed::test::message_of;
using heed::test::put;
using heed::test::TemporaryFolder;
using test::Adder;
using test::busy_options;
using test::Quiet;

std::filesystem::path newest_in(const std::filesystem::path& folder) {
  return checkpoint_files(folder / "checkpoints").back().path;
}

// All tensors of the newest checkpoint, and every note but the time it took.
struct Remains {
  std::map<std::string, std::vector<Real>> tensors;
  std::map<std::string, std::string> notes;

  explicit Remains(const std::filesystem::path& folder) {
    Checkpoint checkpoint = read_checkpoint(newest_in(folder));
    for (const auto& [name, tensor] : checkpoint.tensors) tensors[name] = tensor.values();
    notes = checkpoint.notes;
    notes.erase("seconds");
    notes.erase("config");  // where the limit may differ
  }
};

void expect_equal(const Remains& one, const Remains& other) {
  EXPECT_EQ(one.notes, other.notes);
  ASSERT_EQ(one.tensors.size(), other.tensors.size());
  for (const auto& [name, values] : one.tensors) EXPECT_EQ(values, other.tensors.at(name)) << name;
}

Outcome run_adder(const std::filesystem::path& folder, const TrainerOptions& options) {
  Adder adder;
  Quiet quiet;
  return train(adder.task(), options, quiet.run(folder));
}

Remains remains_of(const TrainerOptions& options) {
  const TemporaryFolder folder;
  run_adder(folder.path(), options);
  return Remains(folder.path());
}

// Made once: every checkpoint waits for the disk.
const Remains& undisturbed() {
  static const Remains whole = remains_of(busy_options());
  return whole;
}

TEST(TrainerResume, TwoRunsGiveTheSameBits) {
  expect_equal(undisturbed(), remains_of(busy_options()));
}

TEST(TrainerResume, AnotherSeedGivesOtherBits) {
  TrainerOptions options = busy_options();
  options.seed = 2;
  EXPECT_NE(remains_of(options).tensors, undisturbed().tensors);
}

TEST(TrainerResume, GoesOnAfterALimitAsIfThereHadBeenNone) {
  const Remains& whole = undisturbed();
  const TemporaryFolder folder;
  TrainerOptions options = busy_options();
  // 5 and 13 end between validations, 12 and 36 with one.
  for (const std::int64_t limit : {5, 12, 13, 36, 40}) {
    options.max_updates = limit;
    EXPECT_EQ(run_adder(folder.path(), options).updates, limit);
  }
  const Remains parts(folder.path());
  EXPECT_EQ(parts.tensors, whole.tensors);
  for (const char* note : {"update", "epochs", "noise-position", "data-position", "schedule-cuts",
                           "best-in-turn", "stale-validations"}) {
    EXPECT_EQ(parts.notes.at(note), whole.notes.at(note)) << note;
  }
}

TEST(TrainerResume, PlateauAndPatienceDoNotCountTheValidationAtAnOddEnd) {
  TrainerOptions options = busy_options();
  const auto cuts_after = [&](const std::vector<std::int64_t>& limits) {
    const TemporaryFolder folder;
    for (const std::int64_t limit : limits) {
      Adder adder;
      Quiet quiet;
      Task task = adder.task();
      task.validate = [] { return Metrics{{"loss", 5}, {"accuracy", 0}}; };  // never better
      options.max_updates = limit;
      train(task, options, quiet.run(folder.path()));
    }
    return Remains(folder.path());
  };
  const Remains whole = cuts_after({24});
  EXPECT_EQ(whole.notes.at("schedule-cuts"), "3");  // at 12, 18 and 24; that of 6 was the first
  const Remains parts = cuts_after({8, 15, 24});
  EXPECT_EQ(parts.notes.at("schedule-cuts"), "3");
  EXPECT_EQ(parts.notes.at("stale-validations"), "3");
  EXPECT_EQ(parts.tensors, whole.tensors);
}

TEST(TrainerResume, GoesOnAfterAFailureInAnyBatch) {
  const Remains& whole = undisturbed();
  const TemporaryFolder folder;
  // One failure further on in each run: in the first batch, between two of an update, right after
  // a validation or checkpoint, ...
  for (std::int64_t failing = 1; failing <= 80; failing += 3) {
    Adder adder;
    Quiet quiet;
    Task task = adder.task();
    task.next_batch_loss = [&](Random& noise) {
      BatchLoss batch = adder.next(noise);
      if (adder.batches == failing) throw std::runtime_error("power cut");
      return batch;
    };
    EXPECT_THROW(train(task, busy_options(), quiet.run(folder.path())), std::runtime_error);
  }
  run_adder(folder.path(), busy_options());
  expect_equal(Remains(folder.path()), whole);
}

TEST(TrainerResume, GoesOnAfterAFailingValidationOrModelFile) {
  const Remains& whole = undisturbed();
  const TemporaryFolder folder;
  for (const bool validating : {true, false}) {
    Adder adder;
    Quiet quiet;
    Task task = adder.task();
    const auto fail = []() { throw std::runtime_error("disk full"); };
    if (validating) {
      task.validate = [&]() -> Metrics { return fail(), Metrics(); };
    } else {
      task.save_model = fail;
    }
    EXPECT_THROW(train(task, busy_options(), quiet.run(folder.path())), std::runtime_error);
  }
  run_adder(folder.path(), busy_options());
  expect_equal(Remains(folder.path()), whole);
}

TEST(TrainerResume, GoesOnAfterKillsAtRandomMoments) {
  const ThreadScope alone(1);  // a forked child has none of its parent's threads
  const Remains& whole = undisturbed();
  const TemporaryFolder folder;
  Random random(20260);
  int kills = 0;
  for (int attempt = 0; attempt < 20; ++attempt) {
    const pid_t child = ::fork();
    if (child == 0) {
      Adder adder;
      Quiet quiet;
      Task task = adder.task();
      task.next_batch_loss = [&](Random& noise) {
        ::usleep(100);  // 80 batches: 8 ms at least, however fast the disk
        return adder.next(noise);
      };
      train(task, busy_options(), quiet.run(folder.path()));
      ::_exit(0);
    }
    ::usleep(static_cast<useconds_t>(500 + random.integer(12'000)));
    ::kill(child, SIGKILL);
    int status = 0;
    ::waitpid(child, &status, 0);
    kills += WIFSIGNALED(status) ? 1 : 0;
    // Start over once it is through, so that every kill hits a run at work.
    if (WIFEXITED(status)) std::filesystem::remove_all(folder / "checkpoints");
  }
  EXPECT_GT(kills, 5);
  run_adder(folder.path(), busy_options());
  expect_equal(Remains(folder.path()), whole);
}

TEST(TrainerResume, SignalsSaveAndStop) {
  const Remains& whole = undisturbed();
  for (const int signal : {SIGINT, SIGTERM}) {
    const TemporaryFolder folder;
    Adder adder;
    Quiet quiet;
    Task task = adder.task();
    task.next_batch_loss = [&](Random& noise) {
      if (adder.batches == 35) ::raise(signal);  // the first batch of update 18, a validation's
      return adder.next(noise);
    };
    const Outcome outcome = train(task, busy_options(), quiet.run(folder.path()));
    EXPECT_EQ(outcome.ending, Ending::interrupted);
    EXPECT_EQ(outcome.signal, signal);
    EXPECT_EQ(outcome.updates, 17);  // the one under way is given up
    EXPECT_NE(quiet.text().find(": saving and stopping"), std::string::npos);
    EXPECT_EQ(Remains(folder.path()).notes.at("validated"), "12");
    run_adder(folder.path(), busy_options());
    expect_equal(Remains(folder.path()), whole);
  }
}

// Every op of forward and backward is a place to stop at, and none may leave a trace: not in the
// noise, nor in the data, nor in gradients that were half added.
TEST(TrainerResume, AnUpdateIsGivenUpAtAnyBatchWithoutATrace) {
  const Remains& whole = undisturbed();
  for (const std::int64_t batch : {6, 7, 8, 9}) {  // both batches of two updates
    const TemporaryFolder folder;
    Adder adder;
    Quiet quiet;
    Task task = adder.task();
    task.next_batch_loss = [&](Random& noise) {
      BatchLoss loss = adder.next(noise);
      if (adder.batches == batch) ::raise(SIGTERM);  // backward is what stops
      return loss;
    };
    const Outcome outcome = train(task, busy_options(), quiet.run(folder.path()));
    EXPECT_EQ(outcome.updates, (batch - 1) / 2);
    EXPECT_EQ(adder.batches, 2 * outcome.updates);
    for (const nn::Parameter& parameter : nn::parameters(adder)) {
      EXPECT_FALSE(parameter.variable.gradient().defined()) << parameter.name;
    }
    run_adder(folder.path(), busy_options());
    expect_equal(Remains(folder.path()), whole);
  }
}

TEST(TrainerResume, AValidationIsGivenUpAndMadeByTheNextRun) {
  const Remains& whole = undisturbed();
  const TemporaryFolder folder;
  Adder adder;
  Quiet quiet;
  Task task = adder.task();
  task.validate = [&]() -> Metrics {
    if (adder.batches == 24) ::raise(SIGINT);  // at update 12
    const double loss = adder.validation_loss();
    return {{"loss", loss}, {"accuracy", 1 / (1 + loss)}};
  };
  const Outcome outcome = train(task, busy_options(), quiet.run(folder.path()));
  EXPECT_EQ(outcome.ending, Ending::interrupted);
  EXPECT_EQ(outcome.updates, 12);
  EXPECT_EQ(Remains(folder.path()).notes.at("validated"), "6");
  run_adder(folder.path(), busy_options());
  expect_equal(Remains(folder.path()), whole);
}

// The last validation of a run whose limit is reached.
TEST(TrainerResume, ARunThatIsStoppedInItsLastValidationIsNotFinished) {
  const TemporaryFolder folder;
  TrainerOptions options = busy_options();
  options.max_updates = 10;
  Adder adder;
  Quiet quiet;
  Task task = adder.task();
  task.validate = [&]() -> Metrics {
    if (adder.batches == 20) ::raise(SIGINT);
    return {{"loss", adder.validation_loss()}, {"accuracy", 0}};
  };
  EXPECT_EQ(train(task, options, quiet.run(folder.path())).ending, Ending::interrupted);
}

TEST(TrainerResume, FallsBackFromADamagedCheckpointWithAWarning) {
  const Remains& whole = undisturbed();
  const TemporaryFolder folder;
  TrainerOptions options = busy_options();
  options.max_updates = 20;
  run_adder(folder.path(), options);
  const std::filesystem::path newest = newest_in(folder.path());
  const std::string bytes = get(newest);
  put(newest, bytes.substr(0, bytes.size() - 10));
  Adder adder;
  Quiet quiet;
  train(adder.task(), busy_options(), quiet.run(folder.path()));
  EXPECT_EQ(quiet.lines.at(0).substr(0, 9), "warning: ") << quiet.text();
  EXPECT_NE(quiet.lines.at(1).find("resuming from update "), std::string::npos) << quiet.text();
  EXPECT_EQ(Remains(folder.path()).tensors, whole.tensors);
}

TEST(TrainerResume, AFullDiskStopsTheRunAndLeavesTheCheckpoints) {
  const Remains& whole = undisturbed();
  const TemporaryFolder folder;
  Adder adder;
  Quiet quiet;
  Task task = adder.task();
  rlimit before{};
  ::getrlimit(RLIMIT_FSIZE, &before);
  const auto handler = ::signal(SIGXFSZ, SIG_IGN);
  task.next_batch_loss = [&](Random& noise) {
    if (adder.batches == 20) {
      const rlimit small{.rlim_cur = 1000, .rlim_max = before.rlim_max};
      ::setrlimit(RLIMIT_FSIZE, &small);
    }
    return adder.next(noise);
  };
  const std::string message =
      message_of<DataError>([&] { train(task, busy_options(), quiet.run(folder.path())); });
  ::setrlimit(RLIMIT_FSIZE, &before);
  ::signal(SIGXFSZ, handler);
  EXPECT_NE(message.find("cannot be"), std::string::npos) << message;
  run_adder(folder.path(), busy_options());
  expect_equal(Remains(folder.path()), whole);
}

TEST(TrainerResume, RefusesOtherOptionsAndData) {
  const TemporaryFolder folder;
  Adder adder;
  Quiet quiet;
  TrainerOptions options = busy_options();
  options.max_updates = 5;
  TrainingRun run = quiet.run(folder.path());
  run.data = "train-source = 12ab\n";
  train(adder.task(), options, run);
  options.schedule.peak = 0.5;
  options.seed = 7;
  options.max_updates = 50;  // may change
  options.log_every = 1;     // may change
  run.data = "train-source = 34cd\n";
  const std::string message = message_of<UsageError>([&] { train(adder.task(), options, run); });
  EXPECT_NE(message.find("start over with --reset:\n"
                         "  learning-rate: was 0.02, is 0.5\n"
                         "  seed: was 1, is 7\n"
                         "  data: train-source: was 12ab, is 34cd"),
            std::string::npos)
      << message;
}

TEST(TrainerResume, AsksTheTaskWhatElseMayChange) {
  const TemporaryFolder folder;
  Quiet quiet;
  TrainerOptions options = busy_options();
  TrainingRun run = quiet.run(folder.path());
  run.changeable = {"threads"};
  run.config = "threads = 2\nwidth = 3\n";
  options.max_updates = 5;
  Adder first;
  train(first.task(), options, run);
  run.config = "threads = 1\nwidth = 3\n";
  options.max_updates = 6;
  Adder second;
  EXPECT_EQ(train(second.task(), options, run).updates, 6);
  run.config = "threads = 1\nwidth = 4\n";
  EXPECT_THROW(train(second.task(), options, run), UsageError);
}

TEST(TrainerResume, ResetStartsOver) {
  const TemporaryFolder folder;
  TrainerOptions options = busy_options();
  options.seed = 9;
  options.max_updates = 11;
  run_adder(folder.path(), options);
  options = busy_options();
  options.reset = true;
  EXPECT_EQ(run_adder(folder.path(), options).updates, 40);
  expect_equal(Remains(folder.path()), undisturbed());
}

TEST(TrainerResume, AFinishedRunHasNothingLeftToDo) {
  const TemporaryFolder folder;
  run_adder(folder.path(), busy_options());
  Adder adder;
  Quiet quiet;
  const Outcome outcome = train(adder.task(), busy_options(), quiet.run(folder.path()));
  EXPECT_EQ(outcome.updates, 40);
  EXPECT_EQ(adder.saved_models, 0);
  EXPECT_EQ(quiet.lines.size(), 1U) << quiet.text();  // resuming from ...
}

}  // namespace
}  // namespace heed::training
