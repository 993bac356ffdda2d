// SPDX-License-Identifier: Apache-2.0
// The laws of normalisers of rows, run over the whole catalogue: each promise of a card, and what
// holds for every part. Those of matrices are in matrix_normaliser_laws_test.cpp.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <memory>
#include <numeric>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "heed/attention/settings_testing.h"
#include "heed/attention/testing.h"
#include "heed/base/random.h"
#include "part_folder.h"

namespace heed::attention {
namespace {

using Scores = std::vector<double>;

// Irregular scores, so that no two keys tie and no kink is near.
Scores irregular(std::size_t n, double spread = 2, double phase = 0) {
  Scores scores(n);
  for (std::size_t i = 0; i < n; ++i) {
    scores[i] = spread * std::sin(12.9898 * (static_cast<double>(i) + 1) + 78.233 * (phase + 0.1));
  }
  return scores;
}

double sum_of(const std::vector<double>& p) {
  return std::accumulate(p.begin(), p.end(), 0.0);
}

double entropy_of(const std::vector<double>& p) {
  double entropy = 0;
  for (const double value : p) entropy -= value > 0 ? value * std::log(value) : 0;
  return entropy;
}

double inner(const std::vector<double>& a, const std::vector<double>& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}

std::vector<std::string> row_settings() {
  std::vector<std::string> all = every_setting<Normaliser>();
  std::erase_if(all, [](const std::string& setting) {
    return weighs_matrices(*made_part<Normaliser>(setting));
  });
  return all;
}

// A row with what a part takes besides scores.
RowData<double> row_for(const Normaliser& part, Scores scores) {
  RowData<double> row{.scores = std::move(scores)};
  row.parameters = first_parameters(part);
  return row;
}

// What a part whose card says "sums to k" adds up to; NaN for one without such an option.
double k_of(const Normaliser& part) {
  Options options;
  const auto copy = part.clone();
  copy->declare(options);
  const Option* k = options.find("k");
  return k == nullptr ? NAN : static_cast<double>(std::get<std::int64_t>(k->value()));
}

class NormaliserLaws : public testing::TestWithParam<std::string> {
 protected:
  std::unique_ptr<Normaliser> part = made_part<Normaliser>(GetParam());
  bool promised(Promise promise) const { return part->keeps(promise); }
  RowData<double> data(Scores scores) const { return row_for(*part, std::move(scores)); }
  Scores weights(Scores scores) const { return weights_of(*part, data(std::move(scores))); }
};

const std::size_t kLengths[] = {1, 2, 15, 16, 17, 31, 33, 1000};

// A law about a promise says nothing of a part whose card does not make it: such a test returns at
// once.

TEST_P(NormaliserLaws, GivesNoWeightBelowZero) {
  if (promised(Promise::may_be_negative)) return;
  for (const std::size_t n : kLengths) {
    for (const double p : weights(irregular(n))) EXPECT_GE(p, 0);
  }
}

TEST_P(NormaliserLaws, SumsToOneWhereItPromises) {
  if (!promised(Promise::sums_to_one)) return;
  for (const std::size_t n : kLengths) {
    for (const double spread : {0.01, 2.0, 50.0}) {
      EXPECT_NEAR(sum_of(weights(irregular(n, spread))), 1, 1e-12) << n << " keys";
    }
  }
}

TEST_P(NormaliserLaws, SumsToKOrToTheKeysWhereItPromises) {
  if (!promised(Promise::sums_to_k)) return;
  for (const std::size_t n : kLengths) {
    for (const double spread : {0.01, 2.0, 50.0}) {
      const double expected = std::min(k_of(*part), static_cast<double>(n));
      EXPECT_NEAR(sum_of(weights(irregular(n, spread))), expected, 1e-12 * expected)
          << n << " keys";
    }
  }
}

TEST_P(NormaliserLaws, StaysBetweenZeroAndOneWhereItPromises) {
  if (!promised(Promise::in_unit_interval)) return;
  for (const std::size_t n : kLengths) {
    for (const double spread : {1e-5, 2.0, 50.0, 1e30}) {
      for (const double p : weights(irregular(n, spread))) {
        ASSERT_GE(p, 0) << n << " keys, scores up to " << spread;
        ASSERT_LE(p, 1) << n << " keys, scores up to " << spread;
      }
    }
  }
}

TEST_P(NormaliserLaws, GivesOneKeyAloneAllTheWeight) {
  if (!promised(Promise::sums_to_one)) return;
  for (const double score : {-1e30, -3.0, 0.0, 7.0, 1e30}) EXPECT_EQ(weights({score})[0], 1);
}

TEST_P(NormaliserLaws, DividesTiesAlikeWhereTheOrderOfKeysDoesNotMatter) {
  if (promised(Promise::random) || promised(Promise::breaks_ties)) return;
  for (const std::size_t n : kLengths) {
    const Scores p = weights(Scores(n, 0.7));
    for (const double value : p) EXPECT_NEAR(value, p[0], 1e-14) << n << " keys";
  }
}

TEST_P(NormaliserLaws, MaskingAKeyIsDeletingIt) {
  // The row that lost key 4 has the weights of a row that never had it: key numbers differ only
  // after it, and a part that draws draws by key.
  Scores scores = irregular(9);
  RowData<double> without = data(scores);
  without.row();
  without.scores.erase(without.scores.begin() + 4);
  without.keys.erase(without.keys.begin() + 4);
  RowData<double> renumbered = data(without.scores);
  const Scores p = weights_of(*part, without);
  if (!promised(Promise::random)) {
    EXPECT_EQ(p, weights_of(*part, renumbered));
    return;
  }
  // The others keep their noise: those that share one weight keep their proportions, and where key
  // 4 had none all is as it was. A relaxed choice of several keys does neither.
  if (!promised(Promise::sums_to_one) && !promised(Promise::sparse)) return;
  int compared = 0;
  for (std::uint64_t row = 0; row < 20; ++row) {
    RowData<double> with = data(scores);
    with.random.row = without.random.row = row;
    const Scores all = weights_of(*part, with), others = weights_of(*part, without);
    if (all[4] >= 1 || (promised(Promise::sparse) && all[4] > 0)) continue;
    ++compared;
    for (std::size_t i = 0; i < others.size(); ++i) {
      EXPECT_NEAR(others[i], all[i < 4 ? i : i + 1] / (1 - all[4]), 1e-12);
    }
  }
  EXPECT_GT(compared, 3) << "the law needs rows whose weight is not on key 4";
}

TEST_P(NormaliserLaws, ReorderingKeysReordersWeights) {
  if (!promised(Promise::permutation_equivariant)) return;
  for (const std::size_t n : {2, 17, 33}) {
    const Scores scores = irregular(n);
    Scores shuffled(n);
    const auto place = [n](std::size_t i) { return (i * 5 + 1) % n; };  // 5 divides none of them
    for (std::size_t i = 0; i < n; ++i) shuffled[place(i)] = scores[i];
    const Scores p = weights(scores), q = weights(shuffled);
    for (std::size_t i = 0; i < n; ++i) EXPECT_NEAR(p[i], q[place(i)], 1e-13) << n << " keys";
  }
}

TEST_P(NormaliserLaws, ReversingKeysReversesWeights) {
  if (!promised(Promise::permutation_equivariant) && !promised(Promise::reversal_equivariant)) {
    return;
  }
  Scores scores = irregular(33);
  Scores p = weights(scores);
  std::ranges::reverse(scores);
  std::ranges::reverse(p);
  expect_all_near(weights(scores), p, 1e-13);
}

TEST_P(NormaliserLaws, AddingOneNumberToAllScoresChangesNothingWhereItPromises) {
  if (!promised(Promise::shift_invariant)) return;
  for (const std::size_t n : kLengths) {
    Scores scores = irregular(n);
    const Scores p = weights(scores);
    for (double& score : scores) score += 13.5;
    expect_all_near(weights(scores), p, 1e-12);
  }
}

// The gradient against central differences, away from kinks, and against itself as a Jacobian.
TEST_P(NormaliserLaws, GradientIsThatOfFiniteDifferences) {
  if (promised(Promise::surrogate_gradient)) return;
  for (const std::size_t n : {1, 2, 7, 16, 33}) {
    const Scores g = irregular(n, 1, 0.4);
    RowData<double> row = data(irregular(n, 1.3));
    const auto gradient = gradients_of(*part, row, g);
    const double step = 1e-6;
    const auto difference = [&](double& value) {
      const double before = value;
      value = before + step;
      const double above = inner(weights_of(*part, row), g);
      value = before - step;
      const double below = inner(weights_of(*part, row), g);
      value = before;
      return (above - below) / (2 * step);
    };
    for (std::size_t i = 0; i < n; ++i) {
      const double numeric = difference(row.scores[i]);
      EXPECT_NEAR(gradient.scores[i], numeric, 1e-6 * std::max(1.0, std::abs(numeric)))
          << "key " << i << " of " << n;
    }
    for (std::size_t i = 0; i < row.parameters.size(); ++i) {
      EXPECT_NEAR(gradient.parameters[i], difference(row.parameters[i]), 1e-6);
    }
  }
}

TEST_P(NormaliserLaws, GradientOfBoundsIsThatOfFiniteDifferences) {
  if (!part->takes_bounds()) return;
  const Scores g = irregular(9, 1, 0.4);
  RowData<double> row = data(irregular(9, 1.3));
  row.bounds = {0.1, 0.4, 0.25, 0.3, 0.15, 0.2, 0.05, 0.35, 0.3};
  const auto gradient = gradients_of(*part, row, g);
  for (std::size_t i = 0; i < 9; ++i) {
    for (auto [value, analytic] : {std::pair{&row.scores[i], gradient.scores[i]},
                                   std::pair{&row.bounds[i], gradient.bounds[i]}}) {
      const double before = *value, step = 1e-6;
      *value = before + step;
      const double above = inner(weights_of(*part, row), g);
      *value = before - step;
      const double below = inner(weights_of(*part, row), g);
      *value = before;
      EXPECT_NEAR(analytic, (above - below) / (2 * step), 1e-6) << "key " << i;
    }
  }
  const Scores p = weights_of(*part, row);
  EXPECT_NEAR(sum_of(p), 1, 1e-12);
  for (std::size_t i = 0; i < 9; ++i) EXPECT_LE(p[i], row.bounds[i]);
}

TEST_P(NormaliserLaws, JacobianIsSymmetricWhereItPromises) {
  if (!promised(Promise::symmetric_jacobian)) return;
  const std::size_t n = 12;
  std::vector<Scores> rows;
  for (std::size_t i = 0; i < n; ++i) {
    Scores unit(n, 0.0);
    unit[i] = 1;
    rows.push_back(gradients_of(*part, data(irregular(n, 1)), unit).scores);
  }
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < n; ++j) EXPECT_NEAR(rows[i][j], rows[j][i], 1e-13);
  }
}

