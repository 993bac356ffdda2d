// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "server/testing.h"

namespace heed::server {
namespace {

using nlohmann::json;

using ScoreRoute = testing::SmallApi;

TEST_F(ScoreRoute, TakesATargetForEachTextOfATranslator) {
  EXPECT_EQ(refused("/v1/score", R"({"text": "a", "target": ["b", "c"]})"), "400 /target");
  EXPECT_EQ(message("/v1/score", R"({"text": "a"})"),
            "a translator scores pairs; give the translation as \"target\"");
  EXPECT_EQ(message("/v1/score", R"({"model": "tales", "text": "a", "target": "b"})"),
            "a language model scores texts; leave \"target\" out");
}

TEST_F(ScoreRoute, TakesNoModelThatScoresNothing) {
  EXPECT_EQ(
      message("/v1/score", R"({"model": "reviews", "text": "a"})"),
      "the model \"reviews\" is for classify; this route takes one for translate or language");
}

}  // namespace
}  // namespace heed::server
