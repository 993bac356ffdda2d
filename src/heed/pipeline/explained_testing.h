// SPDX-License-Identifier: Apache-2.0
// Laws of every subject that a kind of model makes of its text.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "heed/explain/explainer.h"
#include "heed/explain/subject.h"

namespace heed::pipeline::testing {

inline std::vector<double> shares(const explain::Subject& subject, const std::string& written) {
  return explain::make_explainer(written)->explain(subject).shares;
}

// Gradients are the slopes of the number along a vector's numbers.
inline void expect_slopes(const explain::Subject& subject) {
  ASSERT_TRUE(subject.has_vectors());
  const explain::Vectors whole = subject.vectors();
  const std::vector<explain::Vectors> one = {whole};
  EXPECT_NEAR(subject.outputs_at(one).front(), subject.output(), 1e-4);
  const explain::Vectors gradient = subject.gradients_at(one).front();
  // Of fourth order, since norms of short vectors are bent at once.
  constexpr double kStep = .005;
  for (std::size_t t = 0; t < subject.size(); ++t) {
    ASSERT_EQ(gradient[t].size(), whole[t].size());
    if (whole[t].empty()) continue;
    for (const std::size_t k : {std::size_t{0}, whole[t].size() - 1}) {
      std::vector<explain::Vectors> moved(4, whole);
      for (std::size_t i = 0; i < 4; ++i) {
        moved[i][t][k] += kStep * (static_cast<double>(i) - (i < 2 ? 2 : 1));
      }
      const std::vector<double> at = subject.outputs_at(moved);
      const double slope = (8 * (at[2] - at[1]) - (at[3] - at[0])) / (12 * kStep);
      EXPECT_NEAR(gradient[t][k], slope, 5e-3 + .02 * std::abs(slope)) << t << " " << k;
    }
  }
}

// Copies together give what they give one by one, whatever way words are taken.
inline void expect_same_alone(const explain::Subject& subject) {
  std::vector<explain::Kept> copies(subject.size() + 1, explain::Kept(subject.size(), true));
  for (std::size_t t = 0; t < subject.size(); ++t) copies[t][t] = copies[t][0] = false;
  for (const auto removal :
       {explain::Removal::erase, explain::Removal::mask, explain::Removal::zero}) {
    if (!subject.removes(removal)) continue;
    const std::vector<double> together = subject.outputs(copies, removal);
    for (std::size_t i = 0; i < copies.size(); ++i) {
      EXPECT_NEAR(subject.outputs(std::span(copies).subspan(i, 1), removal)[0], together[i], 2e-5);
    }
  }
}

// Rows of weights share what they share, and gradients of a query's weights are products with the
// values that are read: of N tokens and H heads in a space of the values' rank. This holds only
// where these are the values behind the output's projection.
inline void expect_values_fit(const explain::Look& look) {
  ASSERT_TRUE(look.values.defined());
  const std::int64_t heads = look.weights.size(0), queries = look.weights.size(1),
                     tokens = look.weights.size(2), width = look.values.size(2);
  ASSERT_GT(heads * tokens, width) << "any gradients would fit";
  std::vector<std::vector<double>> axes;
  for (std::int64_t d = 0; d < width; ++d) {
    std::vector<double> column;
    for (std::int64_t h = 0; h < heads; ++h) {
      for (std::int64_t k = 0; k < tokens; ++k) {
        // A key that the query may not see has a gradient all the same: what a weight would do.
        column.push_back(static_cast<double>(look.values.at({h, k, d})));
      }
    }
    for (const std::vector<double>& other : axes) {
      double shared = 0;
      for (std::size_t i = 0; i < column.size(); ++i) shared += column[i] * other[i];
      for (std::size_t i = 0; i < column.size(); ++i) column[i] -= shared * other[i];
    }
    double length = 0;
    for (const double one : column) length += one * one;
    if (length < 1e-10) continue;
    for (double& one : column) one /= std::sqrt(length);
    axes.push_back(std::move(column));
  }
  for (std::int64_t q = 0; q < queries; ++q) {
    std::vector<double> rest;
    double whole = 0;
    for (std::int64_t h = 0; h < heads; ++h) {
      for (std::int64_t k = 0; k < tokens; ++k) {
        rest.push_back(static_cast<double>(look.gradients.at({h, q, k})));
        whole += rest.back() * rest.back();
      }
    }
    for (const std::vector<double>& axis : axes) {
      double shared = 0;
      for (std::size_t i = 0; i < rest.size(); ++i) shared += rest[i] * axis[i];
      for (std::size_t i = 0; i < rest.size(); ++i) rest[i] -= shared * axis[i];
    }
    double left = 0;
    for (const double one : rest) left += one * one;
    EXPECT_LE(std::sqrt(left), 1e-3 * std::sqrt(whole) + 1e-6) << q;
  }
}

}  // namespace heed::pipeline::testing
