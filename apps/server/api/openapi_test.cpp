// SPDX-License-Identifier: Apache-2.0
#include "server/api/openapi.h"

#include <gtest/gtest.h>

namespace heed::server {
namespace {

TEST(OpenApi, TellsEveryRouteWithItsFieldsAndErrors) {
  const std::vector<Route> routes = make_routes({.beam = 7});
  const auto page = openapi(routes, {});
  for (const Route& route : routes) {
    EXPECT_TRUE(page["paths"].contains(route.path)) << route.path;
    EXPECT_FALSE(route.summary.empty());
    for (const Field& field : route.fields) EXPECT_FALSE(field.help.empty()) << field.name;
  }
  const auto& translate = page["paths"]["/v1/translate"]["post"];
  const auto& schema = translate["requestBody"]["content"]["application/json"]["schema"];
  EXPECT_EQ(schema["properties"]["beam"]["maximum"], 7);
  EXPECT_EQ(schema["properties"]["beam"]["default"], 5);
  EXPECT_EQ(schema["required"], nlohmann::ordered_json::parse("[\"text\"]"));
  EXPECT_EQ(schema["additionalProperties"], false);
  for (const char* status : {"200", "400", "401", "404", "413", "422", "429", "503", "504"}) {
    EXPECT_TRUE(translate["responses"].contains(status)) << status;
  }
  EXPECT_FALSE(page["paths"]["/healthz"]["get"]["responses"].contains("401"));
}

// What the demo's translator was trained on begins with a capital and ends with a full stop.
TEST(OpenApi, HasASentenceAsTheExampleOfATranslation) {
  const auto page = openapi(make_routes({}), {});
  const auto& content =
      page["paths"]["/v1/translate"]["post"]["requestBody"]["content"]["application/json"];
  EXPECT_EQ(content["schema"]["examples"][0]["text"], "The cat sleeps.") << content.dump(1);
}

TEST(OpenApi, SaysWhetherATokenIsAskedFor) {
  const std::vector<Route> routes = make_routes({});
  EXPECT_FALSE(openapi(routes, {})["components"].contains("securitySchemes"));
  const auto page = openapi(routes, {.secured = true});
  EXPECT_TRUE(page["paths"]["/v1/translate"]["post"].contains("security"));
  EXPECT_FALSE(page["paths"]["/healthz"]["get"].contains("security"));
}

TEST(Routes, AreFoundByMethodAndPath) {
  const std::vector<Route> routes = make_routes({});
  EXPECT_EQ(find_route(routes, "POST", "/v1/score")->name, "score");
  EXPECT_EQ(find_route(routes, "GET", "/v1/score"), nullptr);
  EXPECT_EQ(methods_of(routes, "/metrics"), (std::vector<std::string>{"GET", "HEAD"}));
  EXPECT_TRUE(methods_of(routes, "/none").empty());
}

TEST(Routes, AreFoundByAPathWithANameInIt) {
  const std::vector<Route> routes = make_routes({});
  const Route* one = find_route(routes, "GET", "/v1/models/tales");
  ASSERT_NE(one, nullptr);
  EXPECT_EQ(one->name, "model");
  EXPECT_EQ(name_in_path(*one, "/v1/models/tales"), "tales");
  EXPECT_EQ(find_route(routes, "DELETE", "/v1/models/tales")->name, "remove_model");
  EXPECT_EQ(find_route(routes, "GET", "/v1/models")->name, "models");
  EXPECT_EQ(find_route(routes, "GET", "/v1/models/"), nullptr);
  EXPECT_EQ(find_route(routes, "GET", "/v1/models/a/b"), nullptr);
  const auto page = openapi(routes, {});
  EXPECT_EQ(page["paths"]["/v1/models/{name}"]["get"]["parameters"][0]["name"], "name");
  EXPECT_EQ(page["paths"]["/v1/completions"]["post"]["responses"]["400"]["content"]
                ["application/json"]["schema"]["$ref"],
            "#/components/schemas/OpenAIError");
  EXPECT_TRUE(page["components"]["schemas"].contains("OpenAIError"));
}

}  // namespace
}  // namespace heed::server