TEST_P(NormaliserLaws, FiniteScoresOfAnySizeGiveNoNan) {
  for (const double size : {1e-30, 1e-10, 1e-5, 1.0, 1e4, 1e10, 1e30}) {
    for (const std::size_t n : {1, 2, 17, 33, 1000}) {
      const Scores scores = irregular(n, size), g = irregular(n, 1, 0.4);
      const auto gradient = gradients_of(*part, data(scores), g).scores;
      const Scores p = weights(scores);
      for (std::size_t i = 0; i < n; ++i) {
        ASSERT_TRUE(std::isfinite(p[i])) << "scores up to " << size;
        ASSERT_TRUE(std::isfinite(gradient[i])) << "scores up to " << size;
      }
      ASSERT_NEAR(promised(Promise::sums_to_one) ? sum_of(p) : 1, 1, 1e-9);
      RowData<float> narrow{.scores = std::vector<float>(scores.begin(), scores.end())};
      narrow.parameters = first_parameters<float>(*part);
      const auto narrow_gradient =
          gradients_of(*part, narrow, std::vector<float>(g.begin(), g.end())).scores;
      const auto narrow_p = weights_of(*part, narrow);
      for (std::size_t i = 0; i < n; ++i) {
        ASSERT_TRUE(std::isfinite(narrow_p[i])) << "float scores up to " << size;
        ASSERT_TRUE(std::isfinite(narrow_gradient[i])) << "float scores up to " << size;
      }
    }
  }
}

