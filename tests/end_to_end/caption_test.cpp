// SPDX-License-Identifier: Apache-2.0
// Captioners as their user meets them: train, caption, draw, measure, resume, and what mistakes
// get.
#include <gtest/gtest.h>

#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>

#include "run_program.h"

namespace heed::test {
namespace {

using nlohmann::json;

bool tells(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

ProgramResult train_small_captioner(const std::string& out, const std::string& more) {
  std::vector<std::string> words = words_of(
      "train caption --threads 1 --stages 4:3:4 6:3:2 --hidden 12 --embedding 8 --batch 8 " + more);
  words.insert(words.end(), {"--out", out});
  return run_heed(words);
}

class HeedCaption : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    folder_ = std::make_unique<TemporaryFolder>();
    ASSERT_EQ(run_heed({"corpus", "scenes", "--out", path("scenes"), "--size", "46"}).exit_code, 0);
    const ProgramResult soft =
        train_small_captioner(path("soft"), "--max-updates 5 --scenes 40 --valid-scenes 6");
    ASSERT_EQ(soft.exit_code, 0) << soft.err;
    EXPECT_TRUE(tells(soft.out, "Read 40 pictures with captions.")) << soft.out;
  }
  static void TearDownTestSuite() { folder_.reset(); }
  static std::string path(const std::string& name) { return (*folder_ / name).string(); }

  static inline std::unique_ptr<TemporaryFolder> folder_;
};

TEST_F(HeedCaption, LearnsFromFilesAndGoesOn) {
  const std::string files = "--data " + path("scenes") + " --preset scenes-hard --max-updates ";
  ASSERT_EQ(train_small_captioner(path("files"), files + "3").exit_code, 0);
  const ProgramResult more = train_small_captioner(path("files"), files + "5");
  EXPECT_EQ(more.exit_code, 0) << more.err;
  const ProgramResult compared =
      run_heed({"compare", path("files"), path("soft"), "--data",
                path("scenes") + "/test.captions.tsv", "--threads", "1"});
  EXPECT_EQ(compared.exit_code, 0) << compared.err;
  EXPECT_TRUE(tells(compared.out, "exact %")) << compared.out;
  EXPECT_EQ(run_heed({"describe", path("files")}).exit_code, 0);
}

TEST_F(HeedCaption, CaptionsShowsDrawsAndMeasures) {
  const ProgramResult shown =
      run_heed({"caption", path("soft"), "--sample", "2", "--show", "--draw", path("words.svg"),
                "--trace", path("trace.json"), "--threads", "1"});
  ASSERT_EQ(shown.exit_code, 0) << shown.err;
  EXPECT_TRUE(tells(shown.out, "scene 2, probability")) << shown.out;
  EXPECT_TRUE(tells(get(path("words.svg")), "<svg"));
  EXPECT_EQ(run_heed({"view", path("trace.json")}).exit_code, 0);
  const ProgramResult file =
      run_heed({"caption", path("soft"), "--input", path("scenes") + "/test/00001.png", "--json"});
  ASSERT_EQ(file.exit_code, 0) << file.err;
  EXPECT_EQ(json::parse(file.out).size(), 1u);
  const ProgramResult measured =
      run_heed({"caption", path("soft"), "--measure", "4", "--json", "--threads", "1"});
  ASSERT_EQ(measured.exit_code, 0) << measured.err;
  EXPECT_EQ(json::parse(measured.out).size(), 3u);
  const ProgramResult table =
      run_heed({"caption", path("soft"), "--data", path("scenes") + "/test.captions.tsv"});
  EXPECT_TRUE(tells(table.out, "test.captions.tsv")) << table.err;
}

TEST_F(HeedCaption, SaysWhatIsWrong) {
  EXPECT_TRUE(tells(run_heed({"caption", path("soft")}).err, "nothing to read"));
  EXPECT_TRUE(tells(run_heed({"caption", path("soft"), "--sample", "1", "--draw", "x.gif"}).err,
                    ".svg or .png"));
  put(*folder_ / "x.png", "no picture");
  EXPECT_TRUE(tells(run_heed({"caption", path("soft"), "--input", path("x.png")}).err, "x.png"));
  std::filesystem::create_directory(*folder_ / "bad");
  put(*folder_ / "bad" / "train.captions.tsv", "1.png\ta cat\n");
  EXPECT_TRUE(
      tells(train_small_captioner(path("bad out"), "--max-updates 1 --data " + path("bad")).err,
            "train.captions.tsv:1: there is no picture"));
}

}  // namespace
}  // namespace heed::test
