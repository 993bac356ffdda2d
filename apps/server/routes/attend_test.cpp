// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "server/testing.h"

namespace heed::server {
namespace {

using nlohmann::json;

using AttendRoute = testing::SmallApi;

TEST_F(AttendRoute, RunsMechanisms) {
  const json answer = answered("/v1/attend", R"({"mechanism": "dot | causal | argmax",
      "query": [[1, 0], [0, 1]], "keys": [[1, 0], [0, 2]], "values": [[5], [7]]})");
  EXPECT_EQ(answer["weights"], json::parse("[[1.0, 0.0], [0.0, 1.0]]"));
  EXPECT_EQ(answer["context"], json::parse("[[5.0], [7.0]]"));
  const json masked = answered("/v1/attend", R"({"mechanism": "scaled_dot",
      "query": [[1]], "keys": [[1], [1]], "values": [[1], [3]], "mask": [[false, true]]})");
  EXPECT_EQ(masked["context"], json::parse("[[3.0]]"));
  EXPECT_EQ(refused("/v1/attend", R"({"mechanism": "dott",
      "query": [[1]], "keys": [[1]], "values": [[1]]})"),
            "400 ");
  EXPECT_EQ(refused("/v1/attend", R"({"mechanism": "dot",
      "query": [[1]], "keys": [[1, 2]], "values": [[1]]})"),
            "400 ");
}

TEST_F(AttendRoute, RunsNoMechanismThatWouldFillTheMemory) {
  const auto body = [](const std::string& spec, const std::string& rows) {
    return fmt::format(R"({{"mechanism": "{}", "query": {}, "keys": {}, "values": {}}})", spec,
                       rows, rows, rows);
  };
  EXPECT_EQ(refused("/v1/attend", body("additive(hidden=1000000000)", "[[1]]")), "422 /mechanism");
  std::string rows = "[[1]";
  for (int i = 0; i < 1100; ++i) rows += ",[1]";
  EXPECT_EQ(refused("/v1/attend", body("dot", rows + "]")), "422 /query");
  EXPECT_EQ(post("/v1/attend", body("dot | window(4096) | entmax(alpha=1.54321)", "[[1]]")).status,
            200);
}

}  // namespace
}  // namespace heed::server
