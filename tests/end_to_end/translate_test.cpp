// SPDX-License-Identifier: Apache-2.0
// The translator as its user meets it: train, interrupt, resume, translate, score, average, and
// what mistakes get.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <chrono>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <thread>

#include "heed/base/random.h"
#include "heed/base/text.h"
#include "run_program.h"

namespace heed::test {
namespace {

using nlohmann::json;

using Words = std::vector<std::string>;

Words training(const std::filesystem::path& data, const std::string& out, const Words& more = {}) {
  return words_of(
      fmt::format("train translate --train-source {0}/train.src --train-target {0}/train.tgt "
                  "--valid-source {0}/valid.src --valid-target {0}/valid.tgt --out {1} "
                  "--model seq2seq --attention additive --tokeniser words --tie none "
                  "--embedding 32 --hidden 48 --encoder-layers 1 --decoder-layers 1 "
                  "--learning-rate 0.01 --schedule constant --batch-tokens 400 "
                  "--valid-metrics exact --label-smoothing 0",
                  data.string(), out),
      more);
}

// The built-in task `reverse`, and a model trained on it once for all tests.
class HeedTranslate : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    folder_ = std::make_unique<TemporaryFolder>();
    const ProgramResult corpus = run_heed({"corpus", "reverse", "--size", "3000", "--min-length",
                                           "1", "--max-length", "6", "--out", data().string()});
    ASSERT_EQ(corpus.exit_code, 0) << corpus.err;
    const ProgramResult trained =
        run_heed(training(data(), model(),
                          {"--max-updates", "500", "--validate-every", "250", "--keep-last", "3",
                           "--save-every", "100", "--log-json", (*folder_ / "log.json").string()}));
    ASSERT_EQ(trained.exit_code, 0) << trained.err;
  }
  static void TearDownTestSuite() { folder_.reset(); }

  static std::filesystem::path data() { return *folder_ / "data"; }
  static std::string model() { return (*folder_ / "model").string(); }
  static std::string first_line(const char* name) {
    return std::string(split(get(data() / name), '\n').front());
  }
  static std::unique_ptr<TemporaryFolder> folder_;
};
std::unique_ptr<TemporaryFolder> HeedTranslate::folder_;

TEST_F(HeedTranslate, WritesWhatItHasLearnt) {
  const std::string test = (data() / "test.src").string();
  const ProgramResult result = run_heed({"translate", "--model", model(), "--input", test});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  put(*folder_ / "found.txt", result.out);
  const ProgramResult measured =
      run_heed({"evaluate", "--hypotheses", (*folder_ / "found.txt").string(), "--references",
                (data() / "test.tgt").string(), "--json"});
  ASSERT_EQ(measured.exit_code, 0) << measured.err;
  EXPECT_GE(json::parse(measured.out).at("systems").at(0).at("exact").get<double>(), .8)
      << measured.out;
}

TEST_F(HeedTranslate, LogsOneJsonObjectPerLine) {
  int validations = 0;
  const std::string log = get(*folder_ / "log.json");
  for (const std::string_view line : split(log, '\n')) {
    if (line.empty()) continue;
    const json entry = json::parse(line);
    validations += entry.dump().find("\"exact\"") != std::string::npos ? 1 : 0;
  }
  EXPECT_GE(validations, 2);
}

TEST_F(HeedTranslate, GivesNBestListsScoresAndAlignments) {
  put(*folder_ / "one.txt", first_line("test.src") + "\n");
  const std::string input = (*folder_ / "one.txt").string();
  const auto run = [&](const Words& more) {
    const ProgramResult result =
        run_heed(words_of(fmt::format("translate --model {} --input {}", model(), input), more));
    EXPECT_EQ(result.exit_code, 0) << result.err;
    return result.out;
  };
  EXPECT_EQ(split(trim(run({"--n-best", "3"})), '\n').size(), 3);
  EXPECT_NE(run({"--scores"}).find(" ||| -"), std::string::npos);
  EXPECT_NE(run({"--alignments", "pharaoh"}).find("-0"), std::string::npos);
  const json found = json::parse(run({"--alignments", "json", "--every-attention"}));
  EXPECT_EQ(found.at("weights").size(), found.at("pieces").size());
  EXPECT_EQ(found.at("attentions").at(0).at("kind"), "cross");
  EXPECT_NE(run({"--show"}).find("</s>"), std::string::npos);
  EXPECT_EQ(run({"--sample", "--seed", "3"}), run({"--sample", "--seed", "3"}));
}

TEST_F(HeedTranslate, ScoresPairs) {
  const ProgramResult result =
      run_heed({"score", "--model", model(), "--source", (data() / "test.src").string(), "--target",
                (data() / "test.tgt").string(), "--summary"});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_NE(result.out.find("perplexity 1."), std::string::npos) << result.out;
}

TEST_F(HeedTranslate, AveragesItsLastCheckpointsIntoAModel) {
  const std::string mean = (*folder_ / "mean").string();
  const ProgramResult result =
      run_heed({"average", "--model", model(), "--last", "3", "--out", mean});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(run_heed({"translate", "--model", mean, model()}).exit_code, 0);
}

