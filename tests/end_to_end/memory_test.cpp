// SPDX-License-Identifier: Apache-2.0
// Memory networks as their user meets them: train on built-in stories, ask, look, measure, and what
// mistakes get.
#include <gtest/gtest.h>
#include <signal.h>

#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>

#include "background_program.h"
#include "heed/base/file.h"
#include "heed/base/text.h"
#include "run_program.h"

namespace heed::test {
namespace {

using nlohmann::json;

bool contains(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

// A model of *facts-two*, trained once for all tests.
class HeedAsk : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    folder_ = std::make_unique<TemporaryFolder>();
    const ProgramResult corpus =
        run_heed({"corpus", "facts-two", "--size", "2500", "--out", data()});
    ASSERT_EQ(corpus.exit_code, 0) << corpus.err;
    const ProgramResult trained =
        run_heed({"train", "memory", "--train", data() + "/train.txt", "--valid",
                  data() + "/valid.txt", "--preset", "task", "--hops", "2", "--max-epochs", "60",
                  "--threads", "1", "--out", model()});
    ASSERT_EQ(trained.exit_code, 0) << trained.err;
    EXPECT_TRUE(contains(trained.out, "the best model: error ")) << trained.out;
    put(*folder_ / "story.txt",
        "Alice went to the kitchen.\nAlice took the key.\nBruno moved to the hall.\nAlice walked "
        "to "
        "the garden.\n");
  }
  static void TearDownTestSuite() { folder_.reset(); }

  static std::string data() { return (*folder_ / "data").string(); }
  static std::string model() { return (*folder_ / "model").string(); }
  static std::string story() { return (*folder_ / "story.txt").string(); }

