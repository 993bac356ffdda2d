// SPDX-License-Identifier: Apache-2.0
// Neural Turing machines as their user meets them: train, run, overwrite, draw, measure, and what
// mistakes get.
#include <gtest/gtest.h>

#include <memory>
#include <nlohmann/json.hpp>

#include "run_program.h"

namespace heed::test {
namespace {

using nlohmann::json;

bool tells(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

// A machine that copies up to four vectors of three bits, trained once for all tests.
class HeedRun : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    folder_ = std::make_unique<TemporaryFolder>();
    std::vector<std::string> words = words_of(
        "train machine --task copy --bits 3 --longest 4 --batch 16 --hidden 32 --slots 12 --width "
        "6 "
        "--learning-rate 0.005 --max-updates 600 --validate-every 200 --threads 1 --out");
    words.push_back(path("copy"));
    const ProgramResult trained = run_heed(words);
    ASSERT_EQ(trained.exit_code, 0) << trained.err;
    EXPECT_TRUE(tells(trained.out, "Read 9600 fresh sequences of 1 to 4 vectors.")) << trained.out;
    EXPECT_TRUE(tells(trained.out, "use it: heed run ")) << trained.out;
    put(*folder_ / "bits.txt", "101 010 111\n\n001\n110\n");
  }
  static void TearDownTestSuite() { folder_.reset(); }
  static std::string path(const std::string& name) { return (*folder_ / name).string(); }

  static inline std::unique_ptr<TemporaryFolder> folder_;
};

TEST_F(HeedRun, AnswersFilesAndStandardInputAndShowsItsTape) {
  const ProgramResult shown =
      run_heed({"run", path("copy"), "--input", path("bits.txt"), "--show", "--sequence", "2"});
  ASSERT_EQ(shown.exit_code, 0) << shown.err;
  EXPECT_TRUE(shown.out.starts_with("101 010 111\n  9 bits, all right; cost ")) << shown.out;
  EXPECT_TRUE(tells(shown.out, "001 110\n")) << shown.out;
  EXPECT_TRUE(tells(shown.out, "step  input  output  writes to  reads from")) << shown.out;
  EXPECT_TRUE(tells(shown.out, "   1  ..1 .")) << shown.out;
}

TEST_F(HeedRun, MeasuresLengthsForPeopleAndPrograms) {
  const ProgramResult measured =
      run_heed({"run", path("copy"), "--measure", "20", "--lengths", "4", "6", "--json"});
  ASSERT_EQ(measured.exit_code, 0) << measured.err;
  const json lengths = json::parse(measured.out)["lengths"];
  EXPECT_EQ(lengths[0]["length"], 4);
  EXPECT_EQ(lengths[0]["sequences"], 20);
  EXPECT_LE(lengths[0]["wrong"], .02);
  EXPECT_EQ(lengths[1]["length"], 6);
  const ProgramResult table = run_heed({"run", path("copy"), "--measure", "20"});
  EXPECT_TRUE(tells(table.out, "wrong bits  bits per sequence")) << table.out;
}

TEST_F(HeedRun, OverwritesDrawsAndTraces) {
  const ProgramResult changed =
      run_heed({"run", path("copy"), "--sample", "4", "--overwrite", "2=3@6", "--draw",
                path("tape.svg"), "--trace", path("trace.json")});
  ASSERT_EQ(changed.exit_code, 0) << changed.err;
  EXPECT_TRUE(tells(changed.out, "slot 2=3@6 overwritten: ")) << changed.out;
  EXPECT_TRUE(tells(get(*folder_ / "tape.svg"), "<svg"));
  EXPECT_TRUE(tells(get(*folder_ / "trace.json"), "\"writes\""));
  const ProgramResult viewed = run_heed({"view", path("copy"), "--text", "101 010"});
  EXPECT_EQ(viewed.exit_code, 0) << viewed.err;
}

TEST_F(HeedRun, TellsMistakesWithPlaceAndRemedy) {
  const auto refused = [](const std::vector<std::string>& words) {
    const ProgramResult result = run_heed(words);
    EXPECT_NE(result.exit_code, 0) << result.out;
    return result.err;
  };
  put(*folder_ / "letters.txt", "101 010\n1x1 010\n");
  EXPECT_TRUE(tells(refused({"run", path("copy"), "--input", path("letters.txt")}),
                    "letters.txt:2: \"1x1\" is no vector of bits; write 0 and 1 alone"));
  put(*folder_ / "wide.txt", "1010 0101\n");
  EXPECT_TRUE(tells(refused({"run", path("copy"), "--input", path("wide.txt")}),
                    "wide.txt:1: vector 1 has 4 bits; the task has vectors of 3"));
  EXPECT_TRUE(tells(refused({"run", path("copy"), "--sample", "2", "--overwrite", "13"}),
                    "--overwrite: slot 13; the machine has 12 slots"));
  EXPECT_TRUE(tells(refused({"run", path("copy")}), "nothing to run on: give --input"));
  EXPECT_TRUE(tells(refused({"train", "machine", "--task", path("wide.txt"), "--max-updates", "1",
                             "--out", path("none")}),
                    "no step asks for anything; write what it asks for after a slash"));
}

}  // namespace
}  // namespace heed::test