TEST_F(HeedTranslate, TranslatesWithWeightsStoredAsHalfNumbers) {
  for (const std::string dtype : {"F16", "BF16"}) {
    const std::string half = (*folder_ / dtype).string();
    const ProgramResult result =
        run_heed({"average", "--model", model(), "--dtype", dtype, "--out", half});
    ASSERT_EQ(result.exit_code, 0) << result.err;
    EXPECT_EQ(result.out, fmt::format("The weights as {} are in {}.\n", dtype, half));
    EXPECT_NEAR(
        static_cast<double>(std::filesystem::file_size(half + "/model.safetensors")),
        0.5 * static_cast<double>(std::filesystem::file_size(model() + "/model.safetensors")),
        8192);
    EXPECT_NE(run_heed({"tensors", half + "/model.safetensors"}).out.find(dtype + " "),
              std::string::npos);
    EXPECT_EQ(run_heed({"translate", "--model", half, model()}).exit_code, 0);
  }
}

TEST_F(HeedTranslate, KilledAtAnyMomentGoesOnToTheSameBits) {
  const Words limits = {"--max-updates",    "200", "--save-every", "7",
                        "--validate-every", "50",  "--threads",    "1"};
  const std::string whole = (*folder_ / "whole").string();
  const std::string broken = (*folder_ / "broken").string();
  ASSERT_EQ(run_heed(training(data(), whole, limits)).exit_code, 0);
  Random random(11);
  for (int kill = 0; kill < 20; ++kill) {
    const pid_t child = fork();
    if (child == 0) {
      Words words = training(data(), broken, limits);
      words.insert(words.begin(), HEED_PROGRAM);
      std::vector<char*> argv;
      for (std::string& word : words) argv.push_back(word.data());
      argv.push_back(nullptr);
      dup2(open("/dev/null", O_WRONLY), 1);
      dup2(open("/dev/null", O_WRONLY), 2);
      execv(argv[0], argv.data());
      _exit(127);
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(20 + random.integer(300)));
    ::kill(child, SIGKILL);
    int status = 0;
    waitpid(child, &status, 0);
  }
  const ProgramResult last = run_heed(training(data(), broken, limits));
  ASSERT_EQ(last.exit_code, 0) << last.err;
  EXPECT_EQ(get(broken + "/model.safetensors"), get(whole + "/model.safetensors"));
}

TEST_F(HeedTranslate, RefusesToGoOnWithAnotherModel) {
  const ProgramResult result =
      run_heed(training(data(), model(), {"--max-updates", "600", "--dropout", "0.4"}));
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_NE(result.err.find("dropout"), std::string::npos) << result.err;
}

TEST_F(HeedTranslate, SaysWhatIsWrongAndLeavesNothingHalfWritten) {
  const std::string out = (*folder_ / "none").string();
  const auto error = [&](Words words, int code) {
    const ProgramResult result = run_heed(std::move(words));
    EXPECT_EQ(result.exit_code, code) << result.err;
    return result.err;
  };
  const auto bad = [&](const std::string& source, const std::string& target) {
    put(*folder_ / "bad.src", source);
    put(*folder_ / "bad.tgt", target);
    return Words{"train",          "translate",
                 "--train-source", (*folder_ / "bad.src").string(),
                 "--train-target", (*folder_ / "bad.tgt").string(),
                 "--max-updates",  "1",
                 "--out",          out};
  };
  EXPECT_NE(error(bad("a\nb\n", "A\n"), 3).find("bad.tgt"), std::string::npos);
  EXPECT_NE(error(bad("a\nb\xff\n", "A\nB\n"), 3).find("bad.src:2"), std::string::npos);
  EXPECT_NE(error(bad("", ""), 3).find("bad.src"), std::string::npos);
  EXPECT_FALSE(std::filesystem::exists(out + "/model.safetensors"));
  EXPECT_NE(error({"train", "translat"}, 2).find("did you mean \"translate\"?"), std::string::npos);
  EXPECT_NE(error({"train", "translate", "--hiden", "3"}, 2).find("--hidden"), std::string::npos);
  EXPECT_NE(error({"translate"}, 2).find("--model"), std::string::npos);
  EXPECT_NE(error({"translate", "--model", out}, 3).find("none"), std::string::npos);
  EXPECT_NE(error({"translate", "--model", model(), "--n-best", "9"}, 2).find("--beam"),
            std::string::npos);
  EXPECT_NE(error(training(data(), out, {"--attention", "additiv", "--max-updates", "1"}), 2)
                .find("additive"),
            std::string::npos);
  put(*folder_ / "bad.toml", "out = \"x\"\nlerning-rate = 1\n");
  EXPECT_NE(
      error({"train", "translate", "--config", (*folder_ / "bad.toml").string()}, 2).find(":2:1"),
      std::string::npos);
}

TEST_F(HeedTranslate, AFullDiskIsAnErrorAndNotAHalfTranslation) {
  const ProgramResult result =
      run_heed({"translate", "--model", model(), "--input", (data() / "test.src").string()},
               {.output = "/dev/full"});
  EXPECT_EQ(result.exit_code, 3) << result.err;
}

}  // namespace
}  // namespace heed::test
