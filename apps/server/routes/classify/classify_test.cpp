// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "server/testing.h"

namespace heed::server {
namespace {

using nlohmann::json;

using ClassifyRoute = testing::SmallApi;

TEST_F(ClassifyRoute, TakesASecondForEachTextOfAModelThatComparesTwo) {
  EXPECT_EQ(refused("/v1/classify", R"({"text": ["a", "b"], "second": "c"})"), "400 /second");
  EXPECT_EQ(message("/v1/classify", R"({"text": ["a", "b"], "second": "c"})"),
            "\"second\" has 1 texts, and \"text\" 2; each takes one");
  EXPECT_EQ(message("/v1/classify", R"({"text": "a", "second": "b"})"),
            "the model reads one text; leave \"second\" out");
}

}  // namespace
}  // namespace heed::server
