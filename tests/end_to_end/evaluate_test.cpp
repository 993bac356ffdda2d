// SPDX-License-Identifier: Apache-2.0
// The verb `evaluate` as a user meets it: scores, comparisons, pictures, and what mistakes get.
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "run_program.h"

namespace heed::test {
namespace {

using nlohmann::json;

class HeedEvaluate : public testing::Test {
 protected:
  std::string file(std::string_view name, std::string_view content) {
    put(folder_ / name, content);
    return (folder_ / name).string();
  }
  const TemporaryFolder folder_;
  const std::string references_ =
      file("ref", "the cat sat on the mat\nIt isn't here.\na b c d e f\n");
  const std::string good_ = file("good", "the cat sat on the mat\nIt isn't here.\na b c d e f\n");
  const std::string bad_ = file("bad", "the cat the on the mat\nIt isn't there.\na b c f e d\n");
  const std::string source_ = file("src", "1 2 3 4 5 6\n1 2\n1 2 3 4 5 6 7\n");
};

TEST_F(HeedEvaluate, PrintsScoresAndTheirSignatures) {
  const ProgramResult result =
      run_heed({"evaluate", "--hypotheses", bad_, "--references", references_});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_TRUE(result.out.starts_with("BLEU = ")) << result.out;
  EXPECT_NE(result.out.find("hyp_len = 16 ref_len = 16)\nchrF2 = "), std::string::npos)
      << result.out;
  EXPECT_NE(result.out.find("\nexact match = 0.00% of 3\n"), std::string::npos) << result.out;
  EXPECT_NE(result.out.find("\nBLEU nrefs:1|case:mixed|eff:no|tok:13a|smooth:exp|version:heed-"),
            std::string::npos);
}

TEST_F(HeedEvaluate, OverlooksCapitalsWhenItIsTold) {
  const std::string shouted =
      file("shouted", "THE CAT SAT ON THE MAT\nIT ISN'T HERE.\nA B C D E F\n");
  for (const auto& [option, exact] :
       {std::pair("--no-lower-case", "0.00"), std::pair("--lower-case", "100.00")}) {
    const ProgramResult result =
        run_heed({"evaluate", "--hypotheses", shouted, "--references", references_, option});
    ASSERT_EQ(result.exit_code, 0) << result.err;
    EXPECT_NE(result.out.find(std::string("\nexact match = ") + exact), std::string::npos)
        << result.out;
  }
}

TEST_F(HeedEvaluate, ComparesSystemsByLengthAndDrawsThem) {
  const std::string svg = (folder_ / "p.svg").string();
  const ProgramResult result = run_heed(
      {"evaluate", "--hypotheses", bad_, good_, "--names", "worse", "better", "--references",
       references_, "--source", source_, "--by-length", "--svg", svg, "--trained-length", "5"});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_NE(result.out.find("better against worse: BLEU +"), std::string::npos) << result.out;
  EXPECT_NE(result.out.find("words  sentences  worse  better\n"), std::string::npos) << result.out;
  EXPECT_NE(result.out.find(" 6-10          2  "), std::string::npos) << result.out;
  const std::string picture = get(svg);
  EXPECT_TRUE(picture.starts_with("<svg ") && picture.ends_with("</svg>\n<!-- heed -->\n"));
  EXPECT_NE(picture.find("longer than in training"), std::string::npos);
}

TEST_F(HeedEvaluate, GivesJson) {
  const ProgramResult result =
      run_heed({"evaluate", "--hypotheses", good_, bad_, "--references", references_, "--source",
                source_, "--by-length", "--samples", "100", "--json"});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const json found = json::parse(result.out);
  EXPECT_EQ(found["systems"][0]["exact"], 1.0);
  EXPECT_NEAR(found["systems"][0]["bleu"]["score"].get<double>(), 100, 1e-9);
  EXPECT_EQ(found["systems"][1]["by_length"][0]["sentences"], 1);
  EXPECT_LT(found["comparisons"][0]["difference"].get<double>(), 0);
  EXPECT_EQ(found["comparisons"][0]["wins"], 0.0);
}

TEST_F(HeedEvaluate, ScoresAlignmentsAlone) {
  const std::string found = file("a", "0-0 1-1 2-2 3-0\n");
  const std::string gold = file("g", "1-1 2-2 3p3 4-4\n");
  const ProgramResult result =
      run_heed({"evaluate", "--alignments", found, "--gold", gold, "--gold-first", "1"});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(result.out, "alignment error rate = 0.2857 (precision = 0.7500 recall = 0.6667)\n");
  const std::string broken = file("b", "0:0\n");
  const ProgramResult bad = run_heed({"evaluate", "--alignments", broken, "--gold", gold});
  EXPECT_EQ(bad.exit_code, 3);
  EXPECT_NE(bad.err.find(broken + ":1: \"0:0\" is not a link"), std::string::npos) << bad.err;
}

TEST_F(HeedEvaluate, NamesBothFilesWhenTheirCountsDiffer) {
  const std::string shorter = file("short", "one\ntwo\n");
  const ProgramResult result =
      run_heed({"evaluate", "--hypotheses", shorter, "--references", references_});
  EXPECT_EQ(result.exit_code, 3);
  EXPECT_EQ(result.err, "heed evaluate: " + shorter + " has 2 lines, " + references_ +
                            " has 3; each line of one belongs to one of the other\n");
  const std::string empty = file("empty", "");
  const ProgramResult nothing =
      run_heed({"evaluate", "--hypotheses", empty, "--references", references_});
  EXPECT_EQ(nothing.exit_code, 3);
  EXPECT_NE(nothing.err.find("is empty"), std::string::npos) << nothing.err;
}

TEST_F(HeedEvaluate, SaysWhichOptionIsMissing) {
  const auto error = [](std::vector<std::string> words) {
    words.insert(words.begin(), "evaluate");
    const ProgramResult result = run_heed(words);
    EXPECT_EQ(result.exit_code, 2) << result.err;
    return result.err;
  };
  EXPECT_NE(error({}).find("--hypotheses"), std::string::npos);
  EXPECT_NE(error({"--hypotheses", good_}).find("--references"), std::string::npos);
  EXPECT_NE(error({"--hypotheses", good_, "--references", references_, "--by-length"})
                .find("needs --source"),
            std::string::npos);
  EXPECT_NE(error({"--hypotheses", "-", "--references", "-"}).find("read once"), std::string::npos);
  EXPECT_NE(error({"--hypotheses", good_, "--references", references_, "--names", "a", "b"})
                .find("2 names for 1 systems"),
            std::string::npos);
}

}  // namespace
}  // namespace heed::test
