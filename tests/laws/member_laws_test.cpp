// SPDX-License-Identifier: Apache-2.0
// The law of members, over the whole catalogue: where a normaliser names the structures that share
// its weights, their average are the weights.
#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <string>
#include <vector>

#include "heed/attention/matrix_testing.h"
#include "heed/attention/settings_testing.h"
#include "heed/attention/testing.h"

namespace heed::attention {
namespace {

constexpr std::int64_t kWords = 5;

std::vector<double> uneven(std::size_t n, double spread) {
  std::vector<double> numbers(n);
  for (std::size_t i = 0; i < n; ++i) {
    numbers[i] = spread * std::sin(12.9898 * (static_cast<double>(i) + 1) + 7.8233);
  }
  return numbers;
}

void expect_shares(const std::vector<Member>& members) {
  double sum = 0, before = 1;
  for (const Member& member : members) {
    EXPECT_GT(member.share, 0);
    EXPECT_LE(member.share, before) << "the largest first";
    sum += before = member.share;
  }
  EXPECT_NEAR(sum, 1, 1e-12);
}

void expect_average(const std::vector<double>& weights, const std::vector<double>& average) {
  for (std::size_t i = 0; i < weights.size(); ++i) EXPECT_NEAR(average[i], weights[i], 1e-9) << i;
}

// How many members there are; 0 where the part names none.
std::size_t check_row(const RowNormaliser& part, double spread) {
  const std::vector<double> scores = uneven(9, spread);
  std::vector<std::int32_t> keys(9);
  for (std::size_t i = 0; i < 9; ++i)
    keys[i] = static_cast<std::int32_t>(2 * i + 1);  // others are hidden
  const Row<double> row{.scores = scores, .keys = keys};
  const std::vector<Member> members = part.members(row);
  if (members.empty()) return 0;
  expect_shares(members);
  std::vector<double> weights(9), average(9);
  part.forward(row, weights);
  for (const Member& member : members) {
    for (const std::int32_t key : member.keys) {
      average[static_cast<std::size_t>((key - 1) / 2)] += member.share;
    }
  }
  expect_average(weights, average);
  return members.size();
}

std::size_t check_table(const MatrixNormaliser& part, double spread) {
  const std::int64_t keys = part.takes() == TableShape::square ? kWords : kWords + 2;
  TableData<double> data{
      .queries = kWords,
      .keys = keys,
      .scores = uneven(static_cast<std::size_t>(kWords * keys), spread),
      .allowed = std::vector<bool>(static_cast<std::size_t>(kWords * keys), true)};
  data.allowed[1] = false;
  const PackedTable<double> packed(data);
  const std::vector<Member> members = part.members(packed.table());
  if (members.empty()) return 0;
  expect_shares(members);
  std::vector<double> average(data.scores.size());
  for (const Member& member : members) {
    EXPECT_EQ(member.keys.size(), static_cast<std::size_t>(kWords));
    for (std::size_t q = 0; q < member.keys.size(); ++q) {
      average[q * static_cast<std::size_t>(keys) + static_cast<std::size_t>(member.keys[q])] +=
          member.share;
    }
  }
  expect_average(matrix_weights(part, data), average);
  return members.size();
}

TEST(MemberLaws, TheAverageOfTheMembersAreTheWeights) {
  std::size_t parts = 0, most = 0;
  for (const std::string& setting : every_setting<Normaliser>()) {
    SCOPED_TRACE(setting);
    const auto part = made_part<Normaliser>(setting);
    std::size_t members = 0;
    for (const double spread : {0.4, 1.3, 5.0}) {
      if (weighs_matrices(*part)) {
        members = check_table(matrix_part(*part), spread);
      } else {
        members = check_row(dynamic_cast<const RowNormaliser&>(*part), spread);
      }
      most = std::max(most, members);
    }
    parts += members > 0 ? 1 : 0;
  }
  EXPECT_GE(parts, 8u) << "chains, spans, trees and matchings, in their settings";
  EXPECT_GE(most, 2u) << "shares that are shared";
}

}  // namespace
}  // namespace heed::attention
