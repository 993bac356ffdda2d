// SPDX-License-Identifier: Apache-2.0
#include "heed/pipeline/recipe.h"

#include <gtest/gtest.h>

#include "heed/base/error.h"
#include "heed/base/file.h"
#include "heed/base/testing.h"

namespace heed::pipeline {
namespace {

constexpr const char* kWhole = R"(width = 16
[recipe]
title = "Small"
task = "translate"
folder = "data/copy"
data = "heed corpus copy --out data/copy"
test = ["heed evaluate --json"]
metric = "exact"
value = "/systems/0/exact"
at-least = 0.9
minutes = 1.5
[[recipe.variant]]
name = "without dropout"
options = ["--dropout", "0"]
at-most = 0.5
)";

std::string refusal(const std::string& text) {
  const test::TemporaryFolder folder;
  write_atomically(folder / "r.toml", text);
  std::string message = test::message_of<UsageError>([&] { read_recipe(folder / "r.toml"); });
  return message.substr(folder.path().string().size() + 1);
}

std::string without(std::string text, std::string_view line) {
  return text.erase(text.find(line), line.size());
}

TEST(Recipe, IsReadFromItsTable) {
  const test::TemporaryFolder folder;
  write_atomically(folder / "small.toml", kWhole);
  const Recipe recipe = read_recipe(folder / "small.toml");
  EXPECT_EQ(recipe.name, "small");
  EXPECT_EQ(recipe.task, "translate");
  EXPECT_EQ(recipe.test, (std::vector<std::string>{"heed evaluate --json"}));
  EXPECT_EQ(recipe.minutes, 1.5);
  ASSERT_EQ(recipe.variants.size(), 1u);
  EXPECT_EQ(recipe.variants[0].options, (std::vector<std::string>{"--dropout", "0"}));
  EXPECT_EQ(recipe.variants[0].band.text(), "at most 0.5");
  EXPECT_EQ(read_recipes(folder.path()).size(), 1u);
}

TEST(Band, HasOneOrTwoEnds) {
  const Band least{.at_least = .9};
  EXPECT_TRUE(least.holds(.9));
  EXPECT_FALSE(least.holds(.89));
  EXPECT_EQ(least.text(), "at least 0.9");
  const Band both{.at_least = 1, .at_most = 2};
  EXPECT_FALSE(both.holds(2.1));
  EXPECT_EQ(both.text(), "at least 1, at most 2");
}

TEST(Band, WithoutEndsHoldsEverything) {
  EXPECT_TRUE(Band{}.is_open());
  EXPECT_TRUE(Band{}.holds(-1e9));
  EXPECT_EQ(Band{}.text(), "");
}

TEST(Recipe, SaysWhatIsWrongAndWhere) {
  EXPECT_EQ(refusal(std::string(kWhole) + "[recipe.extra]\n"),
            "r.toml:16: a recipe has no key \"extra\"");
  EXPECT_EQ(refusal(without(kWhole, "title = \"Small\"\n")),
            "r.toml:2: the table [recipe] lacks title, a text");
  EXPECT_EQ(refusal(without(kWhole, "at-least = 0.9\n")),
            "r.toml:2: a recipe says at-least or at-most of its metric");
  EXPECT_EQ(refusal(without(kWhole, "data = \"heed corpus copy --out data/copy\"\n")),
            "r.toml:2: a recipe has either data, a command that makes it, or fetch, which says "
            "where it is");
  EXPECT_EQ(refusal(std::string(kWhole) + "atleast = 0.9\n"),
            "r.toml:16: a variant has no key \"atleast\" (did you mean \"at-least\"?)");
  EXPECT_EQ(refusal("width = 3\n"), "r.toml: no recipe, it has no table [recipe]");
}

TEST(Recipe, MayLeaveTheDataToTheTraining) {
  const test::TemporaryFolder folder;
  std::string text = without(kWhole, "data = \"heed corpus copy --out data/copy\"\n");
  text = without(text, "folder = \"data/copy\"\n");
  write_atomically(folder / "made.toml", text);
  EXPECT_TRUE(read_recipe(folder / "made.toml").makes_its_data());
  EXPECT_EQ(refusal(text + "[recipe.files]\n").substr(0, 10), "r.toml:14:");
}

TEST(Recipe, MayTrainNothingAndTestAlone) {
  const std::string table =
      "[recipe]\ntitle = \"Game\"\nmetric = \"success\"\nvalue = \"/0\"\nat-least = 0.5\n";
  EXPECT_EQ(refusal(table),
            "r.toml:1: the table [recipe] lacks task, what to train, or test, what to run");
  const std::string tested = table + "test = [\"heed bench messages --json\"]\n";
  EXPECT_EQ(refusal(tested + "[[recipe.variant]]\nname = \"other\"\n"),
            "r.toml:1: variants change a training, and this recipe has no task");
  const test::TemporaryFolder folder;
  write_atomically(folder / "game.toml", tested);
  EXPECT_TRUE(read_recipe(folder / "game.toml").task.empty());
}

TEST(Recipe, LiesInTheFolderWishedForOrBesideTheProgram) {
  EXPECT_EQ(recipes_folder("mine"), "mine");
  const std::filesystem::path found = recipes_folder("");
  EXPECT_EQ(found.filename(), "recipes");
}

TEST(Recipe, IsNotFoundInAPlainConfigOrAnEmptyFolder) {
  const test::TemporaryFolder folder;
  EXPECT_THROW(read_recipes(folder.path()), DataError);
  write_atomically(folder / "plain.toml", "width = 16\n");
  EXPECT_FALSE(find_recipe_table(folder / "plain.toml").has_value());
}

}  // namespace
}  // namespace heed::pipeline