// Bounds of twice an even share, every third of them 0.
TEST_P(NormaliserLaws, FiniteScoresOfAnySizeGiveNoNanUnderBounds) {
  if (!part->takes_bounds()) return;
  const auto expect_finite = [this]<typename T>(const Scores& scores, T rounding) {
    const std::size_t n = scores.size();
    RowData<T> row{.scores = std::vector<T>(scores.begin(), scores.end())};
    for (std::size_t i = 0; i < n; ++i) row.bounds.push_back(i % 3 == 1 ? T{0} : T{2} / T(n));
    const auto gradient = gradients_of(*part, row, std::vector<T>(n, T{1}));
    const std::vector<T> p = weights_of(*part, row);
    EXPECT_NEAR(std::accumulate(p.begin(), p.end(), 0.0), 1, rounding);
    for (std::size_t i = 0; i < n; ++i) {
      ASSERT_GE(p[i], 0);
      ASSERT_LE(p[i], row.bounds[i]);
      ASSERT_TRUE(std::isfinite(gradient.scores[i]) && std::isfinite(gradient.bounds[i]));
    }
  };
  for (const double size : {1e-30, 1e-10, 1.0, 1e4, 1e10, 1e30}) {
    for (const std::size_t n : {3, 18, 33, 999}) {
      SCOPED_TRACE(fmt::format("{} scores up to {}", n, size));
      expect_finite(irregular(n, size), 1e-9);
      expect_finite(irregular(n, size), 1e-4f);
    }
  }
}

