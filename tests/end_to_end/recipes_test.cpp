// SPDX-License-Identifier: Apache-2.0
// The verbs `recipes`, `topics`, `describe` and `compare` as a user meets them.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <regex>

#include "heed/base/file.h"
#include "heed/base/text.h"
#include "heed/pipeline/recipe.h"
#include "run_program.h"

namespace heed::test {
namespace {

using nlohmann::json;

constexpr const char* kRecipes = HEED_SOURCE_DIR "/recipes";

// A recipe that trains for a moment, in a folder of its own.
std::string small_recipe(const TemporaryFolder& folder, const std::string& band) {
  const std::string data = (folder / "data").string();
  std::filesystem::create_directories(folder / "recipes");
  write_atomically(folder / "recipes/small.toml", fmt::format(R"(train-source = "{0}/train.src"
train-target = "{0}/train.tgt"
tokeniser = "words"
model = "seq2seq"
embedding = 8
hidden = 8
encoder-layers = 1
decoder-layers = 1
max-updates = 3
valid-fraction = 0.1
[recipe]
title = "A moment of training"
task = "translate"
folder = "{0}"
data = "heed corpus copy --size 100 --out {0}"
files = ["train.src"]
test = [
  "heed translate --model MODEL --input {0}/test.src > MODEL/out",
  "heed evaluate --hypotheses MODEL/out --references {0}/test.tgt --json",
]
metric = "exact"
value = "/systems/0/exact"
{1}
minutes = 1
)",
                                                              data, band));
  return (folder / "recipes").string();
}

TEST(HeedRecipes, ListsEveryRecipeWithItsBand) {
  const ProgramResult result = run_heed({"recipes", "--folder", kRecipes, "--json"});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const json list = json::parse(result.out);
  EXPECT_GE(list.size(), 8u);
  for (const json& recipe : list) {
    EXPECT_FALSE(recipe["band"].get<std::string>().empty()) << recipe;
    EXPECT_GT(recipe["minutes"].get<double>(), 0) << recipe;
  }
}

TEST(HeedRecipes, AreFoundFromAnyFolder) {
  const TemporaryFolder elsewhere;
  const ProgramResult found = run_heed({"recipes"}, {.folder = elsewhere.path().string()});
  EXPECT_EQ(found.exit_code, 0) << found.err;
  EXPECT_NE(found.out.find("phrases-rnn-additive"), std::string::npos) << found.out;
}

TEST(HeedRecipes, HaveOptionsThatTrainingKnows) {
  for (const pipeline::Recipe& recipe : pipeline::read_recipes(kRecipes)) {
    if (recipe.task.empty()) continue;  // it trains nothing
    std::vector<std::vector<std::string>> variants = {{}};
    for (const pipeline::RecipeVariant& variant : recipe.variants) {
      variants.push_back(variant.options);
    }
    for (const std::vector<std::string>& options : variants) {
      std::vector<std::string> words = {"train", "--config", recipe.path.string(), "--dump-config"};
      words.insert(words.end(), options.begin(), options.end());
      // A model to start from is made with the recipe's data, which is not there.
      if (std::ranges::count(options, "--init-from") == 0) {
        words.insert(words.end(), {"--init-from", ""});
      }
      const ProgramResult result = run_heed(words);
      EXPECT_EQ(result.exit_code, 0) << recipe.name << ' ' << join(options, " ") << result.err;
    }
  }
}

TEST(HeedRecipes, CheckHoldsVariantsToTheirBands) {
  const TemporaryFolder folder;
  const std::string recipes = small_recipe(folder, "at-least = 0.0");
  const auto check = [&](const std::string& band) {
    small_recipe(folder, "at-least = 0.0");
    const std::string text = get(recipes + "/small.toml");
    write_atomically(recipes + "/small.toml",
                     text +
                         "[[recipe.variant]]\nname = \"wider\"\noptions = [\"--hidden\", "
                         "\"12\"]\n" +
                         band);
    return run_heed({"recipes", "check", "small", "--folder", recipes, "--out",
                     (folder / "model").string(), "--options", "reset"});
  };
  const ProgramResult met = check("at-most = 1.0\n");
  EXPECT_EQ(met.exit_code, 0) << met.err;
  EXPECT_NE(met.out.find("at most 1: met"), std::string::npos) << met.out;
  const std::regex row("wider +[0-9.]+ +[+-][0-9.]+ +[0-9]+ s +[0-9.]+ MiB");
  EXPECT_TRUE(std::regex_search(met.out, row)) << met.out;
  const ProgramResult missed = check("at-least = 2.0\n");
  EXPECT_EQ(missed.exit_code, 1) << missed.out;
  EXPECT_NE(missed.err.find("missed by the variants: wider"), std::string::npos) << missed.err;
}

TEST(HeedRecipes, CheckMakesDataTrainsTestsAndSaysWhetherTheBandIsMet) {
  const TemporaryFolder folder;
  const std::string recipes = small_recipe(folder, "at-least = 0.0");
  const ProgramResult met = run_heed({"recipes", "check", "small", "--folder", recipes, "--out",
                                      (folder / "model").string(), "--options", "max-updates=2"});
  EXPECT_EQ(met.exit_code, 0) << met.err;
  EXPECT_NE(met.out.find("at least 0: met"), std::string::npos) << met.out;
  EXPECT_TRUE(std::filesystem::exists(folder / "model/model.safetensors"));
  small_recipe(folder, "at-least = 2.0");
  const ProgramResult missed = run_heed({"recipes", "check", "small", "--folder", recipes, "--out",
                                         (folder / "model").string(), "--options", "reset"});
  EXPECT_EQ(missed.exit_code, 1) << missed.err;
  EXPECT_NE(missed.err.find("at least 2: missed"), std::string::npos) << missed.err;
}

TEST(HeedRecipes, SayWhatToFetchWhenDataIsAbsent) {
  const TemporaryFolder folder;
  const ProgramResult result = run_heed({"recipes", "check", "multi30k-rnn-additive", "--folder",
                                         kRecipes, "--data", (folder / "none").string()});
  EXPECT_EQ(result.exit_code, 3) << result.out;
  EXPECT_NE(result.err.find("fetch train and val"), std::string::npos) << result.err;
  const ProgramResult unknown = run_heed({"recipes", "check", "nothing", "--folder", kRecipes});
  EXPECT_EQ(unknown.exit_code, 2) << unknown.err;
}

TEST(HeedTrain, TakesItsTaskFromARecipe) {
  const TemporaryFolder folder;
  const std::string recipes = small_recipe(folder, "at-least = 0.0");
  const ProgramResult result =
      run_heed({"train", "--config", recipes + "/small.toml", "--dump-config"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_NE(result.out.find("max-updates = 3"), std::string::npos) << result.out;
  EXPECT_EQ(run_heed({"train", "--dump-config"}).exit_code, 2);
}

TEST(HeedDescribe, NamesTheThreeAttentionsOfATransformer) {
  const ProgramResult result = run_heed({"describe", "transformer-tiny"});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  for (const char* note : {"self-attention of the encoder", "self-attention of the decoder",
                           "attention of the decoder over the encoder", "flops per token"}) {
    EXPECT_NE(result.out.find(note), std::string::npos) << note;
  }
}

TEST(HeedDescribe, GivesAClassifierAScoreForEveryClass) {
  const ProgramResult result = run_heed({"describe", "lstm-additive"});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_NE(result.out.find("a score for every class"), std::string::npos) << result.out;
  EXPECT_EQ(result.out.find("a score for every token"), std::string::npos) << result.out;
}

TEST(HeedDescribe, CountsTheParametersOfAFileAndDrawsIt) {
  const TemporaryFolder folder;
  const std::string recipes = small_recipe(folder, "at-least = 0.0");
  const std::string model = (folder / "model").string();
  ASSERT_EQ(run_heed({"recipes", "check", "small", "--folder", recipes, "--out", model}).exit_code,
            0);
  const std::string svg = (folder / "model.svg").string();
  const ProgramResult result = run_heed({"describe", model, "--json", "--svg", svg});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const json described = json::parse(result.out);
  const auto bytes = std::filesystem::file_size(folder / "model/model.safetensors");
  EXPECT_LT(described["weight_bytes"].get<std::uint64_t>(), bytes);
  EXPECT_GT(described["weight_bytes"].get<std::uint64_t>(), bytes / 2);
  EXPECT_TRUE(get(svg).starts_with("<svg"));
  const ProgramResult compared =
      run_heed({"compare", model, model, "--data", (folder / "data/test.src").string(),
                (folder / "data/test.tgt").string(), "--samples", "50"});
  EXPECT_EQ(compared.exit_code, 0) << compared.err;
  EXPECT_NE(compared.out.find("may be chance"), std::string::npos) << compared.out;
}

TEST(HeedDescribe, RefusesWhatIsNeitherModelNorMechanism) {
  EXPECT_EQ(run_heed({"describe", "no/such/folder"}).exit_code, 3);
  const auto refused = [](const std::vector<std::string>& words, std::string_view message) {
    const ProgramResult result = run_heed(words);
    EXPECT_EQ(result.exit_code, 2);
    EXPECT_NE(result.err.find(message), std::string::npos) << result.err;
  };
  refused({"describe", "additiv"},
          "\"additiv\" is not a model folder, config, preset or mechanism; ");
  refused({"describe", "small", "--task", "dance"}, "--task: no task is called \"dance\"");
  refused({"describe", "small", "--task", "classify"},
          "--task classify: \"small\" is neither a config (.toml) nor one of its presets; there "
          "are bag, ");
  const TemporaryFolder folder;
  put(folder / "text", "words");
  const ProgramResult file = run_heed({"describe", (folder / "text").string()});
  EXPECT_EQ(file.exit_code, 3);
  EXPECT_NE(file.err.find("a file, and neither a model folder nor a config"), std::string::npos)
      << file.err;
  EXPECT_EQ(run_heed({"compare", "one"}).exit_code, 2);
}

TEST(HeedTopics, NamesARecipeThatTheFolderLacksBeforeItPrints) {
  const TemporaryFolder folder;
  std::filesystem::create_directories(folder / "some");
  std::filesystem::copy(std::string(kRecipes) + "/phrases-fixed-vector.toml", folder / "some");
  const ProgramResult result =
      run_heed({"topics", "--markdown", "--folder", (folder / "some").string()});
  EXPECT_EQ(result.exit_code, 3);
  EXPECT_EQ(result.out, "");
  EXPECT_NE(result.err.find("some: there is no phrases-rnn-additive.toml, which the topic "
                            "\"Additive attention\" takes its figure from"),
            std::string::npos)
      << result.err;
}

TEST(HeedTopics, PrintsThePageOfTheDocsWhoseCommandsExist) {
  const ProgramResult result = run_heed({"topics", "--markdown", "--folder", kRecipes});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(result.out, get(HEED_SOURCE_DIR "/docs/topics.md"))
      << "heed topics --markdown > docs/topics.md brings the page up to date";
  const std::string verbs = run_heed({}).out;
  for (const std::string_view row : split(result.out, '\n')) {
    const std::size_t at = row.find("`heed ");
    if (!row.starts_with("| ") || at == std::string_view::npos) continue;
    const std::string_view command = row.substr(at + 6);
    const std::string verb(command.substr(0, command.find_first_of(" `")));
    EXPECT_NE(verbs.find("\n  " + verb), std::string::npos) << row;
  }
}

}  // namespace
}  // namespace heed::test
