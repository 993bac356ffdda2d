// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "server/testing.h"

namespace heed::server {
namespace {

using nlohmann::json;

using ExplainRoute = testing::SmallApi;

TEST_F(ExplainRoute, GivesSharesOfWordsByEachMethod) {
  const json answer = answered(
      "/v1/explain",
      R"({"model": "reviews", "text": "the cat sleeps", "target": "yes", "attention": true, )"
      R"("method": ["leave_one_out", "attention", "gradient"]})");
  EXPECT_EQ(answer["target"], "label = yes");
  EXPECT_EQ(answer["words"].size(), 3u);
  ASSERT_EQ(answer["methods"].size(), 3u);
  EXPECT_EQ(answer["methods"][1]["shares"].size(), 3u);
  EXPECT_EQ(answer["agreement"].size(), 3u);
  EXPECT_EQ(answer["trace"]["examples"][0]["attentions"][0]["kind"], "shares: leave_one_out");
}

TEST_F(ExplainRoute, GivesAMatrixOfWhatWasWritten) {
  const json answer = answered(
      "/v1/explain",
      R"({"model": "letters", "text": "a b", "second": "c d", "method": "gradient_input"})");
  EXPECT_EQ(answer["steps"].size(), 3u) << "two words and their end";
  EXPECT_EQ(answer["methods"][0]["steps"][2]["shares"].size(), 2u);
  EXPECT_FALSE(answer.contains("trace"));
}

TEST_F(ExplainRoute, RefusesWhatNobodyShouldWaitFor) {
  const std::string slow = R"({"model": "reviews", "text": "a b c d e f a b c d e f a", )"
                           R"body("method": "lime(samples=100000)"})body";
  EXPECT_EQ(message("/v1/explain", slow),
            "explain: lime(samples=100000) would have the model read more than 65536 words; "
            "ask for fewer samples, or for a shorter text");
  EXPECT_EQ(refused("/v1/explain", R"({"model": "reviews", "text": "a", "method": "lime("})"),
            "400 ");
  EXPECT_EQ(refused("/v1/explain", R"({"text": ""})").substr(0, 3), "400");
}

}  // namespace
}  // namespace heed::server
