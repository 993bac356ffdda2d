// SPDX-License-Identifier: Apache-2.0
// What holds for every score of the catalogue: batches, projected keys, growing memories, heads,
// queries, and the folder that holds them. The same folder law for biases.
#include <gtest/gtest.h>

#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "heed/attention/bias.h"
#include "heed/attention/scores/testing.h"
#include "heed/attention/settings_testing.h"
#include "heed/tensor/join.h"
#include "part_folder.h"

namespace heed::attention {
namespace {

using heed::testing::expect_near;
using heed::testing::wavy;

constexpr double kTolerance = sizeof(Real) == 8 ? 1e-12 : 2e-5;
constexpr std::int64_t kBatch = 3, kHeads = 4, kGroups = 2, kQueries = 3, kKeys = 6, kWidth = 5;

std::unique_ptr<Score> built(const std::string& setting, const ScoreShape& shape) {
  auto part = made_part<Score>(setting);
  Random random(7);
  part->build(shape, random);
  return part;
}

class ScoreLaws : public ::testing::TestWithParam<std::string> {
 protected:
  std::unique_ptr<Score> part =
      built(GetParam(),
            {.query_width = kWidth, .key_width = kWidth, .heads = kHeads, .key_heads = kGroups});
  Tensor query = wavy({kBatch, kHeads, kQueries, kWidth});
  Tensor keys = wavy({kBatch, kGroups, kKeys, kWidth}, 1);

  // Query after query with the state going along, [B,H,Q,K]; keys are projected already.
  Tensor steps(const Tensor& rows, const Variable& projected) const {
    std::vector<Variable> scores;
    AttentionState state;
    Variable hidden;
    for (std::int64_t q = 0; q < rows.size(2); ++q) {
      scores.push_back(part->score(rows.slice(2, q, q + 1), projected,
                                   {.first_query = q, .state = state, .hidden = hidden}));
      const Variable weights =
          softmax(reshape(scores.back(), {rows.size(0), rows.size(1), projected.size(2)}));
      state = state.after(weights);
      hidden = part->remember(hidden, weights);
    }
    return concat(scores, 2).value();
  }
};

TEST_P(ScoreLaws, GivesEachRowOfABatchWhatItGivesItAlone) {
  const Tensor together = steps(query, part->project(keys));
  for (std::int64_t b = 0; b < kBatch; ++b) {
    const Tensor alone = steps(query.slice(0, b, b + 1), part->project(keys.slice(0, b, b + 1)));
    expect_near(together.slice(0, b, b + 1), alone, kTolerance);
  }
}

TEST_P(ScoreLaws, GivesAllQueriesAtOnceWhatItGivesStepByStep) {
  if (part->looks_back()) return;  // these take one query at a time
  const AttentionState fresh;
  const Variable projected = part->project(keys);
  expect_near(part->score(query, projected, {.state = fresh}).value(), steps(query, projected),
              kTolerance);
}

// The memory projects the keys once; whatever a score makes of them must not depend on who else is
// in the memory, but for a score that says it reads neighbours.
TEST_P(ScoreLaws, ScoresAKeyAsIfItWereAloneInTheMemoryUnlessItReadsNeighbours) {
  if (part->looks_back()) GTEST_SKIP() << "the weights of the past are those of all keys";
  const AttentionState fresh;
  const Tensor together = part->score(query, part->project(keys), {.state = fresh}).value();
  // The first key alone: positions of others do not change its own.
  const Tensor alone =
      part->score(query, part->project(keys.slice(2, 0, 1)), {.state = fresh}).value();
  const Tensor mine = together.slice(3, 0, 1);
  if (part->grows()) {
    expect_near(mine, alone, kTolerance);
  } else {
    EXPECT_NE(mine.values(), alone.values()) << "it says that it reads neighbours, and does not";
  }
}

TEST_P(ScoreLaws, ProjectsAGrowingMemoryPieceByPieceWhereItSaysSo) {
  if (!part->grows()) return;
  const Variable grown =
      concat({part->project(keys.slice(2, 0, 2)), part->project(keys.slice(2, 2, 3)),
              part->project(keys.slice(2, 3, kKeys))},
             2);
  expect_near(steps(query, grown), steps(query, part->project(keys)), kTolerance);
}

TEST_P(ScoreLaws, LetsQueryHeadsShareAKeyHeadAsIfEachHadACopy) {
  auto copies =
      built(GetParam(),
            {.query_width = kWidth, .key_width = kWidth, .heads = kHeads, .key_heads = kHeads});
  // The same parameters, those of a key head repeated for each of its query heads.
  const auto repeat = [](const Tensor& x, std::int64_t axis) {
    std::vector<Tensor> all;
    for (std::int64_t h = 0; h < kHeads; ++h) {
      const std::int64_t g = h / (kHeads / kGroups);
      all.push_back(x.slice(static_cast<int>(axis), g, g + 1));
    }
    return concat(all, static_cast<int>(axis));
  };
  for (const auto& [name, values] : parameters_of(*part)) {
    const bool per_key_head =
        values.rank() > 1 && values.size(0) == kGroups && (name == "W1" || name == "F");
    set_parameter(*copies, name, per_key_head ? repeat(values, 0) : values);
  }
  const Tensor shared = steps(query, part->project(keys));
  std::swap(part, copies);
  expect_near(shared, steps(query, part->project(repeat(keys, 1))), kTolerance);
}

TEST_P(ScoreLaws, CanBeBuiltAgainFromItsWrittenForm) {
  EXPECT_EQ(part->written(), GetParam());
  EXPECT_EQ(part->clone()->written(), part->written());
}

INSTANTIATE_TEST_SUITE_P(Catalogue, ScoreLaws, ::testing::ValuesIn(every_setting<Score>()),
                         [](const auto& info) { return test_name_of(info.param); });

template <typename Interface>
std::set<std::string> in_catalogue() {
  std::set<std::string> names;
  for (const auto& entry : Catalogue<Interface>::entries()) names.insert(entry.card.name);
  return names;
}

TEST(ScoreCatalogue, HoldsTheFilesOfItsFolderAndTheExample) {
  std::set<std::string> files = heed::test::parts_in("src/heed/attention/scores");
  EXPECT_FALSE(files.empty());
  files.merge(heed::test::parts_in("examples/custom_score"));
  EXPECT_EQ(in_catalogue<Score>(), files);
}

TEST(BiasCatalogue, HoldsTheFilesOfItsFolder) {
  EXPECT_FALSE(in_catalogue<Bias>().empty());
  EXPECT_EQ(in_catalogue<Bias>(), heed::test::parts_in("src/heed/attention/biases"));
}

}  // namespace
}  // namespace heed::attention