  static inline std::unique_ptr<TemporaryFolder> folder_;
};

TEST_F(HeedAsk, AnswersFromTwoFactsAndLooksAtThem) {
  const ProgramResult judged = run_heed({"ask", model(), "--data", data() + "/test.txt", "--json"});
  ASSERT_EQ(judged.exit_code, 0) << judged.err;
  const json quality = json::parse(judged.out);
  EXPECT_LE(quality["error"], .15) << judged.out;
  EXPECT_GE(quality["tasks"][0]["right"]["found"], .9) << judged.out;
  const ProgramResult asked =
      run_heed({"ask", model(), "--story", story(), "--question", "Where is the key?", "--json"});
  ASSERT_EQ(asked.exit_code, 0) << asked.err;
  const json answer = json::parse(asked.out);
  EXPECT_EQ(answer["answers"][0]["answer"], "garden") << asked.out;
  ASSERT_EQ(answer["sentences"].size(), 4u);
  EXPECT_EQ(answer["sentences"][1]["weights"].size(), 2u);
}

TEST_F(HeedAsk, ShowsATableOfWeightsWithFactsMarked) {
  put(*folder_ / "numbered.txt",
      "1 Alice went to the kitchen.\n2 Alice took the key.\n3 Where is the key?\tkitchen\t2 1\n");
  const ProgramResult shown =
      run_heed({"ask", model(), "--story", (*folder_ / "numbered.txt").string()});
  ASSERT_EQ(shown.exit_code, 0) << shown.err;
  EXPECT_TRUE(contains(shown.out, "hop 1 hop 2")) << shown.out;
  EXPECT_TRUE(contains(shown.out, " * Alice took the key.")) << shown.out;
  EXPECT_TRUE(contains(shown.out, "(empty slots)")) << shown.out;
  const ProgramResult strange =
      run_heed({"ask", model(), "--story", story(), "--question", "Where is the unicorn?"});
  EXPECT_TRUE(contains(strange.out, "unknown words, which read as nothing: unicorn"))
      << strange.out;
}

TEST_F(HeedAsk, IsAModelLikeOthers) {
  const std::string trace = (*folder_ / "trace.json").string();
  EXPECT_EQ(run_heed({"ask", model(), "--story", story(), "--question", "Where is the key?",
                      "--trace", trace})
                .exit_code,
            0);
  const ProgramResult viewed = run_heed({"view", trace});
  EXPECT_EQ(viewed.exit_code, 0) << viewed.err;
  EXPECT_TRUE(contains(viewed.out, "hop 2")) << viewed.out;
  const ProgramResult described = run_heed({"describe", model()});
  EXPECT_EQ(described.exit_code, 0) << described.err;
  const ProgramResult compared =
      run_heed({"compare", model(), model(), "--data", data() + "/test.txt"});
  EXPECT_EQ(compared.exit_code, 0) << compared.err;
  EXPECT_TRUE(contains(compared.out, "error %")) << compared.out;
  const ProgramResult direct =
      run_heed({"view", model(), "--text", "Alice went to the kitchen. Alice took the key.",
                "--second", "Where is the key?"});
  EXPECT_EQ(direct.exit_code, 0) << direct.err;
  const ProgramResult checked = run_heed({"check", data() + "/train.txt"});
  EXPECT_EQ(checked.exit_code, 0) << checked.out << checked.err;
}

TEST_F(HeedAsk, SaysWhatToDoAboutMistakes) {
  const ProgramResult nothing = run_heed({"ask", model()});
  EXPECT_EQ(nothing.exit_code, 2);
  EXPECT_TRUE(contains(nothing.err, "--story")) << nothing.err;
  const auto trained_on = [&](const std::string& text) {
    put(*folder_ / "bad.txt", text);
    return run_heed({"train", "memory", "--train", (*folder_ / "bad.txt").string(), "--max-epochs",
                     "1", "--out", (*folder_ / "bad").string()});
  };
  const ProgramResult silent = trained_on("1 Alice left.\n2 Bruno left.\n");
  EXPECT_EQ(silent.exit_code, 3);
  EXPECT_TRUE(contains(silent.err, "bad.txt: a story and no question")) << silent.err;
  const ProgramResult foreign = trained_on("1 Alice left.\nBruno left.\n");
  EXPECT_EQ(foreign.exit_code, 3);
  EXPECT_TRUE(contains(foreign.err, "bad.txt:2: \"Bruno left.\" does not begin with a number"))
      << foreign.err;
  const ProgramResult unsupported = trained_on("1 Alice left.\n2 Who left?\tAlice\t9\n");
  EXPECT_EQ(unsupported.exit_code, 3);
  EXPECT_TRUE(contains(unsupported.err, "bad.txt:2: the supporting fact \"9\"")) << unsupported.err;
  put(*folder_ / "long.txt",
      "1 Alice went to the kitchen and then to the hall and back.\n2 Where is Alice?\thall\t1\n");
  const ProgramResult lengthy =
      run_heed({"ask", model(), "--data", (*folder_ / "long.txt").string()});
  EXPECT_EQ(lengthy.exit_code, 3);
  EXPECT_TRUE(contains(lengthy.err, "long.txt:1: a sentence of 12 words")) << lengthy.err;
}

TEST_F(HeedAsk, IsARecipeWhoseListOfFilesMayLieElsewhere) {
  std::filesystem::create_directory(*folder_ / "recipes");
  put(*folder_ / "recipes" / "small.toml", R"(train = [
  "data/small/train.txt",
  "data/small/valid.txt",
]
hops = 1
max-epochs = 2

[recipe]
title = "Two files of stories"
task = "memory"
folder = "data/small"
fetch = "nothing"
files = ["train.txt"]
test = ["heed ask MODEL --data data/small/test.txt --json"]
metric = "error"
value = "/error"
at-most = 1.0
minutes = 1
)");
  const ProgramResult checked =
      run_heed({"recipes", "check", "small", "--folder", (*folder_ / "recipes").string(), "--data",
                data(), "--out", (*folder_ / "small").string()});
  ASSERT_EQ(checked.exit_code, 0) << checked.err;
  EXPECT_TRUE(contains(checked.out, "--train " + data() + "/train.txt " + data() + "/valid.txt"))
      << checked.out;
}

