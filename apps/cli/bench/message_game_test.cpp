// SPDX-License-Identifier: Apache-2.0
// Senders and receivers that find a language, and what it costs them.
#include "cli/bench/message_game.h"

#include <gtest/gtest.h>

#include "heed/base/error.h"
#include "heed/base/testing.h"

namespace heed::cli {
namespace {

// Four messages among four objects: chance is .25.
MessageGameOptions small_game() {
  return {.messages = 4, .candidates = 4, .updates = 300, .games = 16, .tests = 500};
}

TEST(MessageGame, SumsLearnAndSparseOnesAskTheReceiverLess) {
  const MessageResult all = play_messages("sum over all, softmax", small_game());
  EXPECT_NEAR(all.calls, 4, 1e-9);
  EXPECT_GT(all.success, .4);
  const MessageResult sparse = play_messages("sum over the support, sparsemax", small_game());
  EXPECT_LT(sparse.calls, 3);
  EXPECT_GE(sparse.calls, 1);
  EXPECT_GT(sparse.success, .4);
  EXPECT_LE(sparse.messages, 4 + 1e-9);
}

TEST(MessageGame, EveryWayToLearnBeatsChance) {
  for (const std::string& method : message_methods()) {
    EXPECT_GT(play_messages(method, small_game()).success, .3) << method;
  }
}

TEST(MessageGame, IsTheSameWithTheSameSeed) {
  MessageGameOptions game = small_game();
  game.updates = 20;
  const MessageResult one = play_messages("score function, two draws", game);
  EXPECT_EQ(one.success, play_messages("score function, two draws", game).success);
  EXPECT_NEAR(one.calls, 2, 1e-9);
}

TEST(MessageGame, NamesTheWaysThereAre) {
  const std::string message =
      test::message_of<UsageError>([] { play_messages("telepathy", small_game()); });
  EXPECT_NE(message.find("sum over the support, sparsemax"), std::string::npos) << message;
}

}  // namespace
}  // namespace heed::cli
