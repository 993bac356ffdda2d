// SPDX-License-Identifier: Apache-2.0
// No verb writes over what it did not write, none writes over what it reads, and a training that
// cannot begin says so before it reads its data and leaves nothing behind.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>

#include "attend_fixture.h"
#include "heed/base/text.h"
#include "run_program.h"

namespace heed::test {
namespace {

constexpr const char* kTrace =
    R"({"format":"heed-trace","version":1,"model":"m","task":"translate","examples":[{"title":"t",)"
    R"("strips":[{"name":"source","tokens":["a","b"]},{"name":"target","tokens":["c"]}],)"
    R"("attentions":[{"kind":"cross","queries":"target","keys":"source","stepwise":true,)"
    R"("heads":[{"layer":0,"head":0,"weights":[[0.25,0.75]]}]}]}]})";

class NothingLost : public ::testing::Test {
 protected:
  std::string path(const std::string& name) const { return (folder_ / name).string(); }
  // Runs it; it must exit with `code` and say `part` on standard error.
  ProgramResult expect(const std::vector<std::string>& words, int code, std::string_view part) {
    ProgramResult result = run_heed(words);
    EXPECT_EQ(result.exit_code, code) << result.err;
    EXPECT_NE(result.err.find(part), std::string::npos) << result.err;
    return result;
  }

