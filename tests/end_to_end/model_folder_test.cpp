// SPDX-License-Identifier: Apache-2.0
// Model folders as their user meets them: where a model may go, whose it is, and what a damaged one
// says.
#include <gtest/gtest.h>

#include <filesystem>
#include <memory>

#include "heed/base/text.h"
#include "run_program.h"

namespace heed::test {
namespace {

bool says(const ProgramResult& result, std::string_view part) {
  return result.err.find(part) != std::string::npos;
}

// A language model and a classifier of a few tokens, made once for all tests.
class ModelFolders : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    folder_ = std::make_unique<TemporaryFolder>();
    std::string text, labelled;
    for (int i = 0; i < 30; ++i) {
      text += "the cat sees the dog\n";
      labelled += i % 2 == 0 ? "good\tthe cat\n" : "bad\tthe dog\n";
    }
    put(*folder_ / "text", text);
    put(*folder_ / "labelled", labelled);
    for (const auto& [task, file] : {std::pair("language", "text"), {"classify", "labelled"}}) {
      const ProgramResult made = train(task, path(file), path(task));
      ASSERT_EQ(made.exit_code, 0) << made.err;
    }
  }
  static void TearDownTestSuite() { folder_.reset(); }

  static ProgramResult train(const std::string& task, const std::string& file,
                             const std::string& out, const std::vector<std::string>& more = {}) {
    std::vector<std::string> words = {"train",         task, "--train",     file,   "--out",    out,
                                      "--max-updates", "2",  "--embedding", "8",    "--hidden", "8",
                                      "--layers",      "1",  "--tokeniser", "words"};
    if (task == "language") words.insert(words.end(), {"--tracks", "2"});
    if (task == "masked") words.insert(words.end(), {"--encoder", "bag"});
    words.insert(words.end(), more.begin(), more.end());
    return run_heed(words);
  }
  static std::string path(const std::string& name) { return (*folder_ / name).string(); }
  // A copy of a folder, to be damaged.
  static std::filesystem::path copy(const std::string& name, const std::string& as) {
    std::filesystem::copy(path(name), path(as), std::filesystem::copy_options::recursive);
    return path(as);
  }

  static inline std::unique_ptr<TemporaryFolder> folder_;
};

TEST_F(ModelFolders, AreRefusedWhereNoFolderCanBe) {
  std::filesystem::create_symlink("gone", *folder_ / "link");
  for (const std::string& out : {path("text"), path("link"), std::string("/proc/none")}) {
    for (const char* task : {"language", "masked"}) {
      const ProgramResult result = train(task, path("text"), out);
      EXPECT_EQ(result.exit_code, 3) << result.err;
      EXPECT_TRUE(says(result, out + ": ")) << result.err;
    }
    EXPECT_EQ(train("classify", path("labelled"), out).exit_code, 3);
    EXPECT_EQ(run_heed({"train", "translate", "--train", path("labelled"), "--out", out,
                        "--max-updates", "1"})
                  .exit_code,
              3);
  }
}

TEST_F(ModelFolders, OfAnotherTaskAreNotOverwrittenUnlessReset) {
  const std::filesystem::path copied = copy("language", "changed");
  std::filesystem::remove_all(copied / "checkpoints");
  const ProgramResult refused = train("classify", path("labelled"), copied);
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_TRUE(says(refused, "the folder holds a model for the task language")) << refused.err;
  EXPECT_EQ(run_heed({"generate", "--model", copied, "--length", "1"}).exit_code, 0);
  const ProgramResult reset = train("classify", path("labelled"), copied, {"--reset"});
  ASSERT_EQ(reset.exit_code, 0) << reset.err;
  EXPECT_EQ(run_heed({"classify", "--model", copied, "--data", path("labelled")}).exit_code, 0);
  const ProgramResult back = train("language", path("text"), copied, {"--reset"});
  ASSERT_EQ(back.exit_code, 0) << back.err;
  EXPECT_FALSE(std::filesystem::exists(copied / "labels.tsv"));
}