TEST(HeedTrainMemory, ResumesToTheSameBitsWhenItWasInterrupted) {
  const TemporaryFolder folder;
  ASSERT_EQ(run_heed({"corpus", "facts-two", "--size", "400", "--out", (folder / "data").string()})
                .exit_code,
            0);
  const auto training = [&](const std::string& out) {
    return std::vector<std::string>{"train",        "memory",
                                    "--train",      (folder / "data" / "train.txt").string(),
                                    "--preset",     "task",
                                    "--max-epochs", "40",
                                    "--save-every", "100000",
                                    "--log-every",  "1",
                                    "--log-json",   (folder / (out + ".json")).string(),
                                    "--out",        (folder / out).string()};
  };
  const ProgramResult whole = run_heed(training("whole"));
  ASSERT_EQ(whole.exit_code, 0) << whole.err;
  BackgroundProgram running(training("parts"));
  const std::filesystem::path log = folder / "parts.json";
  ASSERT_TRUE(BackgroundProgram::until(
      [&] { return std::filesystem::exists(log) && contains(get(log), "\"update\":30"); }));
  running.signal(SIGTERM);
  running.wait();
  const ProgramResult rest = run_heed(training("parts"));
  ASSERT_EQ(rest.exit_code, 0) << rest.err;
  EXPECT_EQ(get(folder / "parts" / "model.safetensors"),
            get(folder / "whole" / "model.safetensors"));
}

TEST(HeedTasks, TrainsATaskPerFolderAndPrintsEverySeed) {
  const TemporaryFolder folder;
  for (const char* task : {"facts-one", "facts-yes-no"}) {
    ASSERT_EQ(
        run_heed({"corpus", task, "--size", "400", "--out", (folder / "data" / task).string()})
            .exit_code,
        0);
  }
  const std::vector<std::string> command = {"tasks",
                                            (folder / "data").string(),
                                            "--preset",
                                            "task",
                                            "--max-epochs",
                                            "30",
                                            "--seeds",
                                            "1",
                                            "2",
                                            "--threads",
                                            "1",
                                            "--out",
                                            (folder / "models").string()};
  const ProgramResult trained = run_heed(command);
  ASSERT_EQ(trained.exit_code, 0) << trained.err;
  EXPECT_TRUE(contains(trained.out, "facts-one\n")) << trained.out;
  EXPECT_TRUE(contains(trained.out, "% of 2 tasks")) << trained.out;
  EXPECT_TRUE(std::filesystem::exists(folder / "models" / "facts-one" / "seed-2" / "config.toml"));
  // Run again, it trains nothing and prints the same.
  EXPECT_EQ(run_heed(command).out, trained.out);
  const ProgramResult empty = run_heed({"tasks", (folder / "models").string(), "--max-epochs", "1",
                                        "--out", (folder / "other").string()});
  EXPECT_EQ(empty.exit_code, 3);
  EXPECT_TRUE(contains(empty.err, "no task")) << empty.err;
}

TEST(HeedTrainMemory, LearnsKeysAndValues) {
  const TemporaryFolder folder;
  const std::string data = (folder / "data").string(), model = (folder / "model").string();
  ASSERT_EQ(run_heed({"corpus", "facts-relations", "--size", "1500", "--out", data}).exit_code, 0);
  const ProgramResult trained =
      run_heed({"train", "memory", "--train", data + "/train.txt", "--preset", "key-value",
                "--max-epochs", "15", "--threads", "1", "--out", model});
  ASSERT_EQ(trained.exit_code, 0) << trained.err;
  const ProgramResult judged = run_heed({"ask", model, "--data", data + "/test.txt", "--json"});
  ASSERT_EQ(judged.exit_code, 0) << judged.err;
  EXPECT_LE(json::parse(judged.out)["error"], .4) << judged.out;
}

}  // namespace
}  // namespace heed::test
