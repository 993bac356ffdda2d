// SPDX-License-Identifier: Apache-2.0
// A user's change of scores: what it is given, and what happens to masked keys.
#include "heed/attention/compose/score_change.h"

#include <gtest/gtest.h>

#include <cmath>

#include "heed/attention/mechanism.h"
#include "heed/tensor/testing.h"

namespace heed::attention {
namespace {

using heed::testing::expect_near;
using heed::testing::wavy;

TileChange doubled() {
  return score_change(
      [](const ScoreTile& scores) {
        for (std::size_t r = 0; r < scores.rows; ++r) {
          for (std::size_t c = 0; c < scores.columns; ++c) scores.row(r)[c] *= 2;
        }
      },
      [](const ScoreTileBefore& before, Real* gradient) {
        for (std::size_t r = 0; r < before.rows; ++r, gradient += before.stride) {
          for (std::size_t c = 0; c < before.columns; ++c) gradient[c] *= 2;
        }
      });
}

// Adds 100 head + 10 query + key.
TileChange places() {
  return score_change(
      [](const ScoreTile& scores) {
        for (std::size_t r = 0; r < scores.rows; ++r) {
          for (std::size_t c = 0; c < scores.columns; ++c) {
            scores.row(r)[c] +=
                static_cast<Real>(100 * scores.head + 10 * (scores.query + r) + scores.key + c);
          }
        }
      },
      [](const ScoreTileBefore&, Real*) {});
}

TEST(ScoreChange, IsToldHeadQueryAndKey) {
  const Variable scores(Tensor::zeros({1, 2, 2, 3}));
  expect_near(apply(places(), scores).value(),
              Tensor::of({1, 2, 2, 3}, {0, 1, 2, 10, 11, 12, 100, 101, 102, 110, 111, 112}), 0);
}

TEST(ScoreChange, LeavesTheGradientOfAMaskedKeyAtZeroWhateverStandsThere) {
  const Variable scores = Variable::leaf(Tensor::of({1, 1, 1, 2}, {1, NAN}));
  backward(apply(doubled(), scores), Tensor::of({1, 1, 1, 2}, {3, 0}));
  expect_near(scores.gradient(), Tensor::of({1, 1, 1, 2}, {6, 0}), 0);
}

TEST(ScoreChange, OfAUserWorksInEveryKernelAsInTheComposition) {
  Random random(3);
  for (const char* text : {"scaled_dot | causal", "scaled_dot + alibi", "additive"}) {
    SCOPED_TRACE(text);
    const Mechanism look(text, {.query_width = 8, .key_width = 8, .value_width = 5}, random);
    const Memory memory = look.memory(wavy({1, 1, 70, 8}), wavy({1, 1, 70, 5}, 1));
    const Variable query(wavy({1, 1, 30, 8}, 2));
    AttendOptions options{.changes = {doubled(), places()}};
    const Tensor fused = look.attend(query, memory, {}, options).context.value();
    options.fuse = false;
    expect_near(fused, look.attend(query, memory, {}, options).context.value(), 1e-5);
    expect_near(look.attend(query, memory, {}, {}).context.value(),
                look.attend(query, memory, {}, {.fuse = false}).context.value(), 1e-5);
  }
}

TEST(ScoreChange, SeesQueriesByTheirPositionAndHeadsAsTheMechanismCountsThem) {
  Random random(3);
  const Mechanism look("1x(scaled_dot); 1x(dot)",
                       {.query_width = 4, .key_width = 4, .value_width = 3, .heads = 2}, random);
  const Memory memory = look.memory(wavy({1, 1, 6, 4}), wavy({1, 1, 6, 3}, 1));
  std::size_t highest_head = 0, lowest_query = 100;
  const TileChange watch = score_change(
      [&](const ScoreTile& scores) {
        highest_head = std::max(highest_head, scores.head);
        lowest_query = std::min(lowest_query, scores.query);
      },
      [](const ScoreTileBefore&, Real*) {});
  look.attend(Variable(wavy({1, 2, 1, 4})), memory, {},
              {.given = {.first_query = 5}, .changes = {watch}});
  EXPECT_EQ(highest_head, 1u);
  EXPECT_EQ(lowest_query, 5u);
}

}  // namespace
}  // namespace heed::attention
