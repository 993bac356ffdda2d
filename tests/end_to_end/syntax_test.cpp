// SPDX-License-Identifier: Apache-2.0
// Syntactic attention as its user meets it: trees learnt from those that are known, found in texts,
// counted, and what mistakes get.
#include <gtest/gtest.h>

#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>

#include "heed/base/file.h"
#include "run_program.h"

namespace heed::test {
namespace {

using nlohmann::json;

// Beginnings of sentences with their trees, and a model that learnt from both.
class HeedSyntax : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    folder_ = std::make_unique<TemporaryFolder>();
    const ProgramResult corpus =
        run_heed({"corpus", "agreement", "--size", "3000", "--out", data()});
    ASSERT_EQ(corpus.exit_code, 0) << corpus.err;
    EXPECT_NE(corpus.out.find("heads as .heads"), std::string::npos) << corpus.out;
    const ProgramResult trained = train("bilinear | full | tree",
                                        "--max-updates 200 --validate-every 100 --trees " + data() +
                                            "/train.heads --valid-trees " + data() + "/valid.heads",
                                        model());
    ASSERT_EQ(trained.exit_code, 0) << trained.err;
    EXPECT_NE(trained.out.find("attachment"), std::string::npos) << trained.out;
  }
  static void TearDownTestSuite() { folder_.reset(); }

  static std::string data() { return (*folder_ / "data").string(); }
  static std::string model() { return (*folder_ / "model").string(); }
  static ProgramResult train(const std::string& syntax, const std::string& more,
                             const std::string& out) {
    return run_heed(
        words_of("train classify --encoder rnn --embedding 24 --hidden 24 "
                 "--learning-rate 0.01 --batch-sentences 32 " +
                     more,
                 {"--train", data() + "/train.tsv", "--valid", data() + "/valid.tsv", "--syntax",
                  syntax, "--out", out}));
  }

  static std::unique_ptr<TemporaryFolder> folder_;
};

std::unique_ptr<TemporaryFolder> HeedSyntax::folder_;

TEST_F(HeedSyntax, FindsTheTreesThatItLearntFrom) {
  const ProgramResult judged =
      run_heed({"classify", "--model", model(), "--data", data() + "/test.tsv", "--trees",
                data() + "/test.heads", "--json"});
  ASSERT_EQ(judged.exit_code, 0) << judged.err;
  const json trees = json::parse(judged.out).at("trees");
  EXPECT_GT(trees.at("attachment").get<double>(), .9) << judged.out;
  EXPECT_LT(trees.at("left_branching").get<double>(), .8);
  EXPECT_LT(trees.at("right_branching").get<double>(), .8);
  const ProgramResult said = run_heed({"classify", "--model", model(), "--data",
                                       data() + "/test.tsv", "--trees", data() + "/test.heads"});
  EXPECT_NE(said.out.find("trees: "), std::string::npos) << said.out;
}

TEST_F(HeedSyntax, TellsTheHeadsOfNewTexts) {
  const std::string input = (*folder_ / "input").string();
  write_atomically(input, "The keys near the door\n");
  const ProgramResult told = run_heed({"classify", "--model", model(), "--json", "--input", input});
  ASSERT_EQ(told.exit_code, 0) << told.err;
  EXPECT_EQ(json::parse(told.out).at("heads"), json({1, 1, 1, 4, 2})) << told.out;
}

TEST_F(HeedSyntax, SaysWhatIsWrongWithTrees) {
  const auto refused = [&](const std::string& syntax, const std::string& more,
                           std::string_view said) {
    const std::string out = (*folder_ / "none").string();
    const ProgramResult result = train(syntax, more, out);
    EXPECT_NE(result.exit_code, 0);
    EXPECT_NE(result.err.find(said), std::string::npos) << result.err;
    EXPECT_FALSE(std::filesystem::exists(out));
  };
  const std::string tree = "bilinear | full | tree";
  const std::string known = "--trees " + data() + "/train.heads";
  refused(tree, "--trees " + data() + "/valid.heads", "it takes one for each");
  refused("bilinear", known, "has no trees");
  refused("", known, "name a mechanism");
  refused(tree, "--documents", "leave out --documents");
  const ProgramResult without =
      run_heed({"classify", "--model", model(), "--trees", data() + "/test.heads"});
  EXPECT_EQ(without.exit_code, 2);
  EXPECT_NE(without.err.find("--data"), std::string::npos) << without.err;
}

}  // namespace
}  // namespace heed::test
