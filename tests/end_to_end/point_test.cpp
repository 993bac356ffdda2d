// SPDX-License-Identifier: Apache-2.0
// Pointer networks as their user meets them: train, point, draw, measure, resume, and what mistakes
// get.
#include <gtest/gtest.h>

#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>

#include "run_program.h"

namespace heed::test {
namespace {

using nlohmann::json;

bool says(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

// `heed train pointer` of a small model, with more options as a line.
std::vector<std::string> small_training(const std::string& task, const std::string& out,
                                        const std::string& more) {
  std::vector<std::string> words = words_of(
      "train pointer --threads 1 --batch 64 --width 32 --inner 32 --layers 1 --heads 2 " + more);
  words.insert(words.end(),
               {"--attention", "additive(size=32) | tensor", "--task", task, "--out", out});
  return words;
}

// A model that sorts three numbers, trained once for all tests.
class HeedPoint : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    folder_ = std::make_unique<TemporaryFolder>();
    const ProgramResult sorted = run_heed(small_training(
        "sort", path("sort"),
        "--points 3 --max-updates 400 --learning-rate 0.01 --validate-every 200 --valid-sets 300"));
    ASSERT_EQ(sorted.exit_code, 0) << sorted.err;
    const ProgramResult hull = run_heed(
        small_training("hull", path("hull"), "--points 5 --max-updates 20 --valid-sets 50"));
    ASSERT_EQ(hull.exit_code, 0) << hull.err;
    EXPECT_TRUE(says(hull.out, "Read 1280 fresh sets of 5 points.")) << hull.out;
    EXPECT_TRUE(says(hull.out, "use it: heed point ")) << hull.out;
  }
  static void TearDownTestSuite() { folder_.reset(); }
  static std::string path(const std::string& name) { return (*folder_ / name).string(); }

