// SPDX-License-Identifier: Apache-2.0
// Questions on pictures as their user meets them: train, ask, draw, measure, resume, mistakes.
#include <gtest/gtest.h>

#include <memory>
#include <nlohmann/json.hpp>

#include "run_program.h"

namespace heed::test {
namespace {

using nlohmann::json;

bool says(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

class HeedVisual : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    folder_ = std::make_unique<TemporaryFolder>();
    ASSERT_EQ(run_heed({"corpus", "scenes", "--out", path("scenes"), "--size", "46"}).exit_code, 0);
    const ProgramResult trained = train("3");
    ASSERT_EQ(trained.exit_code, 0) << trained.err;
    EXPECT_TRUE(says(trained.out, "Read 40 pictures with 80 questions.")) << trained.out;
  }
  static void TearDownTestSuite() { folder_.reset(); }
  static std::string path(const std::string& name) { return (*folder_ / name).string(); }
  static ProgramResult train(const std::string& updates) {
    return run_heed({"train", "visual", "--threads", "1", "--stages", "4:3:4", "6:3:2", "--hidden",
                     "12", "--embedding", "8", "--batch", "8", "--data", path("scenes"),
                     "--max-updates", updates, "--out", path("model")});
  }

  static inline std::unique_ptr<TemporaryFolder> folder_;
};

TEST_F(HeedVisual, DrawsTheEllipsesOfContinuousLooksAndOfNoOthers) {
  const char* const colour = "#22d3ee";
  const auto drawn = [&](const std::string& model) {
    const ProgramResult asked = run_heed(
        {"visual", model, "--sample", "1", "--draw", path("ellipses.svg"), "--threads", "1"});
    EXPECT_EQ(asked.exit_code, 0) << asked.err;
    return get(path("ellipses.svg"));
  };
  const ProgramResult trained = run_heed({"train",
                                          "visual",
                                          "--threads",
                                          "1",
                                          "--stages",
                                          "4:3:4",
                                          "6:3:2",
                                          "--hidden",
                                          "12",
                                          "--embedding",
                                          "8",
                                          "--batch",
                                          "8",
                                          "--data",
                                          path("scenes"),
                                          "--max-updates",
                                          "2",
                                          "--attention",
                                          "continuous_grid(columns=6, centres=5, width=0.2)",
                                          "--out",
                                          path("wide")});
  ASSERT_EQ(trained.exit_code, 0) << trained.err;
  EXPECT_TRUE(says(drawn(path("wide")), colour));
  EXPECT_FALSE(says(drawn(path("model")), colour));
}

TEST_F(HeedVisual, AnswersShowsDrawsMeasuresAndGoesOn) {
  EXPECT_EQ(train("5").exit_code, 0);
  const ProgramResult asked =
      run_heed({"visual", path("model"), "--input", path("scenes") + "/test/00001.png",
                "--question", "what colour is the zebra ?", "--show", "--draw", path("looks.svg"),
                "--trace", path("trace.json"), "--threads", "1"});
  ASSERT_EQ(asked.exit_code, 0) << asked.err;
  EXPECT_TRUE(says(asked.out, "words it does not know: zebra")) << asked.out;
  EXPECT_TRUE(says(get(path("looks.svg")), "<svg"));
  EXPECT_EQ(run_heed({"view", path("trace.json")}).exit_code, 0);
  const ProgramResult sample = run_heed({"visual", path("model"), "--sample", "2", "--json"});
  ASSERT_EQ(sample.exit_code, 0) << sample.err;
  EXPECT_EQ(json::parse(sample.out).size(), 4u);
  const ProgramResult measured = run_heed({"visual", path("model"), "--measure", "4", "--json"});
  ASSERT_EQ(measured.exit_code, 0) << measured.err;
  EXPECT_EQ(json::parse(measured.out).size(), 3u);
  const ProgramResult table =
      run_heed({"visual", path("model"), "--data", path("scenes") + "/test.questions.tsv"});
  EXPECT_TRUE(says(table.out, "test.questions.tsv: 8 questions")) << table.out << table.err;
  EXPECT_EQ(run_heed({"describe", path("model")}).exit_code, 0);
}

TEST_F(HeedVisual, SaysWhatIsWrong) {
  EXPECT_TRUE(says(run_heed({"visual", path("model")}).err, "nothing to answer"));
  EXPECT_TRUE(says(run_heed({"visual", path("model"), "--input", "x.png"}).err,
                   "--input and --question belong together"));
  EXPECT_TRUE(says(run_heed({"visual", path("model"), "--sample", "1", "--draw", "x.gif"}).err,
                   ".svg or .png"));
}

}  // namespace
}  // namespace heed::test
