// SPDX-License-Identifier: Apache-2.0
// Strips of symbols keep to their rule.
#include "heed/corpora/strips/symbol_strips.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

namespace heed::corpora {
namespace {

TEST(SymbolStrips, KeepToTheirRule) {
  std::set<std::int64_t> held, silent, lengths;
  double squares = 0, count = 0;
  for (const Strip& strip : draw_symbol_strips({.count = 200})) {
    EXPECT_TRUE(strip.labelled);
    ASSERT_EQ(strip.labels.size(), strip.places.size());
    lengths.insert(std::ssize(strip.labels));
    EXPECT_EQ(strip.places.front().begin, 0);
    EXPECT_EQ(strip.places.back().end, strip.frames());
    for (std::size_t i = 0; i < strip.labels.size(); ++i) {
      held.insert(strip.places[i].end - strip.places[i].begin);
      if (i > 0) silent.insert(strip.places[i].begin - strip.places[i - 1].end);
      for (std::int64_t t = strip.places[i].begin; t < strip.places[i].end; ++t) {
        for (std::int64_t f = 0; f < kSymbolHeight; ++f) {
          const double noise =
              strip.values[static_cast<std::size_t>(t * kSymbolHeight + f)] -
              symbol_vectors()[static_cast<std::size_t>(strip.labels[i] * kSymbolHeight + f)];
          squares += noise * noise;
          count += 1;
        }
      }
    }
  }
  EXPECT_EQ(held, (std::set<std::int64_t>{2, 3, 4, 5, 6}));
  EXPECT_EQ(silent, (std::set<std::int64_t>{0, 1, 2, 3}));
  EXPECT_EQ(lengths, (std::set<std::int64_t>{3, 4, 5, 6, 7, 8}));
  EXPECT_NEAR(squares / count, .25, .01);
}

TEST(SymbolStrips, AreAFunctionOfSeedAndBatch) {
  const auto first = draw_symbol_strips({.count = 3, .seed = 4, .batch = 7});
  EXPECT_EQ(first, draw_symbol_strips({.count = 3, .seed = 4, .batch = 7}));
  EXPECT_NE(first, draw_symbol_strips({.count = 3, .seed = 4, .batch = 8}));
  EXPECT_NE(first, draw_symbol_strips({.count = 3, .seed = 5, .batch = 7}));
}

}  // namespace
}  // namespace heed::corpora
