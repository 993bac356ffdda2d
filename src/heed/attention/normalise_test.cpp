// SPDX-License-Identifier: Apache-2.0
// Normalisers on tensors: whole matrices equal rows, threads change nothing, mistakes are named.
#include "heed/attention/normalise.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "heed/attention/testing.h"
#include "heed/autograd/ops.h"
#include "heed/base/error.h"
#include "heed/base/threads.h"
#include "heed/tensor/testing.h"

namespace heed::attention {
namespace {

using heed::testing::expect_near;
using heed::testing::message_of;

Tensor values(const Shape& shape) {
  Tensor x(shape);
  Real* data = x.mutable_data();
  for (std::int64_t i = 0; i < x.size(); ++i) {
    data[i] = static_cast<Real>(2 * std::sin(12.9898 * static_cast<double>(i) + 7.8233));
  }
  return x;
}

TEST(Normalise, GivesEveryRowWhatTheRowGives) {
  for (const auto& entry : row_normalisers()) {
    SCOPED_TRACE(entry.card.name);
    const auto part = entry.make();
    const Tensor scores = values({4, 7, 9});
    const std::vector<Real> all =
        normalise(*part, scores, {.random = {.seed = 5, .row = 3}}).value().values();
    for (std::size_t r = 0; r < 28; ++r) {
      RowData<Real> row{.scores = {scores.data() + r * 9, scores.data() + (r + 1) * 9}};
      row.random.row += r;
      const std::vector<Real> p = weights_of(*part, row);
      for (std::size_t i = 0; i < 9; ++i) ASSERT_NEAR(all[r * 9 + i], p[i], 1e-6);
    }
  }
}

TEST(Normalise, SparsemaxAndEntmaxByNameAreThoseOfTheCatalogue) {
  const Tensor scores = values({40, 30});
  EXPECT_EQ(sparsemax(scores).value().values(),
            normalise(*normaliser("sparsemax"), scores).value().values());
  EXPECT_EQ(entmax(scores, 1.25).value().values(),
            normalise(*normaliser("entmax", {{"alpha", "1.25"}}), scores).value().values());
}

TEST(Normalise, TakesAViewAndAnEmptyTensor) {
  const Tensor scores = values({5, 6});
  const Tensor turned = scores.transpose();
  EXPECT_EQ(sparsemax(turned).value().values(), sparsemax(turned.clone()).value().values());
  EXPECT_EQ(normalise(*normaliser("oscarmax"), Tensor({3, 0})).value().size(), 0);
}

TEST(Normalise, TheThreadCountChangesNoBit) {
  const auto part = normaliser("entmax", {{"learnable", "true"}});
  const auto run = [&](int threads) {
    ThreadScope scope(threads);
    const Variable scores = Variable::leaf(values({600, 40}));
    const Variable a = Variable::leaf(Tensor::of({1}, {Real(0.3)}));
    backward(normalise(*part, scores, {.parameters = a}), values({600, 40}));
    return std::pair{scores.gradient().values(), a.gradient().values()};
  };
  EXPECT_EQ(run(1), run(2));
}

TEST(Normalise, NamesThePartInEveryMistake) {
  const Tensor scores = values({2, 3});
  EXPECT_EQ(message_of([&] {
              normalise(*normaliser("budget", {{"k", "4"}}), scores);
            }),
            "budget: k is 4, but there are 3 keys; k may be at most the keys");
  EXPECT_EQ(message_of([&] { normalise(*normaliser("sparsemax"), scores, {.bounds = scores}); }),
            "sparsemax: bounds were given, but it takes none");
  EXPECT_EQ(message_of([&] {
              normalise(*normaliser("constrained_sparsemax"), scores,
                        {.bounds = Tensor::full({2, 3}, Real(0.25))});
            }),
            "constrained_sparsemax: the bounds of row 0 add up to 0.75; they must be from 0 and "
            "add up to 1 or more");
  EXPECT_EQ(message_of([&] { entmax(scores, 0.5); }), "entmax: alpha is 0.5; it starts at 1");
  EXPECT_EQ(message_of([&] { sparsemax(Tensor::scalar(1)); }),
            "entmax: scores []; it takes [...,keys]");
}

TEST(FenchelYoungLoss, IsZeroAtTheWeightsAndPositiveElsewhere) {
  const Tensor scores = Tensor::of({1, 3}, {-2, 0, Real(0.5)});
  for (const char* name : {"softmax", "sparsemax", "entmax"}) {
    SCOPED_TRACE(name);
    const auto part = normaliser(name);
    const Tensor p = normalise(*part, scores).value();
    EXPECT_NEAR(fenchel_young_loss(*part, scores, p).item(), 0, 1e-6);
    const Tensor other = Tensor::of({1, 3}, {1, 0, 0});
    EXPECT_GT(fenchel_young_loss(*part, scores, other).item(), 0.5);
  }
}

TEST(FenchelYoungLoss, OfSoftmaxIsTheCrossEntropyOfAOneHotTarget) {
  const Tensor scores = Tensor::of({1, 3}, {-2, 0, Real(0.5)});
  const double expected = std::log(std::exp(-2.0) + 1 + std::exp(0.5));  // of key 1, score 0
  EXPECT_NEAR(
      fenchel_young_loss(*normaliser("softmax"), scores, Tensor::of({1, 3}, {0, 1, 0})).item(),
      expected, 1e-6);
}

TEST(FenchelYoungLoss, OfATreeIsMinusTheLogarithmOfItsProbability) {
  // Trees of two words with one root: 0 heads 1, or 1 heads 0.
  const Tensor scores = Tensor::of({2, 2, 2}, {1, 2, 3, 4, 0, 0, 0, 0});
  const Variable leaf = Variable::leaf(scores);
  const auto part = normaliser("tree");
  const Tensor gold = chosen_weights(Ids::of({2, 2}, {0, 0, 1, 1}), 2);
  const Variable losses = fenchel_young_loss(*part, leaf, gold);
  EXPECT_EQ(losses.shape(), (Shape{2}));
  // Their scores are 1 + 3 and 4 + 2.
  EXPECT_NEAR(losses.value().at({0}), std::log(1 + std::exp(2.0)), 1e-6);
  EXPECT_NEAR(losses.value().at({1}), std::log(2.0), 1e-6);
  backward(sum(losses));
  expect_near(leaf.gradient(), normalise(*part, scores).value() - gold, 1e-6);
}

TEST(FenchelYoungLoss, OfTablesLeavesPaddingOut) {
  const Tensor scores = values({2, 4, 5});
  for (const char* name : {"monotone", "sinkhorn"}) {
    SCOPED_TRACE(name);
    const auto part = normaliser(
        name, name == std::string("sinkhorn") ? Arguments{{"iterations", "100"}} : Arguments{});
    const Tensor gold = chosen_weights(Ids::of({2, 4}, {0, 1, 2, -1, 0, 1, -1, -1}), 5);
    const Variable leaf = Variable::leaf(scores);
    const TableLengths lengths{.queries = Ids::of({2}, {3, 2}), .keys = Ids::of({2}, {3, 2})};
    const Variable losses = fenchel_young_loss(*part, leaf, gold, lengths);
    backward(sum(losses));
    for (const std::int64_t b : {0, 1}) {
      const std::int64_t n = 3 - b;
      const auto part_of = [&](const Tensor& x) {
        return x.slice(0, b, b + 1).slice(1, 0, n).slice(2, 0, n);
      };
      const Tensor alone = part_of(scores);
      EXPECT_NEAR(losses.value().at({b}),
                  fenchel_young_loss(*part, alone.clone(), part_of(gold).clone()).value().at({0}),
                  1e-5);
      expect_near(part_of(leaf.gradient()), normalise(*part, alone).value() - part_of(gold), 1e-5);
      EXPECT_EQ(leaf.gradient().at({b, n, 0}), 0);
      EXPECT_EQ(leaf.gradient().at({b, 0, n}), 0);
    }
  }
}

TEST(FenchelYoungLoss, OfTablesRefusesTargetsThatAreNone) {
  const Tensor scores = values({1, 3, 3});
  const auto loss = [&](const char* name, const Ids& keys) {
    return fenchel_young_loss(*normaliser(name), scores, chosen_weights(keys, 3));
  };
  EXPECT_EQ(message_of([&] {
              loss("tree", Ids::of({1, 3}, {1, 0, 2}));
            }),
            "fenchel_young_loss: table 0 of the target is nothing that tree gives");
  EXPECT_THROW(loss("monotone", Ids::of({1, 3}, {1, 0, 2})), UsageError);
  EXPECT_THROW(loss("sinkhorn", Ids::of({1, 3}, {1, 1, 2})), UsageError);
  EXPECT_THROW(chosen_weights(Ids::of({1}, {3}), 3), UsageError);
  const auto filtered = normaliser("monotone", {{"filter", "true"}});
  EXPECT_EQ(message_of([&] {
              fenchel_young_loss(*filtered, scores, chosen_weights(Ids::of({1, 3}, {0, 0, 0}), 3));
            }),
            "fenchel_young_loss: monotone(filter=true) has no regulariser, so no loss belongs to "
            "it");
  EXPECT_THROW(fenchel_young_loss(*normaliser("tree"), scores, scores, {.keys = Ids::of({1}, {4})}),
               UsageError);
  EXPECT_THROW(
      fenchel_young_loss(*normaliser("softmax"), scores, scores, {.keys = Ids::of({1}, {3})}),
      UsageError);
}

TEST(FenchelYoungLoss, RefusesWhatHasNoLoss) {
  const Tensor scores = values({1, 2});
  EXPECT_EQ(message_of([&] {
              fenchel_young_loss(*normaliser("sigmoid"), scores, Tensor::of({1, 2}, {1, 0}));
            }),
            "fenchel_young_loss: sigmoid has no regulariser, so no loss belongs to it");
  EXPECT_EQ(message_of([&] {
              fenchel_young_loss(*normaliser("softmax"), scores, Tensor::of({1, 2}, {1, 1}));
            }),
            "fenchel_young_loss: row 0 of the target adds up to 2; it must be 1");
}

}  // namespace
}  // namespace heed::attention