  TemporaryFolder folder_;
};

TEST_F(NothingLost, CorporaDoNotReplaceDataOfTheSameName) {
  std::filesystem::create_directory(folder_ / "own");
  put(folder_ / "own" / "train.tsv", "my own labelled data\n");
  const std::vector<std::string> words = {"corpus",    "reviews", "--out",
                                          path("own"), "--size",  "100"};
  expect(words, 2, "own/train.tsv: is there already and holds something else");
  EXPECT_EQ(get(folder_ / "own" / "train.tsv"), "my own labelled data\n");
  EXPECT_FALSE(std::filesystem::exists(folder_ / "own" / "test.tsv")) << "all or nothing";
  std::vector<std::string> forced = words;
  forced.emplace_back("--force");
  EXPECT_EQ(run_heed(forced).exit_code, 0);
  EXPECT_EQ(run_heed(words).exit_code, 0) << "the same files again";
}

TEST_F(NothingLost, PicturesAndPagesReplaceTheirOwnKindOnly) {
  put(folder_ / "trace.json", kTrace);
  for (const auto& [option, file] :
       {std::pair("--svg", "p.svg"), std::pair("--png", "p.png"), std::pair("--html", "p.html")}) {
    put(folder_ / file, "mine\n");
    const std::vector<std::string> words = {"view", path("trace.json"), option, path(file)};
    expect(words, 2, fmt::format("{}: is there already, and nothing in it shows", file));
    EXPECT_EQ(get(folder_ / file), "mine\n");
    std::vector<std::string> forced = words;
    forced.emplace_back("--force");
    EXPECT_EQ(run_heed(forced).exit_code, 0);
    EXPECT_NE(get(folder_ / file), "mine\n");
    const ProgramResult again = run_heed(words);
    EXPECT_EQ(again.exit_code, 0) << again.err;
  }
}

TEST_F(NothingLost, AnInputIsNeverAnOutput) {
  put(folder_ / "trace.json", kTrace);
  std::filesystem::create_symlink(folder_ / "trace.json", folder_ / "link.svg");
  for (const char* file : {"trace.json", "link.svg"}) {
    expect({"view", path("trace.json"), "--svg", path(file), "--force"}, 2,
           "is read here and would be written over");
  }
  EXPECT_EQ(get(folder_ / "trace.json"), kTrace);
  put(folder_ / "text", "the cat\nthe dog\n");
  expect({"vocabulary", "--learn", path("text"), "--kind", "words", "--out", path("text")}, 2,
         "is read here");
  put(folder_ / "log", "my notes\n");
  expect({"train", "language", "--train", path("text"), "--out", path("m"), "--max-updates", "1",
          "--log-json", path("log")},
         2, "--log-json " + path("log") + ": is there already and is not the log of a training");
  EXPECT_EQ(get(folder_ / "log"), "my notes\n");
  std::filesystem::create_directory(folder_ / "m");
  put(folder_ / "m" / "labels.tsv", "good\ta\nbad\tb\n");
  expect({"train", "classify", "--train", path("m/labels.tsv"), "--out", path("m"), "--max-updates",
          "1"},
         2, "training would write over it, and reads it");
}

// Each mistake is found although the data do not even exist, which is found next.
TEST_F(NothingLost, OptionsAreCheckedBeforeTheDataAreRead) {
  const auto training = [&](const std::vector<std::string>& more) {
    std::vector<std::string> words = {"train",        "translate",        "--train",
                                      path("absent"), "--valid-fraction", "0.1",
                                      "--out",        path("a/model")};
    words.insert(words.end(), more.begin(), more.end());
    return words;
  };
  const std::vector<std::string> limit = {"--max-updates", "1"};
  expect(training(limit), 3, "absent");
  expect(training({"--patience", "0"}), 2, "training would never end");
  expect(training({"--max-updates", "1", "--width", "100", "--heads", "7"}), 2,
         "width 100 does not divide into 7 heads");
  expect(training({"--max-updates", "1", "--attention", "aditive"}), 2, "additive");
  // The widths of this preset do not suit scaled_dot: that is said last.
  for (const auto& [written, part] :
       {std::pair("scaled_dot | window(-1)", "window"),
        std::pair("scaled_dot | full | topk_softmax(k=0)", "topk_softmax"),
        std::pair("scaled_dot | full | entmax(alfa=1.5)", "alpha"),
        std::pair("scaled_dot", "take a score that has weights between them")}) {
    const ProgramResult result =
        expect(training({"--max-updates", "1", "--preset", "rnn-additive", "--hidden", "32",
                         "--encoder-hidden", "48", "--attention", written}),
               2, part);
    EXPECT_EQ(result.err.find("make them equal") != std::string::npos,
              written == std::string("scaled_dot"))
        << result.err;
  }
  EXPECT_FALSE(std::filesystem::exists(folder_ / "a")) << "a failed start leaves nothing behind";
}

TEST_F(NothingLost, AStartThatFailsOnItsDataLeavesNothingBehind) {
  std::string lines;
  for (int i = 0; i < 50; ++i) lines += i % 2 == 0 ? "good\tthe cat\n" : "bad\tthe dog\n";
  put(folder_ / "train.tsv", lines);
  put(folder_ / "valid.tsv", "ugly\tthe cat\n");
  for (const char* out : {"m", "deep/er/m"}) {
    const ProgramResult result =
        run_heed({"train", "classify", "--train", path("train.tsv"), "--valid", path("valid.tsv"),
                  "--max-updates", "1", "--out", path(out)});
    EXPECT_NE(result.exit_code, 0);
  }
  // One that fails in its first update: with --too-long fail the first batch is too long.
  expect({"train", "classify", "--train", path("train.tsv"), "--max-length", "1", "--too-long",
          "fail", "--max-updates", "1", "--out", path("m")},
         3, "train.tsv");
  EXPECT_FALSE(std::filesystem::exists(folder_ / "m"));
  EXPECT_FALSE(std::filesystem::exists(folder_ / "deep"));
  // A folder that was there stays, with what is in it.
  std::filesystem::create_directory(folder_ / "kept");
  put(folder_ / "kept" / "notes", "mine");
  expect({"train", "classify", "--train", path("train.tsv"), "--max-length", "1", "--too-long",
          "fail", "--max-updates", "1", "--out", path("kept")},
         3, "train.tsv");
  EXPECT_EQ(get(folder_ / "kept" / "notes"), "mine");
}

using AttendFiles = HeedAttend;

TEST_F(AttendFiles, WarnsOfNanNamesMissingTensorsAndSparesItsInput) {
  inputs = {{"query", wavy({2, 4})}, {"keys", wavy({3, 4})}, {"values", wavy({3, 4})}};
  inputs["keys"].values[5] = std::nanf("");
  const ProgramResult nan = run("scaled_dot");
  EXPECT_EQ(nan.exit_code, 0) << nan.err;
  EXPECT_NE(nan.err.find("warning: "), std::string::npos) << nan.err;
  EXPECT_NE(nan.err.find("1 of the values of \"keys\" is NaN"), std::string::npos) << nan.err;
  EXPECT_EQ(run("scaled_dot").exit_code, 0) << "its own output may be replaced";
  const std::string input = path_of("in.safetensors");
  const ProgramResult same =
      run_heed({"attend", "scaled_dot", "--input", input, "--output", input});
  EXPECT_EQ(same.exit_code, 2) << same.err;
  inputs.erase("values");
  const ProgramResult missing = run("scaled_dot");
  EXPECT_EQ(missing.exit_code, 3) << "the file is bad";
  EXPECT_NE(missing.err.find("no tensor values"), std::string::npos) << missing.err;
  inputs["values"] = wavy({3, 4});
  inputs["keys"] = wavy({3, 4});
  EXPECT_EQ(run("additive").exit_code, 3) << "so is one without the parameters";
}

}  // namespace
}  // namespace heed::test
