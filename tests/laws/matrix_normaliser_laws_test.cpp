// SPDX-License-Identifier: Apache-2.0
// The laws of matrix normalisers, which weigh all queries of a head at once, run over the whole
// catalogue.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <memory>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "heed/attention/compose/weigh.h"
#include "heed/attention/matrix_testing.h"
#include "heed/attention/mechanism.h"
#include "heed/attention/normaliser.h"
#include "heed/attention/score.h"
#include "heed/attention/settings_testing.h"
#include "heed/autograd/ops.h"
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

// The nearest table that the part takes: [Q,K]. A wide one has room for any structure.
std::pair<std::int64_t, std::int64_t> fitting(const Normaliser& part, std::int64_t queries,
                                              std::int64_t keys) {
  switch (matrix_part(part).takes()) {
    case TableShape::any:
      return {queries, keys};
    case TableShape::wide:
      return {queries, std::max(keys, queries + 3)};
    case TableShape::square:
      return {queries, queries};
  }
  return {};
}

class MatrixNormaliserLaws : public ::testing::TestWithParam<std::string> {
 protected:
  std::unique_ptr<Normaliser> part = made_part<Normaliser>(GetParam());
  bool promised(Promise promise) const {
    return std::ranges::count(part->card().promises, promise) > 0;
  }
  TableData<double> table(std::int64_t some_queries, std::int64_t some_keys,
                          double spread = 1.3) const {
    const auto [queries, keys] = fitting(*part, some_queries, some_keys);
    return {.queries = queries,
            .keys = keys,
            .scores = irregular(static_cast<std::size_t>(queries * keys), spread),
            .parameters = first_parameters(*part)};
  }
  bool of_words() const { return matrix_part(*part).takes() == TableShape::square; }
  // The second row and the third column see nothing, nor, where queries are keys, do the third row
  // and the second column; of the rest every third cell is masked, or fewer where that would leave
  // no structure.
  TableData<double> masked(std::int64_t some_queries, std::int64_t some_keys) const {
    TableData<double> data = table(some_queries, some_keys);
    const std::int64_t every = matrix_part(*part).takes() == TableShape::any ? 3 : 8;
    for (std::int64_t i = 0; i < data.queries * data.keys; ++i) {
      const std::int64_t query = i / data.keys, key = i % data.keys;
      data.allowed.push_back(i % every != 1 && !is_absent_query(query) && !is_absent_key(key));
    }
    return data;
  }
  bool is_absent_query(std::int64_t query) const {
    return query == 1 || (of_words() && query == 2);
  }
  bool is_absent_key(std::int64_t key) const { return key == 2 || (of_words() && key == 1); }
  // The same without what is absent.
  TableData<double> without_absent(const TableData<double>& data) const {
    TableData<double> left{.scores = {}, .parameters = data.parameters};
    for (std::int64_t query = 0; query < data.queries; ++query) {
      if (is_absent_query(query)) continue;
      ++left.queries;
      left.keys = 0;
      for (std::int64_t key = 0; key < data.keys; ++key) {
        if (is_absent_key(key)) continue;
        ++left.keys;
        const auto cell = static_cast<std::size_t>(query * data.keys + key);
        left.scores.push_back(data.scores[cell]);
        left.allowed.push_back(data.allowed[cell]);
      }
    }
    return left;
  }
};

TEST_P(MatrixNormaliserLaws, SaysThatItWeighsAWholeMatrix) {
  EXPECT_TRUE(promised(Promise::whole_matrix));
  const TableData<double> data = table(4, 4, 4);  // so far apart that queries want the same keys
  const Numbers p = matrix_weights(*part, data);
  const std::size_t last = p.size() - static_cast<std::size_t>(data.keys);
  const auto row = [&](const Numbers& weights, std::size_t begin) {
    const auto first = weights.begin() + static_cast<std::ptrdiff_t>(begin);
    return Numbers(first, first + data.keys);
  };
  bool together = false;
  for (const double change : {1.0, 4.0, 16.0}) {  // weights with zeros do not mind small ones
    TableData<double> later = data, earlier = data;
    later.scores[last + 1] += change;
    earlier.scores[1] += change;
    together = together || row(matrix_weights(*part, later), 0) != row(p, 0) ||
               row(matrix_weights(*part, earlier), last) != row(p, last);
  }
  EXPECT_TRUE(together) << "a row normaliser would do";
}

