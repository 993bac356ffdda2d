// SPDX-License-Identifier: Apache-2.0
#include "server/engine/served_model.h"

#include <gtest/gtest.h>

#include "heed/base/error.h"
#include "heed/base/testing.h"
#include "server/http/http_error.h"
#include "server/testing.h"

namespace heed::server {
namespace {

TEST(ModelPlaces, AreNamedByTheirFoldersOrAsTold) {
  const std::vector<std::string> written = {"models/en-fr/", "tales=other/en-fr", "."};
  const std::vector<ModelPlace> places = model_places(written);
  EXPECT_EQ(places[0].name, "en-fr");
  EXPECT_EQ(places[1].name, "tales");
  EXPECT_EQ(places[1].folder, "other/en-fr");
  EXPECT_EQ(places[2].name, std::filesystem::current_path().filename());
}

TEST(ModelPlaces, MustDiffer) {
  const auto message = [](const std::vector<std::string>& written) {
    return test::message_of<UsageError>([&] { model_places(written); });
  };
  EXPECT_EQ(message({"a/model", "b/model"}),
            "b/model: there is a model \"model\" already; NAME=FOLDER gives it another name");
  EXPECT_EQ(message({"my model"}).substr(0, 45), "my model: \"my model\" cannot be a model's name");
}

TEST(ServedModels, AreFoundByNameOrByTask) {
  const ModelSet models = {testing::small_writer(), testing::small_translator("one"),
                           testing::small_translator("two")};
  const std::vector<std::string> tasks = {"translate"};
  EXPECT_EQ(find_model(models, "", tasks)->name, "one");
  EXPECT_EQ(find_model(models, "two", tasks)->name, "two");
  const auto refused = [&](const std::string& name, const std::vector<std::string>& wanted) {
    try {
      find_model(models, name, wanted);
    } catch (const HttpError& error) {
      return fmt::format("{} {}: {}", error.status(), error.where(), error.what());
    }
    return std::string();
  };
  EXPECT_EQ(refused("tow", tasks),
            "404 /model: there is no model \"tow\" (did you mean \"two\"?); there are tales, one, "
            "two");
  EXPECT_EQ(refused("tales", tasks),
            "400 /model: the model \"tales\" is for language; this route takes one for translate");
  EXPECT_EQ(refused("", {"masked"}), "404 /model: no model for masked is served here");
}

TEST(ServedModels, CountTokensWithTheEnd) {
  EXPECT_EQ(testing::small_translator()->model->length("a b c"), 4);
  EXPECT_EQ(testing::small_writer()->model->length("abc"), 4);
  EXPECT_EQ(testing::small_judge()->model->length(""), 1);
}

TEST(ServedModels, AreNotLoadedFromAnyFolder) {
  const test::TemporaryFolder folder;
  EXPECT_THROW(load_model({"x", folder.path()}), DataError);
}

}  // namespace
}  // namespace heed::server