TEST_F(ModelFolders, OfAnotherTaskAreNoStart) {
  const ProgramResult result =
      train("classify", path("labelled"), path("started"), {"--init-from", path("language")});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_TRUE(says(result, "a model for the task language; classify starts from one for classify"))
      << result.err;
}

TEST_F(ModelFolders, ThatAreDamagedNameTheFile) {
  const std::filesystem::path copied = copy("classify", "damaged");
  const std::string config = get(copied / "config.toml");
  const std::vector<std::string> command = {"classify", "--model", copied, "--data",
                                            path("labelled")};
  const std::size_t at = config.find("\nattention = ");
  ASSERT_NE(at, std::string::npos);
  put(copied / "config.toml",
      config.substr(0, at) + "\nattention = \"bogus\"" + config.substr(config.find('\n', at + 1)));
  const ProgramResult bogus = run_heed(command);
  EXPECT_EQ(bogus.exit_code, 3);
  EXPECT_TRUE(says(bogus, "damaged/config.toml: ")) << bogus.err;
  put(copied / "config.toml", "out = ");
  const ProgramResult broken = run_heed(command);
  EXPECT_EQ(broken.exit_code, 3);
  EXPECT_TRUE(says(broken, "damaged/config.toml:1:")) << broken.err;
  put(copied / "config.toml", config);
  std::filesystem::remove(copied / "tokeniser");
  const ProgramResult lacking = run_heed(command);
  EXPECT_EQ(lacking.exit_code, 3);
  EXPECT_TRUE(says(lacking, "tokeniser is missing")) << lacking.err;
  EXPECT_FALSE(says(lacking, "has not saved a model yet")) << lacking.err;
}

TEST_F(ModelFolders, AreAveragedWithTheirLabels) {
  const std::string weights = path("classify") + "/model.safetensors";
  const ProgramResult mean = run_heed(
      {"average", weights, weights, "--model", path("classify"), "--out", path("averaged")});
  ASSERT_EQ(mean.exit_code, 0) << mean.err;
  EXPECT_EQ(
      run_heed({"classify", "--model", path("averaged"), "--data", path("labelled")}).exit_code, 0);
  EXPECT_EQ(run_heed({"average", weights, weights, "--model", path("classify"), "--out",
                      path("language")})
                .exit_code,
            2);
}

TEST_F(ModelFolders, AreScoredByTheVerbOfTheirTask) {
  const ProgramResult classifier =
      run_heed({"score", "--model", path("classify"), "--text", path("text")});
  EXPECT_EQ(classifier.exit_code, 3);
  EXPECT_TRUE(says(classifier, "a model for the task \"classify\"")) << classifier.err;
  EXPECT_TRUE(says(classifier, "heed classify --data")) << classifier.err;
  const ProgramResult both = run_heed(
      {"score", "--model", path("language"), "--text", path("text"), "--pairs", path("labelled")});
  EXPECT_EQ(both.exit_code, 2);
  EXPECT_TRUE(says(both, "--pairs: ")) << both.err;
}

TEST_F(ModelFolders, NeedLinesWhereThereAreNoPairs) {
  put(*folder_ / "empty", "");
  put(*folder_ / "blank", "\n\n");
  put(*folder_ / "one", "the cat\n");
  for (const char* file : {"empty", "blank"}) {
    const ProgramResult result = train("masked", path(file), path("none"));
    EXPECT_EQ(result.exit_code, 3);
    EXPECT_FALSE(says(result, "pair")) << result.err;
  }
  // Which line is held out depends on the seed: one of these holds out the only one.
  bool all = false;
  for (const char* seed : {"1", "2", "3", "4", "5", "6", "7", "8"}) {
    const ProgramResult result =
        train("masked", path("one"), path("none"), {"--valid-fraction", "0.5", "--seed", seed});
    EXPECT_EQ(result.exit_code, 3);
    EXPECT_FALSE(says(result, "pair")) << result.err;
    all = all || says(result, "one: 1 line with text, all held out for validation");
  }
  EXPECT_TRUE(all);
}

}  // namespace
}  // namespace heed::test
