// SPDX-License-Identifier: Apache-2.0
// Language models as their user meets them: train, interrupt, resume, generate, score, and what
// mistakes get.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <memory>

#include "heed/base/random.h"
#include "heed/base/text.h"
#include "run_program.h"

namespace heed::test {
namespace {

using Words = std::vector<std::string>;

// Lines of a rule: three numbers that count on, "4 5 6", from 0 to 9 and round again.
std::string counting(int lines, std::uint64_t seed) {
  Random random(seed);
  std::string text;
  for (int i = 0; i < lines; ++i) {
    const std::uint64_t first = random.integer(10);
    text += fmt::format("{} {} {}\n", first, (first + 1) % 10, (first + 2) % 10);
  }
  return text;
}

Words training(const std::filesystem::path& data, const std::string& out, const Words& more = {}) {
  return words_of(
      fmt::format("train language --train {0}/train.txt --valid {0}/valid.txt --out {1} "
                  "--tokeniser characters --layers 1 --embedding 24 --hidden 48 --tracks 8 "
                  "--window 12 --threads 1 --learning-rate 0.02 --schedule constant "
                  "--sample-length 12",
                  data.string(), out),
      more);
}

// A model trained once for all tests.
class HeedLanguage : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    folder_ = std::make_unique<TemporaryFolder>();
    put(*folder_ / "train.txt", counting(2000, 1));
    put(*folder_ / "valid.txt", counting(100, 2));
    const ProgramResult trained = run_heed(
        training(folder_->path(), model(), {"--max-updates", "300", "--validate-every", "100"}));
    ASSERT_EQ(trained.exit_code, 0) << trained.err;
    ASSERT_NE(trained.out.find("use it: heed generate --model"), std::string::npos) << trained.out;
  }
  static void TearDownTestSuite() { folder_.reset(); }

  static std::string model() { return (*folder_ / "model").string(); }
  static std::string file(const char* name) { return (*folder_ / name).string(); }
  static std::unique_ptr<TemporaryFolder> folder_;
};
std::unique_ptr<TemporaryFolder> HeedLanguage::folder_;

TEST_F(HeedLanguage, CountsOnFromAPrompt) {
  const ProgramResult result =
      run_heed({"generate", "--model", model(), "--prompt", "4 5", "--length", "2", "--greedy"});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(result.out, "4 5 6\n");
}

TEST_F(HeedLanguage, WritesTheSameForTheSameSeedAndSamplesThatDiffer) {
  const Words words = {"generate", "--model", model(), "--length", "18", "--samples", "2"};
  const ProgramResult once = run_heed(words);
  ASSERT_EQ(once.exit_code, 0) << once.err;
  EXPECT_EQ(once.out, run_heed(words).out);
  const std::string half = once.out.substr(0, once.out.size() / 2);
  EXPECT_NE(once.out, half + half);
}

TEST_F(HeedLanguage, ForeseesAllButTheFirstNumberOfALine) {
  const ProgramResult result =
      run_heed({"score", "--model", model(), "--text", file("valid.txt"), "--summary"});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const std::size_t at = result.out.find("bits per character ");
  ASSERT_NE(at, std::string::npos) << result.out;
  const double bits = parse_number(trim(result.out.substr(at + 19)), "bits");
  // log2(10) bits for the first of six characters, nothing for the rest.
  EXPECT_NEAR(bits, 3.32 / 6, .06);
}

TEST_F(HeedLanguage, GoesOnToTheSameBits) {
  const std::string whole = file("whole"), parts = file("parts");
  const Words attends = {"--attention", "additive", "--span", "8", "--dropout", "0.1"};
  const auto run = [&](const std::string& out, const char* updates) {
    Words more = attends;
    more.insert(more.end(), {"--max-updates", updates, "--validate-every", "20"});
    EXPECT_EQ(run_heed(training(folder_->path(), out, more)).exit_code, 0);
  };
  run(whole, "30");
  run(parts, "11");
  run(parts, "30");
  EXPECT_EQ(get(std::filesystem::path(whole) / "model.safetensors"),
            get(std::filesystem::path(parts) / "model.safetensors"));
}

