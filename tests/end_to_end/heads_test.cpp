// SPDX-License-Identifier: Apache-2.0
// Heads and layers as their user meets them: what heads do, how few will do, what layers know, and
// what mistakes get.
#include <gtest/gtest.h>

#include <memory>
#include <nlohmann/json.hpp>

#include "run_program.h"

namespace heed::test {
namespace {

using nlohmann::json;

// The built-in corpus `agreement`, and a small Transformer that learnt from it.
class HeedHeads : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    folder_ = std::make_unique<TemporaryFolder>();
    const ProgramResult corpus =
        run_heed({"corpus", "agreement", "--size", "1500", "--out", data()});
    ASSERT_EQ(corpus.exit_code, 0) << corpus.err;
    const ProgramResult trained = run_heed({"train",
                                            "classify",
                                            "--train",
                                            data() + "/train.tsv",
                                            "--valid",
                                            data() + "/valid.tsv",
                                            "--encoder",
                                            "transformer",
                                            "--width",
                                            "16",
                                            "--heads",
                                            "2",
                                            "--inner",
                                            "32",
                                            "--max-updates",
                                            "120",
                                            "--validate-every",
                                            "60",
                                            "--learning-rate",
                                            "0.005",
                                            "--out",
                                            model()});
    ASSERT_EQ(trained.exit_code, 0) << trained.err;
  }
  static void TearDownTestSuite() { folder_.reset(); }

  static std::string data() { return (*folder_ / "data").string(); }
  static std::string model() { return (*folder_ / "model").string(); }
  static std::string file(const std::string& name) { return (*folder_ / name).string(); }

  static inline std::unique_ptr<TemporaryFolder> folder_;
};

TEST_F(HeedHeads, AreDescribedWithLinksAndPruned) {
  const ProgramResult found = run_heed(
      {"heads", "--model", model(), "--data", data() + "/test.tsv", "--links",
       data() + "/test.heads", "--examples", "40", "--prune", "--gate-steps", "20", "--svg",
       file("heads.svg"), "--png", file("heads.png"), "--curve", file("curve.svg"), "--json"});
  ASSERT_EQ(found.exit_code, 0) << found.err;
  const json survey = json::parse(found.out);
  EXPECT_EQ(survey["examples"], 40);
  ASSERT_EQ(survey["heads"].size(), 3u) << "two of the encoder, one that pools";
  const json& head = survey["heads"][0];
  EXPECT_EQ(head["set"], "encoder self");
  EXPECT_GT(head["importance"].get<double>(), 0);
  EXPECT_GT(head["to_head"]["queries"].get<int>(), 40);
  EXPECT_GT(head["to_head"]["by_distance"].get<double>(), 0);
  EXPECT_LT(head["merging"]["queries"].get<int>(), 40) << "words are whole but for their commas";
  ASSERT_EQ(survey["pruning"].size(), 3u);
  EXPECT_EQ(survey["pruning"][0]["steps"].back()["heads"], 0);
  for (const char* name : {"heads.svg", "heads.png", "curve.svg"}) {
    EXPECT_GT(std::filesystem::file_size(file(name)), 500u) << name;
  }
  const ProgramResult text =
      run_heed({"heads", "--model", model(), "--data", data() + "/test.tsv", "--examples", "5"});
  ASSERT_EQ(text.exit_code, 0) << text.err;
  EXPECT_NE(text.out.find("encoder self 0.1"), std::string::npos) << text.out;
  EXPECT_EQ(text.out.find("nan"), std::string::npos) << text.out;
}

TEST_F(HeedHeads, MistakesSayWhatWouldBeRight) {
  const ProgramResult curve = run_heed(
      {"heads", "--model", model(), "--data", data() + "/test.tsv", "--curve", file("none.svg")});
  EXPECT_EQ(curve.exit_code, 2);
  EXPECT_NE(curve.err.find("--curve: it draws what --prune finds"), std::string::npos) << curve.err;
  const ProgramResult links = run_heed({"heads", "--model", model(), "--data", data() + "/test.tsv",
                                        "--examples", "2", "--links", data() + "/test.tsv"});
  EXPECT_NE(links.exit_code, 0);
  EXPECT_NE(links.err.find("test.tsv:1"), std::string::npos) << links.err;
}

TEST_F(HeedHeads, LayersAreProbed) {
  const ProgramResult found =
      run_heed({"probe", "--model", model(), "--data", data() + "/test.tsv", "--labels",
                data() + "/test.parts", "--epochs", "4", "--json", "--svg", file("layers.svg")});
  ASSERT_EQ(found.exit_code, 0) << found.err;
  const json probing = json::parse(found.out);
  ASSERT_EQ(probing["layers"].size(), 1u);
  const json& linear = probing["layers"][0]["linear"];
  EXPECT_GT(linear["accuracy"].get<double>(), probing["commonest"].get<double>() + .2);
  EXPECT_GT(linear["compression"].get<double>(), 1);
  const ProgramResult depth = run_heed(
      {"probe", "--model", model(), "--data", data() + "/test.tsv", "--label", "depth", "--links",
       data() + "/test.heads", "--of", "attention", "--epochs", "1", "--most-words", "200"});
  ASSERT_EQ(depth.exit_code, 0) << depth.err;
  EXPECT_NE(depth.out.find("encoder self 0"), std::string::npos) << depth.out;
  const ProgramResult wrong = run_heed({"probe", "--model", model(), "--data", data() + "/test.tsv",
                                        "--labels", data() + "/test.tsv"});
  EXPECT_NE(wrong.exit_code, 0);
  EXPECT_NE(wrong.err.find("test.tsv:1: "), std::string::npos) << wrong.err;
}

}  // namespace
}  // namespace heed::test
