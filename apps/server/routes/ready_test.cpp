// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "server/testing.h"

namespace heed::server {
namespace {

using nlohmann::json;

class ReadyRoute : public testing::SmallApi {
 protected:
  std::string said() {
    const HttpResponse response = api_.answer({.method = "GET", .path = "/readyz"});
    const json answer = json::parse(response.body);
    return fmt::format("{} {}", response.status,
                       response.status == 200 ? answer["status"].get<std::string>()
                                              : answer["error"]["message"].get<std::string>());
  }
  int health() { return api_.answer({.method = "GET", .path = "/healthz"}).status; }
};

TEST_F(ReadyRoute, TellsApartWhetherItLivesAndWhetherItIsReady) {
  EXPECT_EQ(said(), "200 ready");
  engine_.replace({});
  EXPECT_EQ(said(), "503 no model is loaded");
  EXPECT_EQ(health(), 200);
  engine_.replace({testing::small_writer()});
  EXPECT_EQ(said(), "200 ready");
  engine_.drain();
  EXPECT_EQ(said(), "503 the server is stopping");
  EXPECT_EQ(health(), 200);
  EXPECT_EQ(post("/v1/generate", R"({"prompt": "a", "length": 1})").status, 200)
      << "what still comes is answered";
}

}  // namespace
}  // namespace heed::server
