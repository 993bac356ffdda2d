// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "server/testing.h"

namespace heed::server {
namespace {

using nlohmann::json;
namespace fs = std::filesystem;

class AdminRoutes : public testing::SmallApi {
 protected:
  AdminRoutes()
      : keeper_({.places = {}, .roots = {fs::canonical(testing::trained_folder().parent_path())}},
                engine_, metrics_, log_),
        admin_(engine_, access_, metrics_, {.secured = true, .keeper = &keeper_}) {}

  std::string asked(const std::string& method, const std::string& path,
                    const std::string& body = "") {
    const HttpResponse response = admin_.answer({.method = method, .path = path, .body = body});
    const json answer = json::parse(response.body);
    return fmt::format("{} {}", response.status,
                       response.status == 200 ? answer["id"].get<std::string>()
                                              : answer["error"]["where"].get<std::string>());
  }

  Log log_{{.form = LogForm::none}};
  ModelKeeper keeper_;
  Api admin_;
};

TEST_F(AdminRoutes, AddAModelAndRemoveIt) {
  const std::string folder = testing::trained_folder().filename().string();
  EXPECT_EQ(asked("POST", "/v1/models", json{{"folder", folder}, {"name", "new"}}.dump()),
            "200 new");
  EXPECT_EQ(asked("POST", "/v1/models", json{{"folder", folder + "/"}}.dump()), "200 " + folder);
  EXPECT_EQ(engine_.models()->back()->name, folder);
  const HttpResponse written = admin_.answer(
      {.method = "POST", .path = "/v1/completions", .body = R"({"model": "new", "prompt": "aa"})"});
  EXPECT_EQ(written.status, 200) << written.body;
  EXPECT_EQ(asked("DELETE", "/v1/models/new"), "200 new");
  EXPECT_EQ(asked("DELETE", "/v1/models/new"), "404 new");
}

TEST_F(AdminRoutes, RefuseWhatIsNoModelAndNoName) {
  EXPECT_EQ(asked("POST", "/v1/models", R"({"folder": ""})"), "400 /folder");
  EXPECT_EQ(asked("POST", "/v1/models", R"({"folder": ".."})"), "403 /folder");
  EXPECT_EQ(asked("POST", "/v1/models", R"({"folder": "/etc"})"), "403 /folder");
  EXPECT_EQ(asked("POST", "/v1/models", R"({"folder": "x", "name": "a b"})"), "400 /name");
  EXPECT_EQ(asked("POST", "/v1/models", R"({"folder": "x", "name": "../x"})"), "400 /name");
  EXPECT_EQ(asked("POST", "/v1/models", R"({"folder": "x\u0000y"})"), "400 /folder");
  EXPECT_EQ(asked("POST", "/v1/models", R"({"folder": "nothing-here"})"), "422 ");
  EXPECT_EQ(asked("POST", "/v1/models", R"({})"), "400 /folder");
}

TEST_F(AdminRoutes, AreNotThereUnlessTheyAreAskedFor) {
  HttpRequest head{.method = "POST",
                   .path = "/v1/models",
                   .headers = {{"authorization", "Bearer secret"},
                               {"content-type", "application/json"},
                               {"content-length", "2"}}};
  EXPECT_FALSE(admin_.refuse(head).has_value());
  EXPECT_EQ(api_.refuse(head)->status, 405);
  head.headers.erase("authorization");
  EXPECT_EQ(admin_.refuse(head)->status, 401) << "what is served is changed with the token only";
  head.method = "DELETE";
  head.path = "/v1/models/tales";
  EXPECT_EQ(admin_.refuse(head)->status, 401);
  EXPECT_EQ(api_.description().find("add_model"), std::string::npos);
  EXPECT_NE(admin_.description().find("add_model"), std::string::npos);
}

}  // namespace
}  // namespace heed::server