TEST_F(HeedLanguage, AnswersMistakesWithARemedy) {
  const ProgramResult unknown = run_heed({"generate", "--model", file("nothing")});
  EXPECT_EQ(unknown.exit_code, 3);
  const ProgramResult task = run_heed({"translate", "--model", model()});
  EXPECT_EQ(task.exit_code, 3);
  EXPECT_NE(task.err.find("this is a language model, not a translator: use heed generate"),
            std::string::npos)
      << task.err;
  const ProgramResult text = run_heed({"score", "--model", model()});
  EXPECT_EQ(text.exit_code, 2);
  EXPECT_NE(text.err.find("--text"), std::string::npos) << text.err;
  const std::string gpt = file("gpt");
  const ProgramResult trained =
      run_heed(training(folder_->path(), gpt,
                        {"--model", "gpt", "--width", "16", "--heads", "2", "--inner", "16",
                         "--longest", "12", "--positions", "learned", "--max-updates", "5"}));
  ASSERT_EQ(trained.exit_code, 0) << trained.err;
  const Words long_prompt = {"generate", "--model", gpt, "--prompt", "1 2 3 4 5 6 7 8 9"};
  const ProgramResult refused = run_heed(long_prompt);
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_NE(refused.err.find("--crop-prompt"), std::string::npos) << refused.err;
  Words cropped = long_prompt;
  cropped.insert(cropped.end(), {"--crop-prompt", "--length", "30"});
  EXPECT_EQ(run_heed(cropped).exit_code, 0);
}

TEST_F(HeedLanguage, PrintsNothingOfAPromptThatItRefuses) {
  const std::string gpt = file("short");
  const ProgramResult trained =
      run_heed(training(folder_->path(), gpt,
                        {"--model", "gpt", "--width", "16", "--heads", "2", "--inner", "16",
                         "--longest", "12", "--max-updates", "2"}));
  ASSERT_EQ(trained.exit_code, 0) << trained.err;
  const Words words = {"generate", "--model", gpt, "--length", "1", "--greedy", "--prompt"};
  const auto refused = [&](const std::string& prompt, const ProgramSetting& setting = {}) {
    Words mine = words;
    mine.push_back(prompt);
    return run_heed(mine, setting);
  };
  const ProgramResult given = refused("1 2 3 4 5 6 7 8 9");
  EXPECT_EQ(given.out, "");
  EXPECT_TRUE(
      given.err.starts_with("heed generate: the prompt has 18 tokens, and the model sees "
                            "12;"))
      << given.err;
  put(*folder_ / "prompts", "1 2\n1 2 3 4 5 6 7 8 9\n");
  const ProgramResult read = refused("-", {.input = file("prompts")});
  EXPECT_EQ(read.exit_code, 2);
  EXPECT_EQ(split(read.out, '\n').size(), 2U) << read.out;
  EXPECT_TRUE(read.err.starts_with("heed generate: standard input:2: the prompt has 18 tokens"))
      << read.err;
  put(*folder_ / "bytes", "1 2\n\xff\n");
  const ProgramResult bytes = refused("-", {.input = file("bytes")});
  EXPECT_EQ(bytes.exit_code, 3);
  EXPECT_EQ(bytes.out.find('\xff'), std::string::npos);
  EXPECT_TRUE(bytes.err.starts_with("heed generate: standard input:2: ")) << bytes.err;
  const ProgramResult samples =
      run_heed({"generate", "--model", gpt, "--greedy", "--samples", "2"});
  EXPECT_EQ(samples.exit_code, 2);
  EXPECT_NE(samples.err.find("--samples 2: with --greedy"), std::string::npos) << samples.err;
}

}  // namespace
}  // namespace heed::test
