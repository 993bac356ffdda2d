// SPDX-License-Identifier: Apache-2.0
// Mixtures against their sum written out, and the keys that they look at.
#include "heed/models/mixture.h"

#include <gtest/gtest.h>

#include <cmath>

#include "heed/autograd/ops.h"
#include "heed/base/error.h"
#include "heed/tensor/testing.h"

namespace heed::models {
namespace {

using heed::testing::expect_near;
using heed::testing::wavy;

// Two rows of the second sequence, one of the first.
const Tensor kWeights = Tensor::of({3, 4}, {Real(0.5), 0, Real(0.5), 0,  //
                                            0, 0, 0, 1,                  //
                                            Real(0.25), Real(0.25), 0, Real(0.5)});
const Ids kSequences = Ids::of({3}, {1, 1, 0});

TEST(Mixture, LooksAtKeysWithAWeightOnly) {
  const KeySupport support = support_of(kWeights, kSequences);
  EXPECT_EQ(support.rows.values(), (std::vector<std::int32_t>{0, 0, 1, 2, 2, 2}));
  EXPECT_EQ(support.values.values(), (std::vector<std::int32_t>{4, 6, 7, 0, 1, 3}));
  EXPECT_EQ(support.weights.values(), (std::vector<std::int32_t>{0, 2, 7, 8, 9, 11}));
}

TEST(Mixture, LooksAtTheFirstKeyWhereNoneHasAWeight) {
  const KeySupport support = support_of(Tensor::zeros({2, 3}), Ids::of({2}, {0, 1}));
  EXPECT_EQ(support.values.values(), (std::vector<std::int32_t>{0, 3}));
}

TEST(Mixture, IsTheMeanOfTheForecastsByTheWeights) {
  const Tensor values = wavy({2, 4, 3});
  const Tensor state = wavy({3, 3}, 5);
  // Logits are the value plus the row's state.
  const auto logits_of = [&](const Ids& rows, const Variable& given) {
    return given + embedding(Variable(state), rows);
  };
  const Tensor found =
      mixture_logits(Variable(kWeights), Variable(values), kSequences, logits_of).value();
  for (std::int64_t n = 0; n < 3; ++n) {
    std::vector<double> expected(3, 0.0);
    for (std::int64_t k = 0; k < 4; ++k) {
      std::vector<double> p(3);
      double sum = 0;
      for (std::int64_t v = 0; v < 3; ++v) {
        sum += p[static_cast<std::size_t>(v)] =
            std::exp(static_cast<double>(values.at({kSequences.at({n}), k, v}) + state.at({n, v})));
      }
      for (std::size_t v = 0; v < 3; ++v) expected[v] += kWeights.at({n, k}) * p[v] / sum;
    }
    for (std::int64_t v = 0; v < 3; ++v) {
      EXPECT_NEAR(std::exp(found.at({n, v})), expected[static_cast<std::size_t>(v)], 1e-6);
    }
  }
}

TEST(Mixture, RefusesWhatDoesNotFit) {
  const auto logits_of = [](const Ids&, const Variable& given) { return given; };
  EXPECT_THROW(mixture_logits(Variable(kWeights), Variable(wavy({2, 5, 3})), kSequences, logits_of),
               UsageError);
  EXPECT_THROW(mixture_logits(Variable(kWeights), Variable(wavy({2, 4, 3})), Ids::of({2}, {0, 1}),
                              logits_of),
               UsageError);
}

}  // namespace
}  // namespace heed::models
