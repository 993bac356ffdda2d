// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "server/api/model_listing.h"
#include "server/testing.h"

namespace heed::server {
namespace {

using nlohmann::json;

class ModelsRoute : public testing::SmallApi {
 protected:
  json got(const std::string& path, int status = 200) {
    const HttpResponse response = api_.answer({.method = "GET", .path = path});
    EXPECT_EQ(response.status, status) << response.body;
    return json::parse(response.body);
  }
};

TEST_F(ModelsRoute, ListsWhatOpenAIsClientsExpectAndThePageNeeds) {
  const json list = got("/v1/models");
  EXPECT_EQ(list["object"], "list");
  ASSERT_EQ(list["data"].size(), 3u);
  const json& tales = list["data"][1];
  EXPECT_EQ(tales["id"], "tales");
  EXPECT_EQ(tales["object"], "model");
  EXPECT_EQ(tales["owned_by"], "heed");
  EXPECT_EQ(tales["task"], "language");
  EXPECT_TRUE(tales["examples"].empty()) << "it was not trained on anything";
}

TEST_F(ModelsRoute, GivesOneByItsName) {
  EXPECT_EQ(got("/v1/models/tales"), got("/v1/models")["data"][1]);
  EXPECT_EQ(got("/v1/models/tale", 404)["error"]["message"],
            "there is no model \"tale\" (did you mean \"tales\"?)");
}

TEST_F(ModelsRoute, HasTheExamplesOfATrainedFolder) {
  const json model = model_json(*load_model({"lines", testing::trained_folder()}));
  ASSERT_FALSE(model["examples"].empty());
  for (const json& example : model["examples"]) {
    EXPECT_FALSE(example["text"].get<std::string>().empty());
    EXPECT_FALSE(example.contains("second"));
  }
  EXPECT_GT(model["created"].get<std::int64_t>(), 1'700'000'000);
}

}  // namespace
}  // namespace heed::server