TEST_P(NormaliserLaws, FloatAgreesWithDouble) {
  for (const std::size_t n : kLengths) {
    const Scores scores = irregular(n);
    RowData<float> narrow{.scores = std::vector<float>(scores.begin(), scores.end())};
    narrow.parameters = first_parameters<float>(*part);
    RowData<double> wide = data(Scores(narrow.scores.begin(), narrow.scores.end()));
    expect_all_near(weights_of(*part, narrow), weights_of(*part, wide), 2e-6);
  }
}

TEST_P(NormaliserLaws, AHigherTemperatureGivesAHigherEntropy) {
  if (!promised(Promise::has_temperature)) return;
  double before = -1;
  for (const char* temperature : {"0.2", "0.5", "1", "2", "10"}) {
    const auto warmer = normaliser(part->card().name, {{"temperature", temperature}});
    const double entropy = entropy_of(weights_of(*warmer, irregular(9)));
    EXPECT_GT(entropy, before) << "temperature " << temperature;
    before = entropy;
  }
}

TEST_P(NormaliserLaws, GivesExactZerosAsItComesWhereItPromises) {
  if (!promised(Promise::sparse) || GetParam() != part->card().name) return;
  const Scores p = weights(irregular(33, 40));
  EXPECT_GT(std::ranges::count(p, 0.0), 0);
}

TEST_P(NormaliserLaws, ItsWrittenFormNamesIt) {
  EXPECT_EQ(part->written(), GetParam());
  EXPECT_EQ(part->clone()->written(), part->written());
}

// One family: pi(theta) = argmax <p, theta> - Omega(p) over the simplex.

TEST_P(NormaliserLaws, NoPointOfTheSimplexHasABetterObjective) {
  if (!part->regulariser(Scores{1.0})) return;
  const Scores theta = irregular(6, 0.8);
  const Scores p = weights(theta);
  const double best = inner(p, theta) - *part->regulariser(p);
  EXPECT_NEAR(*part->maximum(theta), best, 1e-12);
  Random random(11);
  for (int trial = 0; trial < 3000; ++trial) {
    Scores q(theta.size());
    double sum = 0;
    for (double& value : q) sum += value = -std::log(1 - random.uniform());
    for (double& value : q) value /= sum;
    // Every other point lies near the optimum, where a wrong one would be told.
    if (trial % 2 == 0) {
      for (std::size_t i = 0; i < q.size(); ++i) q[i] = 0.98 * p[i] + 0.02 * q[i];
    }
    ASSERT_LE(inner(q, theta) - *part->regulariser(q), best + 1e-12);
    // The Fenchel-Young loss max(theta) + Omega(q) - <theta, q> is never negative.
    ASSERT_GE(*part->maximum(theta) + *part->regulariser(q) - inner(q, theta), -1e-12);
  }
  EXPECT_NEAR(*part->maximum(theta) + *part->regulariser(p) - inner(p, theta), 0, 1e-12);
}

TEST_P(NormaliserLaws, TheGradientOfTheMaximumIsTheWeights) {
  if (!part->maximum(Scores{1.0})) return;
  Scores theta = irregular(7, 0.9);
  const Scores p = weights(theta);
  for (std::size_t i = 0; i < theta.size(); ++i) {
    const double before = theta[i], step = 1e-5;
    theta[i] = before + step;
    const double above = *part->maximum(theta);
    theta[i] = before - step;
    const double below = *part->maximum(theta);
    theta[i] = before;
    EXPECT_NEAR((above - below) / (2 * step), p[i], 1e-8);
  }
}

INSTANTIATE_TEST_SUITE_P(Catalogue, NormaliserLaws, testing::ValuesIn(row_settings()),
                         [](const auto& info) { return test_name_of(info.param); });

