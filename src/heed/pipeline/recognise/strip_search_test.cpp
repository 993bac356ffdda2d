// SPDX-License-Identifier: Apache-2.0
// Searches over strips: the same alone and together, and weights of what was found.
#include "heed/pipeline/recognise/strip_search.h"

#include <gtest/gtest.h>

#include "heed/corpora/strips/symbol_strips.h"

namespace heed::pipeline {
namespace {

models::StripRecogniser small_recogniser(models::LabelWriting writing) {
  Random random(2);
  return models::StripRecogniser({.encoder = {.hidden = 8},
                                  .writing = writing,
                                  .attention = "additive(size=8)",
                                  .embedding = 4,
                                  .hidden = 8},
                                 random);
}

TEST(StripSearch, FindsTheSameAloneAndTogether) {
  const auto strips = corpora::draw_symbol_strips({.count = 5, .fewest = 1, .most = 3});
  for (const models::LabelWriting writing :
       {models::LabelWriting::ctc, models::LabelWriting::attention}) {
    const models::StripRecogniser model = small_recogniser(writing);
    for (const int beam : {1, 4}) {
      const auto together = find_labels(model, strips, {.beam = beam});
      ASSERT_EQ(together.size(), strips.size());
      for (std::size_t i = 0; i < strips.size(); ++i) {
        const LookedAt look = look_at(model, strips[i], {.beam = beam});
        EXPECT_EQ(look.found.labels, together[i].labels);
        EXPECT_NEAR(look.found.log_probability, together[i].log_probability, 1e-3);
        ASSERT_EQ(look.weights.shape(),
                  (heed::Shape{std::ssize(look.found.labels), strips[i].frames()}));
        for (std::int64_t u = 0; u < look.weights.size(0); ++u) {
          double sum = 0;
          for (std::int64_t s = 0; s < look.weights.size(1); ++s) sum += look.weights.at({u, s});
          EXPECT_NEAR(sum, 1, 1e-4);
        }
        EXPECT_EQ(look.path.empty(), writing == models::LabelWriting::attention);
        if (writing == models::LabelWriting::attention) continue;
        ASSERT_EQ(look.chances.shape(),
                  (heed::Shape{2 * std::ssize(look.found.labels) + 1, strips[i].frames()}));
        ASSERT_EQ(std::ssize(look.path), strips[i].frames());
        for (std::int64_t s = 0; s < strips[i].frames(); ++s) {
          double sum = 0;
          for (std::int64_t place = 0; place < look.chances.size(0); ++place) {
            sum += static_cast<double>(look.chances.at({place, s}));
          }
          EXPECT_NEAR(sum, 1, 1e-4);
        }
      }
    }
  }
}

}  // namespace
}  // namespace heed::pipeline
