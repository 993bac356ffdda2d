// SPDX-License-Identifier: Apache-2.0
// The laws of biases, run over the whole catalogue: tiles are parts of the whole, a step is its
// row, and what stands beside a sequence in a batch changes nothing.
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "heed/attention/bias.h"
#include "heed/attention/settings_testing.h"
#include "heed/autograd/ops.h"
#include "heed/tensor/testing.h"
#include "part_folder.h"

namespace heed::attention {
namespace {

using heed::testing::expect_near;
using heed::testing::wavy;

constexpr std::int64_t kBatch = 2, kHeads = 4, kGroups = 2, kQueries = 5, kKeys = 7, kWidth = 4;

class BiasLaws : public ::testing::TestWithParam<std::string> {
 protected:
  BiasLaws() : part(made_part<Bias>(GetParam())) {
    Random random(5);
    part->build({.query_width = kWidth,
                 .key_width = kWidth,
                 .value_width = kWidth,
                 .heads = kHeads,
                 .key_heads = kGroups},
                random);
    // A table that starts with zeros would change nothing.
    nn::ParameterVisitor fill([](const std::string&, Variable& parameter) {
      parameter = Variable::leaf(wavy(parameter.shape(), 4));
    });
    part->visit(fill);
  }
  BiasCall call(const Variable& q, const Variable& k, std::int64_t first) const {
    return {.query = q,
            .keys = k,
            .first_query = first,
            .all_heads = kHeads,
            .given = needs_given() ? given.slice(2, first, first + q.size(2)).slice(0, 0, q.size(0))
                                   : Tensor()};
  }
  bool needs_given() const { return !part->card().reads.empty(); }

  std::unique_ptr<Bias> part;
  Variable query = wavy({kBatch, kHeads, kQueries, kWidth});
  Variable keys = wavy({kBatch, kGroups, kKeys, kWidth}, 1);
  Tensor scores = wavy({kBatch, kHeads, kQueries, kKeys}, 2);
  Tensor given = wavy({kBatch, kHeads, kQueries, kKeys}, 3);
};

TEST_P(BiasLaws, ChangesATileAsItChangesTheWhole) {
  const BiasCall all = call(query, keys, 0);
  const std::optional<TileChange> change = part->tile_change(all);
  if (!change) GTEST_SKIP() << "it is no change by tiles";
  const Tensor whole = part->transform(scores, all).value();
  for (std::int64_t b = 0; b < kBatch; ++b) {
    for (std::int64_t h = 0; h < kHeads; ++h) {
      // Queries 1 to 3 and keys 2 to 5.
      Tensor tile = scores.select(0, b).select(0, h).slice(0, 1, 4).slice(1, 2, 6).clone();
      change->change->change({.data = tile.mutable_data(),
                              .stride = 4,
                              .rows = 3,
                              .columns = 4,
                              .batch = static_cast<std::size_t>(b),
                              .head = static_cast<std::size_t>(h),
                              .query = 1,
                              .key = 2});
      expect_near(tile, whole.select(0, b).select(0, h).slice(0, 1, 4).slice(1, 2, 6), 1e-6);
    }
  }
}

TEST_P(BiasLaws, GivesAStepTheRowOfTheWhole) {
  const BiasCall all = call(query, keys, 0);
  const Tensor transformed = part->transform(scores, all).value();
  const Tensor scaled = part->scale_weights(scores, all).value();
  const Variable added = part->add_to_context(scores, all);
  for (std::int64_t q = 0; q < kQueries; ++q) {
    const auto row = [q](const Tensor& x) { return x.slice(2, q, q + 1); };
    const Variable one = slice(query, 2, q, q + 1);
    const BiasCall step = call(one, keys, q);
    expect_near(part->transform(row(scores), step).value(), row(transformed), 1e-5);
    expect_near(part->scale_weights(row(scores), step).value(), row(scaled), 1e-5);
    if (!added.defined()) continue;
    expect_near(part->add_to_context(row(scores), step).value(), row(added.value()), 1e-5);
  }
}

TEST_P(BiasLaws, GivesEachRowOfABatchWhatItGivesItAlone) {
  const Tensor together = part->transform(scores, call(query, keys, 0)).value();
  const Tensor scaled = part->scale_weights(scores, call(query, keys, 0)).value();
  for (std::int64_t b = 0; b < kBatch; ++b) {
    const auto one = [b](const Tensor& x) { return x.slice(0, b, b + 1); };
    const Variable q = slice(query, 0, b, b + 1), k = slice(keys, 0, b, b + 1);
    BiasCall alone = call(q, k, 0);
    if (needs_given()) alone.given = one(given);
    expect_near(part->transform(one(scores), alone).value(), one(together), 1e-6);
    expect_near(part->scale_weights(one(scores), alone).value(), one(scaled), 1e-6);
  }
}

TEST_P(BiasLaws, ChangesSomething) {
  const BiasCall all = call(query, keys, 0);
  const bool changes = part->transform(scores, all).value().values() != scores.values() ||
                       part->scale_weights(scores, all).value().values() != scores.values();
  EXPECT_TRUE(changes);
}

TEST_P(BiasLaws, GivesWhatItsCardSays) {
  const std::vector<Given>& gives = part->card().gives;
  const Variable centres = part->centres(call(query, keys, 0));
  EXPECT_EQ(centres.defined(), std::ranges::count(gives, Given::centres) > 0);
  if (centres.defined()) {
    EXPECT_EQ(centres.shape(), (Shape{kBatch, kHeads, kQueries}));
  }
  for (const Given given : gives) EXPECT_EQ(given, Given::centres) << "no other can be asked for";
}

TEST_P(BiasLaws, CanBeBuiltAgainFromItsWrittenForm) {
  EXPECT_EQ(part->written(), GetParam());
  EXPECT_EQ(part->clone()->written(), part->written());
}

INSTANTIATE_TEST_SUITE_P(Catalogue, BiasLaws, ::testing::ValuesIn(every_setting<Bias>()),
                         [](const auto& info) { return test_name_of(info.param); });

TEST(BiasCatalogue, IsTheFolder) {
  std::set<std::string> listed;
  for (const auto& entry : Catalogue<Bias>::entries()) listed.insert(entry.card.name);
  EXPECT_FALSE(listed.empty());
  EXPECT_EQ(heed::test::parts_in("src/heed/attention/biases"), listed);
}

}  // namespace
}  // namespace heed::attention