// A card that promises too little would pass every law above: what every setting of a part keeps
// must be promised. Exact zeros, weights below zero, broken ties, draws and gradients of another
// kind are promised where some setting shows them. Settings that do not promise alike are held to
// their promises apart.
namespace kept {

bool same(const Scores& a, const Scores& b) {
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (std::abs(a[i] - b[i]) > 1e-9) return false;
  }
  return true;
}
Scores weigh(const Normaliser& part, Scores scores) {
  return weights_of(part, row_for(part, std::move(scores)));
}
bool sums_to_one(const Normaliser& part) {
  return std::abs(sum_of(weigh(part, irregular(17))) - 1) < 1e-9 &&
         std::abs(sum_of(weigh(part, irregular(9, 0.1))) - 1) < 1e-9;
}
bool sums_to_k(const Normaliser& part) {
  return std::abs(sum_of(weigh(part, irregular(17))) - k_of(part)) < 1e-9 &&
         std::abs(sum_of(weigh(part, irregular(9, 0.1))) - k_of(part)) < 1e-9;
}
bool in_unit_interval(const Normaliser& part) {
  return std::ranges::all_of(weigh(part, irregular(17)), [](double p) { return p >= 0 && p <= 1; });
}
bool shift_invariant(const Normaliser& part) {
  Scores moved = irregular(17);
  for (double& score : moved) score += 3.5;
  return same(weigh(part, moved), weigh(part, irregular(17)));
}
bool equivariant(const Normaliser& part, const std::function<std::size_t(std::size_t)>& place) {
  for (const double spread : {2.0, 0.1}) {  // with scores so near a draw may fall on any key
    const Scores scores = irregular(17, spread);
    Scores moved(17);
    for (std::size_t i = 0; i < 17; ++i) moved[place(i)] = scores[i];
    const Scores p = weigh(part, scores), q = weigh(part, moved);
    for (std::size_t i = 0; i < 17; ++i) {
      if (std::abs(p[i] - q[place(i)]) > 1e-9) return false;
    }
  }
  return true;
}
bool permutation_equivariant(const Normaliser& part) {
  return equivariant(part, [](std::size_t i) { return (5 * i + 1) % 17; });
}
bool reversal_equivariant(const Normaliser& part) {
  return equivariant(part, [](std::size_t i) { return 16 - i; });
}
bool symmetric_jacobian(const Normaliser& part) {
  for (const double spread : {0.3, 1.0, 4.0}) {
    const std::size_t n = 12;
    std::vector<Scores> rows;
    for (std::size_t i = 0; i < n; ++i) {
      Scores unit(n, 0.0);
      unit[i] = 1;
      rows.push_back(gradients_of(part, row_for(part, irregular(n, spread)), unit).scores);
    }
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j < i; ++j) {
        if (std::abs(rows[i][j] - rows[j][i]) > 1e-12) return false;
      }
    }
  }
  return true;
}
bool gives_zeros(const Normaliser& part) {
  return std::ranges::count(weigh(part, irregular(33, 40)), 0.0) > 0;
}
bool goes_below_zero(const Normaliser& part) {
  return std::ranges::any_of(weigh(part, irregular(33)), [](double p) { return p < 0; });
}
bool breaks_ties(const Normaliser& part) {
  const Scores p = weigh(part, Scores(9, 0.7));
  return std::ranges::any_of(p, [&](double w) { return std::abs(w - p[0]) > 1e-9; });
}
bool draws(const Normaliser& part) {
  RowData<double> row = row_for(part, irregular(17, 0.1));
  const Scores before = weights_of(part, row);
  for (std::uint64_t other = 4; other < 14; ++other) {
    row.random.row = other;
    if (weights_of(part, row) != before) return true;
  }
  return false;
}
// Whether its gradient is another than that of the weights.
bool gives_a_surrogate(const Normaliser& part) {
  const Scores g = irregular(7, 1, 0.4);
  RowData<double> row = row_for(part, irregular(7, 1.3));
  const Scores gradient = gradients_of(part, row, g).scores;
  for (std::size_t i = 0; i < g.size(); ++i) {
    const double before = row.scores[i], step = 1e-6;
    row.scores[i] = before + step;
    const double above = inner(weights_of(part, row), g);
    row.scores[i] = before - step;
    const double below = inner(weights_of(part, row), g);
    row.scores[i] = before;
    if (std::abs(gradient[i] - (above - below) / (2 * step)) > 1e-5) return true;
  }
  return false;
}
// Whether it has an option of this name, which spreads the weights.
bool has_temperature(const Normaliser& part) {
  Options options;
  part.clone()->declare(options);
  if (options.find("temperature") == nullptr) return false;
  double before = -1;
  for (const char* temperature : {"0.2", "0.5", "1", "2", "10"}) {
    const auto warmer = normaliser(part.card().name, {{"temperature", temperature}});
    const double entropy = entropy_of(weigh(*warmer, irregular(9)));
    if (!(entropy > before)) return false;
    before = entropy;
  }
  return true;
}

}  // namespace kept

