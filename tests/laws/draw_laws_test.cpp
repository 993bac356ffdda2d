// SPDX-License-Identifier: Apache-2.0
// The laws of draws, run over every normaliser of rows that can be drawn from: what is drawn has
// the weights as its mean, and says its log-probability and entropy with their gradients. And of
// every normaliser that is random: the same bits on every thread count.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "heed/attention/normalise.h"
#include "heed/attention/settings_testing.h"
#include "heed/attention/testing.h"
#include "heed/base/threads.h"

namespace heed::attention {
namespace {

using RowNumbers = std::vector<double>;

std::vector<std::string> drawable_settings() {
  std::vector<std::string> all = every_setting<Normaliser>();
  std::erase_if(all, [](const std::string& setting) {
    const auto part = made_part<Normaliser>(setting);
    return weighs_matrices(*part) || row_part(*part).drawn_as() == DrawnAs::nothing;
  });
  return all;
}

class DrawLaws : public testing::TestWithParam<std::string> {
 protected:
  std::unique_ptr<Normaliser> made = made_part<Normaliser>(GetParam());
  const RowNormaliser& part = row_part(*made);
  RowData<double> data{.scores = {0.5, -1.0, 2.0, 1.6, 0.0, 1.5},
                       .parameters = first_parameters(*made)};

  RowNumbers weights() { return weights_of(part, data); }
  RowNumbers drawn() {
    RowNumbers z(data.scores.size(), NAN);
    part.draw_from(data.row(), weights(), z);
    return z;
  }
  RowDraw<double> value(const RowNumbers& z) { return part.draw_value(data.row(), weights(), z); }
};

TEST_P(DrawLaws, DrawsHaveTheWeightsAsTheirMean) {
  const RowNumbers p = weights();
  RowNumbers often(p.size(), 0.0);
  constexpr int kDraws = 20000;
  for (std::uint64_t row = 0; row < kDraws; ++row) {
    data.random.row = row;
    const RowNumbers z = drawn();
    for (std::size_t i = 0; i < z.size(); ++i) {
      ASSERT_TRUE(z[i] == 0 || z[i] == 1) << "key " << i;
      often[i] += z[i] / kDraws;
    }
  }
  for (std::size_t i = 0; i < p.size(); ++i) {
    const double error = std::sqrt(p[i] * (1 - p[i]) / kDraws);
    EXPECT_NEAR(often[i], p[i], 5 * error + 1e-9) << "key " << i;
  }
}

TEST_P(DrawLaws, TheLikeliestIsAsLikelyAsAnyDraw) {
  data.random.likeliest = true;
  const double best = value(drawn()).log_probability;
  data.random.likeliest = false;
  for (std::uint64_t row = 0; row < 200; ++row) {
    data.random.row = row;
    ASSERT_LE(value(drawn()).log_probability, best + 1e-12);
  }
}

// Over all that was ever drawn, which of six keys is nearly all there is: the chances add up to 1,
// and the mean of -log p is the entropy.
TEST_P(DrawLaws, TheLogProbabilitiesAreThoseOfADistributionWithTheEntropy) {
  std::set<RowNumbers> seen;
  for (std::uint64_t row = 0; row < 5000; ++row) {
    data.random.row = row;
    seen.insert(drawn());
  }
  double total = 0, entropy = 0;
  for (const RowNumbers& z : seen) {
    const double log_p = value(z).log_probability;
    total += std::exp(log_p);
    entropy -= std::exp(log_p) * log_p;
  }
  EXPECT_LE(total, 1 + 1e-12);
  EXPECT_GT(total, 0.985);
  EXPECT_NEAR(value(*seen.begin()).entropy, entropy, 0.12);
}

TEST_P(DrawLaws, GradientsOfLogProbabilityAndEntropyAreThoseOfFiniteDifferences) {
  for (std::uint64_t row = 0; row < 4; ++row) {
    data.scores = {0.47, -1.03, 1.21, 0.93, 0.05, 0.71};  // away from kinks
    data.random.row = row;
    const RowNumbers z = drawn();
    const RowDraw<double> upstream{0.7, -1.3};
    RowNumbers dz(z.size(), 0.25), d_parameters(data.parameters.size(), 0.5);
    part.draw_backward(data.row(), weights(), z, upstream,
                       {.scores = dz, .parameters = d_parameters});
    const auto difference = [&](double& number) {
      const double before = number, step = 1e-6;
      const auto objective = [&](double moved) {
        number = moved;
        const RowDraw<double> found = value(z);
        return upstream.log_probability * found.log_probability + upstream.entropy * found.entropy;
      };
      const double slope = (objective(before + step) - objective(before - step)) / (2 * step);
      number = before;
      return slope;
    };
    // What was there before stays: it is added to.
    for (std::size_t i = 0; i < z.size(); ++i) {
      EXPECT_NEAR(dz[i], 0.25 + difference(data.scores[i]), 1e-6) << "key " << i;
    }
    for (std::size_t i = 0; i < data.parameters.size(); ++i) {
      EXPECT_NEAR(d_parameters[i], 0.5 + difference(data.parameters[i]), 1e-7);
    }
  }
}

TEST_P(DrawLaws, ScoresOfAnySizeGiveFiniteValuesAndGradients) {
  for (const double size : {1e-30, 1e-5, 1e4, 1e30}) {
    data.scores = {0.5, -1.0, 2.0, 1.6, 0.0, 1.5};
    for (double& score : data.scores) score *= size;
    const RowNumbers z = drawn();
    RowNumbers dz(z.size(), 0.0), d_parameters(data.parameters.size(), 0.0);
    part.draw_backward(data.row(), weights(), z, {1, 1},
                       {.scores = dz, .parameters = d_parameters});
    EXPECT_TRUE(std::isfinite(value(z).log_probability)) << size;
    EXPECT_TRUE(std::isfinite(value(z).entropy)) << size;
    for (const double slope : dz) EXPECT_TRUE(std::isfinite(slope)) << size;
  }
}

INSTANTIATE_TEST_SUITE_P(Catalogue, DrawLaws, testing::ValuesIn(drawable_settings()),
                         [](const auto& info) { return test_name_of(info.param); });

TEST(RandomNormalisers, GiveTheSameBitsOnEveryThreadCount) {
  int tried = 0;
  for (const std::string& setting : every_setting<Normaliser>()) {
    const auto part = made_part<Normaliser>(setting);
    if (!part->keeps(Promise::random)) continue;
    ++tried;
    Tensor scores({600, 33});
    for (std::int64_t i = 0; i < scores.size(); ++i) {
      scores.mutable_data()[i] = static_cast<Real>(std::sin(12.9898 * static_cast<double>(i)));
    }
    const auto run = [&](int count) {
      const ThreadScope scope(count);
      const Variable leaf = Variable::leaf(scores);
      const Variable weights = normalise(*part, leaf, {.random = {.seed = 7, .row = 11}});
      backward(weights, scores);
      return std::pair{weights.value().values(), leaf.gradient().values()};
    };
    const auto one = run(1);
    EXPECT_EQ(run(2), one) << setting;
    EXPECT_EQ(run(3), one) << setting;
  }
  EXPECT_GT(tried, 5);
}

}  // namespace
}  // namespace heed::attention
