// SPDX-License-Identifier: Apache-2.0
#include "heed/training/trainer_state.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "heed/base/testing.h"

namespace heed::training {
namespace {

TEST(TrainerState, ComesBackFromNotesToTheLastBit) {
  TrainerState state;
  state.update = 123;
  state.epochs = 4;
  state.epoch_end = 120;
  state.validated = 100;
  state.seconds = 1.0 / 3;
  state.loss_sum = 0.1;
  state.weight_sum = 1e300;
  state.optimiser_steps = 122;
  state.schedule_cuts = 2;
  state.noise_position = std::numeric_limits<std::uint64_t>::max();
  state.stopping = {.best = -0.1, .best_update = 90, .best_in_turn = 0.2, .stale = 3};
  state.best = {{"bleu", 31.4}, {"perplexity", std::numeric_limits<double>::infinity()}};
  state.data_position = "line 3\nwindow 7";
  state.curve = "loss\t1:2\n";
  state.config = "a = 1\n";
  state.data = "b = 2\n";
  Checkpoint checkpoint;
  write_state(state, checkpoint);
  const TrainerState back = read_state(checkpoint);
  Checkpoint again;
  write_state(back, again);
  EXPECT_EQ(again.notes, checkpoint.notes);
  EXPECT_EQ(back.seconds, state.seconds);
  EXPECT_EQ(back.noise_position, state.noise_position);
  EXPECT_EQ(back.stopping.best, -0.1);
  EXPECT_EQ(back.best, state.best);
  EXPECT_EQ(back.data_position, state.data_position);
}

TEST(TrainerState, KnowsNoBestBeforeTheFirstValidation) {
  Checkpoint checkpoint;
  write_state({}, checkpoint);
  EXPECT_FALSE(read_state(checkpoint).stopping.best.has_value());
  EXPECT_TRUE(read_state(checkpoint).best.empty());
}

TEST(TrainerState, NamesTheNoteThatIsWrong) {
  Checkpoint checkpoint;
  write_state({}, checkpoint);
  checkpoint.notes["seconds"] = "soon";
  EXPECT_EQ(heed::test::message_of<DataError>([&] { read_state(checkpoint); }),
            "checkpoint: the note seconds: \"soon\" is not a number");
  write_state({}, checkpoint);
  checkpoint.notes.erase("epochs");
  EXPECT_THROW(read_state(checkpoint), DataError);
  write_state({}, checkpoint);
  checkpoint.notes["best-metrics"] = "bleu";
  EXPECT_THROW(read_state(checkpoint), DataError);
}

}  // namespace
}  // namespace heed::training