// The promises of a setting, behind the name of its part.
std::string promised_by(const Normaliser& part) {
  std::string text = part.card().name + ":";
  for (int i = 0; i <= static_cast<int>(Promise::first_keys); ++i) {
    const auto promise = static_cast<Promise>(i);
    if (part.keeps(promise)) text += " " + promise_text(promise) + ",";
  }
  return text;
}

TEST(NormaliserCards, PromiseAllThatTheyKeep) {
  std::map<std::string, std::map<Promise, bool>> found;
  std::map<std::string, std::string> one_setting;
  for (const std::string& setting : row_settings()) {
    const auto part = made_part<Normaliser>(setting);
    auto& keeps = found[promised_by(*part)];
    one_setting[promised_by(*part)] = setting;
    const auto always = [&](Promise promise, bool now) {
      keeps[promise] = (!keeps.contains(promise) || keeps[promise]) && now;
    };
    always(Promise::sums_to_one, kept::sums_to_one(*part));
    always(Promise::sums_to_k, kept::sums_to_k(*part));
    always(Promise::in_unit_interval, kept::in_unit_interval(*part));
    always(Promise::shift_invariant, kept::shift_invariant(*part));
    always(Promise::permutation_equivariant, kept::permutation_equivariant(*part));
    always(Promise::reversal_equivariant, kept::reversal_equivariant(*part));
    always(Promise::symmetric_jacobian, kept::symmetric_jacobian(*part));
    always(Promise::has_temperature, kept::has_temperature(*part));
    keeps[Promise::sparse] |= kept::gives_zeros(*part);
    keeps[Promise::may_be_negative] |= kept::goes_below_zero(*part);
    keeps[Promise::breaks_ties] |= kept::breaks_ties(*part);
    keeps[Promise::random] |= kept::draws(*part);
    keeps[Promise::surrogate_gradient] |= kept::gives_a_surrogate(*part);
    keeps[Promise::whole_matrix] = false;
    keeps[Promise::first_keys] = false;  // of patterns
  }
  for (auto& [promises, keeps] : found) {
    // Said by the stronger promise.
    if (keeps[Promise::sums_to_one]) {
      keeps[Promise::sums_to_k] = keeps[Promise::in_unit_interval] = false;
    }
    if (keeps[Promise::permutation_equivariant]) keeps[Promise::reversal_equivariant] = false;
    if (keeps[Promise::random]) keeps[Promise::breaks_ties] = false;
    // What stands in for a gradient is no Jacobian of the weights.
    if (keeps[Promise::surrogate_gradient]) keeps[Promise::symmetric_jacobian] = false;
    const auto part = made_part<Normaliser>(one_setting[promises]);
    for (const auto& [promise, kept] : keeps) {
      EXPECT_EQ(part->keeps(promise), kept) << promises << " " << promise_text(promise);
    }
  }
}

TEST(NormaliserCards, SayWhatAPartPromisesAsItComes) {
  for (const auto& entry : Catalogue<Normaliser>::entries()) {
    const auto part = entry.make();
    for (int i = 0; i <= static_cast<int>(Promise::first_keys); ++i) {
      const auto promise = static_cast<Promise>(i);
      EXPECT_EQ(part->keeps(promise), std::ranges::count(entry.card.promises, promise) > 0)
          << entry.card.name << ": " << promise_text(promise);
    }
  }
}

TEST(NormaliserCatalogue, IsTheFolderAndTheExample) {
  std::set<std::string> files = heed::test::parts_in("src/heed/attention/normalisers");
  files.merge(heed::test::parts_in("examples/own_normaliser"));
  std::set<std::string> listed;
  for (const auto& entry : Catalogue<Normaliser>::entries()) listed.insert(entry.card.name);
  EXPECT_FALSE(listed.empty());
  EXPECT_EQ(files, listed);
}

}  // namespace
}  // namespace heed::attention