TEST_P(MatrixNormaliserLaws, SumsRowsToOneWhereItPromises) {
  if (!promised(Promise::sums_to_one)) GTEST_SKIP() << "its card does not promise it";
  for (const TableData<double>& data : {table(1, 1), table(5, 5), table(7, 3), masked(6, 5)}) {
    const Numbers p = matrix_weights(*part, data);
    for (std::int64_t query = 0; query < data.queries; ++query) {
      const auto row = p.begin() + static_cast<std::ptrdiff_t>(query * data.keys);
      const bool absent = !data.allowed.empty() && is_absent_query(query);
      EXPECT_NEAR(std::accumulate(row, row + data.keys, 0.0), absent ? 0 : 1, 1e-14);
    }
  }
}

TEST_P(MatrixNormaliserLaws, WhatIsAbsentMightAsWellNotBeThere) {
  const TableData<double> data = masked(7, 6);
  const Numbers g = irregular(data.scores.size(), 1, 0.4);
  const TableData<double> left = without_absent(data);
  const TableData<double> left_g = without_absent(
      {.queries = data.queries, .keys = data.keys, .scores = g, .allowed = data.allowed});
  const Numbers p = matrix_weights(*part, data), dz = matrix_gradient(*part, data, g);
  const Numbers all[] = {p, dz};
  const Numbers expected[] = {matrix_weights(*part, left),
                              matrix_gradient(*part, left, left_g.scores)};
  for (std::size_t kind = 0; kind < 2; ++kind) {
    std::size_t next = 0;
    for (std::size_t cell = 0; cell < p.size(); ++cell) {
      const auto at = static_cast<std::int64_t>(cell);
      if (is_absent_query(at / data.keys) || is_absent_key(at % data.keys)) {
        EXPECT_EQ(all[kind][cell], 0);
      } else {
        EXPECT_NEAR(all[kind][cell], expected[kind][next++], 1e-14);
      }
    }
  }
}

TEST_P(MatrixNormaliserLaws, ReversingQueriesAndKeysReversesBoth) {
  if (!promised(Promise::reverses_with_queries)) GTEST_SKIP() << "its card does not promise it";
  TableData<double> data = masked(6, 6);
  const Numbers p = matrix_weights(*part, data);
  std::ranges::reverse(data.scores);
  std::reverse(data.allowed.begin(), data.allowed.end());
  Numbers q = matrix_weights(*part, data);
  std::ranges::reverse(q);
  expect_all_near(q, p, 1e-14);
}

TEST_P(MatrixNormaliserLaws, GivesNoWeightBelowZero) {
  for (const double p : matrix_weights(*part, masked(6, 5))) EXPECT_GE(p, 0);
}

// Places of n things in another order.
std::vector<std::size_t> other_places(std::int64_t n) {
  std::vector<std::size_t> places(static_cast<std::size_t>(n));
  std::iota(places.begin(), places.end(), std::size_t{0});
  std::ranges::sort(places, {}, [](std::size_t place) {
    return std::sin(12.9898 * (static_cast<double>(place) + 1));
  });
  return places;
}

TEST_P(MatrixNormaliserLaws, ReorderingKeysReordersColumns) {
  if (!promised(Promise::permutation_equivariant)) GTEST_SKIP() << "its card does not promise it";
  const TableData<double> data = table(4, 5);
  TableData<double> shuffled = data;
  const auto keys = static_cast<std::size_t>(data.keys);
  const auto places = other_places(data.keys);
  const auto place = [&](std::size_t cell) { return cell / keys * keys + places[cell % keys]; };
  for (std::size_t i = 0; i < data.scores.size(); ++i) shuffled.scores[place(i)] = data.scores[i];
  const Numbers p = matrix_weights(*part, data), q = matrix_weights(*part, shuffled);
  for (std::size_t i = 0; i < p.size(); ++i) EXPECT_NEAR(p[i], q[place(i)], 1e-14);
}

