// SPDX-License-Identifier: Apache-2.0
// The laws of matrix normalisers, which weigh all queries of a head at once, run over the whole
// catalogue.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <numeric>
#include <string>
#include <vector>

#include "heed/attention/compose/weigh.h"
#include "heed/attention/matrix_testing.h"
#include "heed/attention/mechanism.h"
#include "heed/attention/normaliser.h"
#include "heed/attention/score.h"
#include "heed/attention/settings_testing.h"
#include "heed/tensor/testing.h"

namespace heed::attention {
namespace {

using heed::testing::expect_near;
using heed::testing::message_of;
using heed::testing::wavy;
using Numbers = std::vector<double>;

// Irregular, so that no two scores tie.
Numbers irregular(std::size_t n, double spread = 1.3, double phase = 0) {
  Numbers numbers(n);
  for (std::size_t i = 0; i < n; ++i) {
    numbers[i] = spread * std::sin(12.9898 * (static_cast<double>(i) + 1) + 78.233 * (phase + 0.1));
  }
  return numbers;
}

double inner(const Numbers& a, const Numbers& b) {
  return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
}

std::vector<std::string> matrix_settings() {
  std::vector<std::string> all = every_setting<Normaliser>();
  std::erase_if(all, [](const std::string& setting) {
    return !weighs_matrices(*made_part<Normaliser>(setting));
  });
  return all;
}

class MatrixNormaliserLaws : public ::testing::TestWithParam<std::string> {
 protected:
  std::unique_ptr<Normaliser> part = made_part<Normaliser>(GetParam());
  bool promised(Promise promise) const {
    return std::ranges::count(part->card().promises, promise) > 0;
  }
  TableData<double> table(std::int64_t queries, std::int64_t keys, double spread = 1.3) const {
    return {.queries = queries,
            .keys = keys,
            .scores = irregular(static_cast<std::size_t>(queries * keys), spread),
            .parameters = first_parameters(*part)};
  }
  // Every third cell masked; the second row and the third column see nothing.
  TableData<double> masked(std::int64_t queries, std::int64_t keys) const {
    TableData<double> data = table(queries, keys);
    for (std::int64_t i = 0; i < queries * keys; ++i) {
      data.allowed.push_back(i % 3 != 1 && i / keys != 1 && i % keys != 2);
    }
    return data;
  }
};

TEST_P(MatrixNormaliserLaws, SaysThatItWeighsAWholeMatrix) {
  EXPECT_TRUE(promised(Promise::whole_matrix));
  const Numbers p = matrix_weights(*part, table(4, 4));
  TableData<double> other = table(4, 4);
  other.scores[13] += 1;  // of the last query
  EXPECT_NE(matrix_weights(*part, other)[0], p[0]) << "a row normaliser would do";
}

TEST_P(MatrixNormaliserLaws, SumsRowsToOneWhereItPromises) {
  if (!promised(Promise::sums_to_one)) GTEST_SKIP() << "its card does not promise it";
  for (const TableData<double>& data : {table(1, 1), table(5, 5), table(7, 3), masked(6, 5)}) {
    const Numbers p = matrix_weights(*part, data);
    for (std::size_t cell = 0; cell < p.size(); cell += static_cast<std::size_t>(data.keys)) {
      const double sum =
          std::accumulate(p.begin() + static_cast<std::ptrdiff_t>(cell),
                          p.begin() + static_cast<std::ptrdiff_t>(cell) + data.keys, 0.0);
      const bool sees = !data.allowed.empty() && cell == static_cast<std::size_t>(data.keys);
      EXPECT_NEAR(sum, sees ? 0 : 1, 1e-14);
    }
  }
}

TEST_P(MatrixNormaliserLaws, GivesNoWeightBelowZero) {
  for (const double p : matrix_weights(*part, masked(6, 5))) EXPECT_GE(p, 0);
}

TEST_P(MatrixNormaliserLaws, ReorderingKeysReordersColumns) {
  if (!promised(Promise::permutation_equivariant)) GTEST_SKIP() << "its card does not promise it";
  const TableData<double> data = table(4, 5);
  TableData<double> shuffled = data;
  const auto place = [](std::size_t cell) { return cell / 5 * 5 + (cell % 5 * 2 + 1) % 5; };
  for (std::size_t i = 0; i < 20; ++i) shuffled.scores[place(i)] = data.scores[i];
  const Numbers p = matrix_weights(*part, data), q = matrix_weights(*part, shuffled);
  for (std::size_t i = 0; i < 20; ++i) EXPECT_NEAR(p[i], q[place(i)], 1e-14);
}

TEST_P(MatrixNormaliserLaws, ReorderingQueriesReordersRows) {
  if (!promised(Promise::permutation_equivariant)) GTEST_SKIP() << "its card does not promise it";
  const TableData<double> data = masked(5, 4);
  TableData<double> shuffled = data;
  const auto place = [](std::size_t cell) { return (cell / 4 * 2 + 1) % 5 * 4 + cell % 4; };
  for (std::size_t i = 0; i < 20; ++i) {
    shuffled.scores[place(i)] = data.scores[i];
    shuffled.allowed[place(i)] = data.allowed[i];
  }
  const Numbers p = matrix_weights(*part, data), q = matrix_weights(*part, shuffled);
  for (std::size_t i = 0; i < 20; ++i) EXPECT_NEAR(p[i], q[place(i)], 1e-14);
}

TEST_P(MatrixNormaliserLaws, GradientIsThatOfFiniteDifferences) {
  for (TableData<double> data :
       {table(1, 1), table(1, 4), table(4, 4), table(3, 5), masked(6, 5)}) {
    const Numbers g = irregular(data.scores.size(), 1, 0.4);
    const Numbers gradient = matrix_gradient(*part, data, g);
    for (std::size_t i = 0; i < data.scores.size(); ++i) {
      const double before = data.scores[i], step = 1e-6;
      data.scores[i] = before + step;
      const double above = inner(matrix_weights(*part, data), g);
      data.scores[i] = before - step;
      const double below = inner(matrix_weights(*part, data), g);
      data.scores[i] = before;
      EXPECT_NEAR(gradient[i], (above - below) / (2 * step), 1e-8) << "cell " << i;
    }
  }
}

TEST_P(MatrixNormaliserLaws, FiniteScoresOfAnySizeGiveNoNan) {
  for (const double size : {1e-30, 1e-5, 1.0, 1e4, 1e30}) {
    const TableData<double> wide = table(6, 7, size);
    const Numbers p = matrix_weights(*part, wide);
    const Numbers gradient = matrix_gradient(*part, wide, irregular(42, 1, 0.4));
    TableData<float> narrow{.queries = 6,
                            .keys = 7,
                            .scores = {wide.scores.begin(), wide.scores.end()},
                            .parameters = first_parameters<float>(*part)};
    const std::vector<float> narrow_p = matrix_weights(*part, narrow);
    for (std::size_t i = 0; i < p.size(); ++i) {
      ASSERT_TRUE(std::isfinite(p[i]) && std::isfinite(gradient[i])) << "scores up to " << size;
      ASSERT_TRUE(std::isfinite(narrow_p[i])) << "float scores up to " << size;
    }
  }
}

TEST_P(MatrixNormaliserLaws, FloatAgreesWithDouble) {
  TableData<double> wide = masked(9, 7);
  TableData<float> narrow{.queries = 9,
                          .keys = 7,
                          .scores = {wide.scores.begin(), wide.scores.end()},
                          .allowed = wide.allowed,
                          .parameters = first_parameters<float>(*part)};
  wide.scores.assign(narrow.scores.begin(), narrow.scores.end());
  expect_all_near(matrix_weights(*part, narrow), matrix_weights(*part, wide), 2e-6);
}

TEST_P(MatrixNormaliserLaws, AHigherTemperatureGivesAHigherEntropy) {
  if (!promised(Promise::has_temperature)) GTEST_SKIP() << "its card does not promise it";
  double before = -1;
  for (const char* temperature : {"0.2", "0.5", "1", "2", "10"}) {
    const auto warmer = normaliser(part->card().name, {{"temperature", temperature}});
    double entropy = 0;
    for (const double p : matrix_weights(*warmer, table(5, 5))) {
      entropy -= p > 0 ? p * std::log(p) : 0;
    }
    EXPECT_GT(entropy, before) << "temperature " << temperature;
    before = entropy;
  }
}

TEST_P(MatrixNormaliserLaws, EachHeadOfEachSequenceIsWeighedAlone) {
  const Tensor scores = wavy({3, 2, 4, 5});
  const auto fresh = part->clone();
  Random random(1);
  fresh->build({.heads = 2}, random);
  const Tensor all =
      weigh(*fresh, nullptr, {.scores = scores, .parameters = fresh->parameters()}).weights.value();
  for (std::int64_t b = 0; b < 3; ++b) {
    for (std::int64_t h = 0; h < 2; ++h) {
      const Tensor one = scores.slice(0, b, b + 1).slice(1, h, h + 1).clone();
      Variable parameters = fresh->parameters();
      if (parameters.defined()) parameters = slice(parameters, 0, h, h + 1);
      const Tensor alone =
          weigh(*fresh, nullptr, {.scores = one, .parameters = parameters}).weights.value();
      expect_near(all.slice(0, b, b + 1).slice(1, h, h + 1), alone, 0);
    }
  }
}

TEST_P(MatrixNormaliserLaws, RefusesQueriesThatComeOneByOne) {
  Random random(1);
  const Mechanism look("dot | full | " + GetParam(), {3, 3, 3}, random);
  const Memory memory = look.memory(wavy({1, 1, 4, 3}), wavy({1, 1, 4, 3}, 1));
  AttentionState later;
  later.step = 2;
  EXPECT_NE(message_of([&] {
              look.attend(wavy({1, 1, 1, 3}), memory, later);
            }).find("weighs all queries of a sequence at once"),
            std::string::npos);
  for (const auto& entry : Catalogue<Score>::entries()) {
    if (!entry.make()->looks_back()) continue;
    EXPECT_NE(message_of([&] {
                Mechanism(entry.card.name + " | full | " + GetParam(), {3, 3, 3}, random);
              }).find("looks back at past weights"),
              std::string::npos);
  }
}

INSTANTIATE_TEST_SUITE_P(Catalogue, MatrixNormaliserLaws, ::testing::ValuesIn(matrix_settings()),
                         [](const auto& info) { return test_name_of(info.param); });

// What every setting of a part keeps must be on its card, as for normalisers of rows.
namespace kept_by_matrices {

TableData<double> table_for(const Normaliser& part, const Numbers& scores) {
  return {.queries = 4, .keys = 5, .scores = scores, .parameters = first_parameters(part)};
}
Numbers weigh(const Normaliser& part, const Numbers& scores) {
  return matrix_weights(part, table_for(part, scores));
}
bool same(const Numbers& a, const Numbers& b) {
  return std::ranges::equal(a, b, [](double x, double y) { return std::abs(x - y) < 1e-9; });
}
bool sums_to_one(const Normaliser& part) {
  const Numbers p = weigh(part, irregular(20));
  for (auto row = p.begin(); row != p.end(); row += 5) {
    if (std::abs(std::accumulate(row, row + 5, 0.0) - 1) > 1e-9) return false;
  }
  return true;
}
bool shift_invariant(const Normaliser& part) {
  Numbers moved = irregular(20);
  for (double& score : moved) score += 3.5;
  return same(weigh(part, moved), weigh(part, irregular(20)));
}
// Whether moving keys by `place` moves their weights.
bool equivariant(const Normaliser& part, std::size_t (*place)(std::size_t)) {
  const Numbers scores = irregular(20), p = weigh(part, scores);
  Numbers moved(20), expected(20);
  for (std::size_t cell = 0; cell < 20; ++cell) {
    const std::size_t to = cell / 5 * 5 + place(cell % 5);
    moved[to] = scores[cell];
    expected[to] = p[cell];
  }
  return same(weigh(part, moved), expected);
}
bool symmetric_jacobian(const Normaliser& part) {
  const TableData<double> data = table_for(part, irregular(20));
  std::vector<Numbers> rows;
  for (std::size_t i = 0; i < 20; ++i) {
    Numbers unit(20, 0.0);
    unit[i] = 1;
    rows.push_back(matrix_gradient(part, data, unit));
  }
  for (std::size_t i = 0; i < 20; ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      if (std::abs(rows[i][j] - rows[j][i]) > 1e-12) return false;
    }
  }
  return true;
}
bool has_temperature(const Normaliser& part) {
  Options options;
  part.clone()->declare(options);
  if (options.find("temperature") == nullptr) return false;
  double before = -1;
  for (const char* temperature : {"0.2", "0.5", "1", "2", "10"}) {
    const auto warmer = normaliser(part.card().name, {{"temperature", temperature}});
    double entropy = 0;
    for (const double p : weigh(*warmer, irregular(20))) entropy -= p > 0 ? p * std::log(p) : 0;
    if (!(entropy > before)) return false;
    before = entropy;
  }
  return true;
}

}  // namespace kept_by_matrices

TEST(MatrixNormaliserCards, PromiseAllThatTheyKeep) {
  namespace kept = kept_by_matrices;
  std::map<std::string, std::map<Promise, bool>> found;
  for (const std::string& setting : matrix_settings()) {
    const auto part = made_part<Normaliser>(setting);
    auto& keeps = found[part->card().name];
    const auto always = [&](Promise promise, bool now) {
      keeps[promise] = (!keeps.contains(promise) || keeps[promise]) && now;
    };
    const bool any_order = kept::equivariant(*part, [](std::size_t j) { return (2 * j + 1) % 5; });
    always(Promise::sums_to_one, kept::sums_to_one(*part));
    always(Promise::shift_invariant, kept::shift_invariant(*part));
    always(Promise::permutation_equivariant, any_order);
    always(Promise::reversal_equivariant,
           !any_order && kept::equivariant(*part, [](std::size_t j) { return 4 - j; }));
    always(Promise::symmetric_jacobian, kept::symmetric_jacobian(*part));
    always(Promise::has_temperature, kept::has_temperature(*part));
    const Numbers p = kept::weigh(*part, irregular(20, 40)), tied = kept::weigh(*part, Numbers(20));
    keeps[Promise::sparse] |= std::ranges::count(p, 0.0) > 0;
    keeps[Promise::may_be_negative] |= std::ranges::any_of(p, [](double w) { return w < 0; });
    keeps[Promise::breaks_ties] |= !kept::same(tied, Numbers(20, tied[0]));
    keeps[Promise::random] = false;  // a table has no random key
    keeps[Promise::whole_matrix] = true;
  }
  for (const auto& [name, keeps] : found) {
    const auto& promises = Catalogue<Normaliser>::find(name)->card.promises;
    for (const auto& [promise, kept] : keeps) {
      EXPECT_EQ(std::ranges::count(promises, promise) > 0, kept)
          << name << ": " << promise_text(promise);
    }
  }
}

}  // namespace
}  // namespace heed::attention