  static inline std::unique_ptr<TemporaryFolder> folder_;
};

TEST_F(HeedPoint, LearnsToSortAndIsMeasuredBesideChance) {
  const ProgramResult measured =
      run_heed({"point", path("sort"), "--measure", "1000", "--json", "--threads", "1"});
  ASSERT_EQ(measured.exit_code, 0) << measured.err;
  const json ways = json::parse(measured.out)["ways"];
  EXPECT_EQ(ways[0]["sets"], 1000);
  EXPECT_GE(ways[0]["exact"], .8);
  EXPECT_EQ(ways[1]["name"], "at random");
  EXPECT_NEAR(ways[1]["exact"].get<double>(), 1. / 6, .05);
  put(*folder_ / "numbers.csv", "0.9\n0.2\n0.5\n");
  const ProgramResult sorted = run_heed({"point", path("sort"), "--input", path("numbers.csv")});
  EXPECT_EQ(sorted.out.substr(0, 6), "2 3 1\n") << sorted.out << sorted.err;
  EXPECT_TRUE(says(sorted.out, ", the right order")) << sorted.out;
}

TEST_F(HeedPoint, ReadsRowsLinesAndJsonAndDrawsThem) {
  put(*folder_ / "p.csv", "x,y\n0.1,0.2\n0.9,0.3\n0.5,0.9\n0.45,0.4\n0.05,0.8\n");
  put(*folder_ / "p.json", "[[0.1,0.2],[0.9,0.3],[0.5,0.9],[0.45,0.4],[0.05,0.8]]");
  put(*folder_ / "p.txt", "0.1 0.2 0.9 0.3 0.5 0.9 0.45 0.4 0.05 0.8\n");
  std::vector<std::string> printed;
  for (const char* name : {"p.csv", "p.json", "p.txt"}) {
    const ProgramResult found = run_heed(
        {"point", path("hull"), "--input", path(name), "--beam", "3", "--json", "--threads", "1"});
    ASSERT_EQ(found.exit_code, 0) << found.err;
    printed.push_back(found.out);
  }
  EXPECT_EQ(printed[0], printed[1]);
  EXPECT_EQ(printed[0], printed[2]);
  EXPECT_EQ(json::parse(printed[0])[0]["answer"], json::parse("[1, 2, 3, 5]"));
  const ProgramResult drawn =
      run_heed({"point", path("hull"), "--input", path("p.csv"), "--draw", path("p.svg"), "--show",
                "--trace", path("trace.json"), "--threads", "1"});
  ASSERT_EQ(drawn.exit_code, 0) << drawn.err;
  EXPECT_TRUE(says(drawn.out, "·")) << drawn.out;
  EXPECT_TRUE(says(get(*folder_ / "p.svg"), "<svg"));
  const json trace = json::parse(get(*folder_ / "trace.json"));
  EXPECT_EQ(trace["task"], "pointer");
  EXPECT_EQ(trace["examples"][0]["attentions"][0]["kind"], "pointing");
  const ProgramResult viewed = run_heed({"view", path("trace.json")});
  EXPECT_EQ(viewed.exit_code, 0) << viewed.err;
  const ProgramResult png =
      run_heed({"point", path("hull"), "--input", path("p.csv"), "--draw", path("p.png")});
  EXPECT_EQ(png.exit_code, 0) << png.err;
  EXPECT_TRUE(says(get(*folder_ / "p.png"), "PNG"));
}

TEST_F(HeedPoint, WorksWithWhatServesEveryKind) {
  EXPECT_EQ(run_heed({"describe", path("hull")}).exit_code, 0);
  const ProgramResult viewed = run_heed({"view", path("hull"), "--text", "0,0 1,0 0.4,0.9"});
  EXPECT_EQ(viewed.exit_code, 0) << viewed.err;
  put(*folder_ / "sets.txt", "0 0 1 0 0 1 output 1 2 3 1\n0 0 1 0 0 .5 output 1 2 3 1\n");
  const ProgramResult compared =
      run_heed({"compare", path("hull"), path("hull"), "--data", path("sets.txt")});
  EXPECT_EQ(compared.exit_code, 0) << compared.err;
  EXPECT_TRUE(says(compared.out, "area %")) << compared.out;
  const ProgramResult checked = run_heed({"check", path("sets.txt")});
  EXPECT_EQ(checked.exit_code, 0) << checked.err;
  EXPECT_TRUE(says(checked.out, "heed train pointer: ")) << checked.out;
  const ProgramResult dry =
      run_heed(small_training("tour", path("dry"), "--points 6 --max-updates 9 --dry-run"));
  EXPECT_EQ(dry.exit_code, 0) << dry.err;
  EXPECT_TRUE(says(dry.err, " parameters, ")) << dry.err;
  EXPECT_FALSE(std::filesystem::exists(path("dry")));
}

TEST_F(HeedPoint, ResumesToTheSameBits) {
  const std::string options =
      "--points 5 --learn reinforce --model attention --epoch-batches 6 --baseline-sets 40 "
      "--valid-sets 0 --max-updates ";
  ASSERT_EQ(run_heed(small_training("tour", path("whole"), options + "20")).exit_code, 0);
  for (const char* updates : {"11", "20"}) {
    const ProgramResult part = run_heed(small_training("tour", path("parts"), options + updates));
    ASSERT_EQ(part.exit_code, 0) << part.err;
  }
  EXPECT_TRUE(get(*folder_ / "whole" / "model.safetensors") ==
              get(*folder_ / "parts" / "model.safetensors"));
}

TEST_F(HeedPoint, RefusesPointsWithoutAnAnswerWithPlaceAndRemedy) {
  const auto refused = [&](const std::string& text, int code = 3) {
    put(*folder_ / "bad.csv", text);
    const ProgramResult result = run_heed({"point", path("hull"), "--input", path("bad.csv")});
    EXPECT_EQ(result.exit_code, code) << text << result.err;
    const std::size_t at = result.err.find("bad.csv");
    return at == std::string::npos ? result.err : result.err.substr(at, result.err.find('\n') - at);
  };
  EXPECT_EQ(refused("0,0\n1,0\n0,0\n0,1\n"),
            "bad.csv: points 1 and 3 coincide; take one of them away");
  EXPECT_EQ(refused("0,0\n1,1\n2,2\n"),
            "bad.csv: all points lie on one line, so that there is no hull; give three that do "
            "not");
  EXPECT_EQ(refused("0,0\n1,0\n1,1\n\n0,0\n1,1\n"),
            "bad.csv, set 2: there are 2 points; give 3 or more");
  EXPECT_EQ(refused("0,0\n1,0\nnan,1\n"),
            "bad.csv:3: a coordinate is nan; every one must be a finite number");
  EXPECT_TRUE(says(refused("0,0\n1,0\nhello,1\n"), "bad.csv:3: \"hello\" is no number"));
  EXPECT_TRUE(says(refused("once upon a time\nthere was\n"), "bad.csv:1: \"once\" is no number"));
}

TEST_F(HeedPoint, RefusesOptionsAndDataThatCannotBe) {
  const auto refused = [&](const std::vector<std::string>& words, int code) {
    const ProgramResult result = run_heed(words);
    EXPECT_EQ(result.exit_code, code) << result.err;
    return result.err;
  };
  EXPECT_TRUE(says(refused(small_training("circle", path("x"), "--max-updates 1"), 2),
                   "--task circle: there is no such task"));
  EXPECT_TRUE(says(refused({"point", path("hull")}, 2), "give --input with points, or --measure"));
  EXPECT_TRUE(says(refused({"point", path("hull"), "--input", path("p.csv"), "--draw", "p.gif"}, 2),
                   "ends in .svg or .png"));
  put(*folder_ / "given.txt", "0 0 1 0 0 1 output 1 2 3 1\n0 0 1 0 0 1 output 1 2 5 1\n");
  EXPECT_TRUE(says(refused(small_training(path("given.txt"), path("x"), "--max-updates 1"), 3),
                   "given.txt:2: the answer says \"5\"; its points are numbered from 1 to 3"));
  put(*folder_ / "lines.txt", "these are\nno points\n");
  EXPECT_TRUE(says(refused(small_training(path("lines.txt"), path("x"), "--max-updates 1"), 3),
                   "lines.txt:1: \"these\" is no number"));
  EXPECT_FALSE(std::filesystem::exists(path("x")));
}

}  // namespace
}  // namespace heed::test