TEST_P(MatrixNormaliserLaws, ReorderingQueriesReordersRows) {
  if (!promised(Promise::permutation_equivariant)) GTEST_SKIP() << "its card does not promise it";
  const TableData<double> data = masked(5, 4);
  TableData<double> shuffled = data;
  const auto keys = static_cast<std::size_t>(data.keys);
  const auto places = other_places(data.queries);
  const auto place = [&](std::size_t cell) { return places[cell / keys] * keys + cell % keys; };
  for (std::size_t i = 0; i < data.scores.size(); ++i) {
    shuffled.scores[place(i)] = data.scores[i];
    shuffled.allowed[place(i)] = data.allowed[i];
  }
  const Numbers p = matrix_weights(*part, data), q = matrix_weights(*part, shuffled);
  for (std::size_t i = 0; i < p.size(); ++i) EXPECT_NEAR(p[i], q[place(i)], 1e-14);
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
    const Numbers gradient = matrix_gradient(*part, wide, irregular(p.size(), 1, 0.4));
    TableData<float> narrow{.queries = wide.queries,
                            .keys = wide.keys,
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
  TableData<float> narrow{.queries = wide.queries,
                          .keys = wide.keys,
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
  const auto [queries, keys] = fitting(*part, 4, 5);
  const Tensor scores = wavy({3, 2, queries, keys});
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

// Padding of keys only, as patterns have it, and NaN in it; queries of padding are nobody's.
TEST_P(MatrixNormaliserLaws, APaddedBatchIsItsSequencesAlone) {
  const auto [queries, keys] = fitting(*part, 4, 6);
  Random random(1);
  const Mechanism look("dot | padding | " + GetParam(), {3, 3, 3}, random);
  const Tensor query = wavy({2, 1, queries, 3});
  Tensor key = wavy({2, 1, keys, 3}, 1), value = wavy({2, 1, keys, 3}, 2);
  for (Tensor* padded : {&key, &value}) {
    Tensor padding = padded->slice(0, 1, 2).slice(2, keys - 1, keys);
    padding.assign(Tensor::full(padding.shape(), std::numeric_limits<Real>::quiet_NaN()));
  }
  const auto attended = [&](const Tensor& q, const Tensor& k, const Tensor& v, const Ids& lengths) {
    const Variable leaf = Variable::leaf(q);
    const Variable context = look.attend(leaf, look.memory(k, v, {.lengths = lengths})).context;
    backward(sum(square(context)));
    return std::pair(context.value(), leaf.gradient());
  };
  const auto length = static_cast<std::int32_t>(keys - 1);
  const auto together =
      attended(query, key, value, Ids::of({2}, {static_cast<std::int32_t>(keys), length}));
  const std::int64_t asked = of_words() ? length : queries;
  const auto alone = attended(query.slice(0, 1, 2).slice(2, 0, asked).clone(),
                              key.slice(0, 1, 2).slice(2, 0, length).clone(),
                              value.slice(0, 1, 2).slice(2, 0, length).clone(), Ids());
  expect_near(together.first.slice(0, 1, 2).slice(2, 0, asked), alone.first, 1e-5);
  expect_near(together.second.slice(0, 1, 2).slice(2, 0, asked), alone.second, 1e-5);
}

TEST_P(MatrixNormaliserLaws, RefusesQueriesThatComeOneByOneIfItLooksAhead) {
  Random random(1);
  const Mechanism look("dot | full | " + GetParam(), {3, 3, 3}, random);
  EXPECT_EQ(look.weighs_all_queries(), matrix_part(*part).looks_ahead());
  if (!matrix_part(*part).looks_ahead()) GTEST_SKIP() << "it does not";
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

// With any score, those that look back included, and while the memory grows.
TEST_P(MatrixNormaliserLaws, WeighsAsWellOneByOneIfItDoesNotLookAhead) {
  const TableData<double> data = table(5, 8);
  const Numbers p = matrix_weights(*part, data);
  TableData<double> later = data;
  for (std::size_t cell = p.size() / 5 * 4; cell < p.size(); ++cell) {
    later.scores[cell] = -data.scores[cell];
  }
  const Numbers q = matrix_weights(*part, later);
  const bool same = std::equal(p.begin(), p.end() - data.keys, q.begin());
  EXPECT_EQ(same, !matrix_part(*part).looks_ahead());
  if (matrix_part(*part).looks_ahead()) GTEST_SKIP() << "it does";
  for (const auto& entry : Catalogue<Score>::entries()) {
    if (!entry.make()->grows()) continue;  // a key is another one beside those that follow it
    SCOPED_TRACE(entry.card.name);
    Random random(1);
    const Mechanism look(entry.card.name + " | causal | " + GetParam(), {3, 3, 3}, random);
    const Tensor query = wavy({2, 1, 4, 3}), keys = wavy({2, 1, 4, 3}, 1);
    const Tensor values = wavy({2, 1, 4, 3}, 2);
    const Tensor whole = look.attend(query, look.memory(keys, values)).context.value();
    Memory memory = look.memory(keys.slice(2, 0, 1), values.slice(2, 0, 1));
    AttentionState state;
    for (std::int64_t step = 0; step < 4; ++step) {
      if (step > 0) {
        memory = look.grown(memory, keys.slice(2, step, step + 1), values.slice(2, step, step + 1));
      }
      const Attended found =
          look.attend(query.slice(2, step, step + 1), memory, state.grown(memory.size()));
      expect_near(found.context.value(), whole.slice(2, step, step + 1), 2e-5);
      state = found.state;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Catalogue, MatrixNormaliserLaws, ::testing::ValuesIn(matrix_settings()),
                         [](const auto& info) { return test_name_of(info.param); });

// What every setting of a part keeps must be on its card, as for normalisers of rows.
namespace kept_by_matrices {

std::size_t cells_for(const Normaliser& part) {
  const auto [queries, keys] = fitting(part, 5, 5);
  return static_cast<std::size_t>(queries * keys);
}
TableData<double> table_for(const Normaliser& part, const Numbers& scores) {
  const auto [queries, keys] = fitting(part, 5, 5);
  return {.queries = queries, .keys = keys, .scores = scores, .parameters = first_parameters(part)};
}
Numbers scores_for(const Normaliser& part, double spread = 1.3) {
  return irregular(cells_for(part), spread);
}
Numbers weigh(const Normaliser& part, const Numbers& scores) {
  return matrix_weights(part, table_for(part, scores));
}
bool same(const Numbers& a, const Numbers& b) {
  return std::ranges::equal(a, b, [](double x, double y) { return std::abs(x - y) < 1e-9; });
}
bool sums_to_one(const Normaliser& part) {
  const Numbers p = weigh(part, scores_for(part));
  const auto keys = static_cast<std::ptrdiff_t>(p.size() / 5);
  for (auto row = p.begin(); row != p.end(); row += keys) {
    if (std::abs(std::accumulate(row, row + keys, 0.0) - 1) > 1e-9) return false;
  }
  return true;
}
bool shift_invariant(const Normaliser& part) {
  Numbers moved = scores_for(part);
  for (double& score : moved) score += 3.5;
  return same(weigh(part, moved), weigh(part, scores_for(part)));
}
// Whether moving the first five keys by `place` moves their weights.
bool equivariant(const Normaliser& part, std::size_t (*place)(std::size_t)) {
  const Numbers scores = scores_for(part), p = weigh(part, scores);
  const std::size_t keys = p.size() / 5;
  Numbers moved = scores, expected = p;
  for (std::size_t cell = 0; cell < p.size(); ++cell) {
    if (cell % keys >= 5) continue;
    const std::size_t to = cell / keys * keys + place(cell % keys);
    moved[to] = scores[cell];
    expected[to] = p[cell];
  }
  return same(weigh(part, moved), expected);
}
bool reverses_with_queries(const Normaliser& part) {
  Numbers scores = scores_for(part), p = weigh(part, scores);
  std::ranges::reverse(scores);
  std::ranges::reverse(p);
  return same(weigh(part, scores), p);
}
bool symmetric_jacobian(const Normaliser& part) {
  const TableData<double> data = table_for(part, scores_for(part));
  const std::size_t n = data.scores.size();
  std::vector<Numbers> rows;
  for (std::size_t i = 0; i < n; ++i) {
    Numbers unit(n, 0.0);
    unit[i] = 1;
    rows.push_back(matrix_gradient(part, data, unit));
  }
  for (std::size_t i = 0; i < n; ++i) {
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
    for (const double p : weigh(*warmer, scores_for(part))) entropy -= p > 0 ? p * std::log(p) : 0;
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
    always(Promise::sums_to_one, kept::sums_to_one(*part));
    always(Promise::shift_invariant, kept::shift_invariant(*part));
    always(Promise::permutation_equivariant,
           kept::equivariant(*part, [](std::size_t j) { return (2 * j + 1) % 5; }));
    always(Promise::reversal_equivariant,
           kept::equivariant(*part, [](std::size_t j) { return 4 - j; }));
    always(Promise::reverses_with_queries, kept::reverses_with_queries(*part));
    always(Promise::symmetric_jacobian, kept::symmetric_jacobian(*part));
    always(Promise::has_temperature, kept::has_temperature(*part));
    const Numbers p = kept::weigh(*part, kept::scores_for(*part, 40));
    const Numbers tied = kept::weigh(*part, Numbers(p.size()));
    keeps[Promise::sparse] |= std::ranges::count(p, 0.0) > 0;
    keeps[Promise::may_be_negative] |= std::ranges::any_of(p, [](double w) { return w < 0; });
    keeps[Promise::breaks_ties] |= !kept::same(tied, Numbers(p.size(), tied[0]));
    keeps[Promise::random] = false;  // a table has no random key
    keeps[Promise::whole_matrix] = true;
  }
  for (auto& [name, keeps] : found) {
    if (keeps[Promise::permutation_equivariant]) {  // the others go without saying
      keeps[Promise::reversal_equivariant] = keeps[Promise::reverses_with_queries] = false;
    }
    const auto& promises = Catalogue<Normaliser>::find(name)->card.promises;
    for (const auto& [promise, kept] : keeps) {
      EXPECT_EQ(std::ranges::count(promises, promise) > 0, kept)
          << name << ": " << promise_text(promise);
    }
  }
}

}  // namespace
}  // namespace heed::attention
