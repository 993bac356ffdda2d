// SPDX-License-Identifier: Apache-2.0
// Classifiers and masked words as their user meets them: train, judge, highlight, fill, and what
// mistakes get.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>

#include "heed/base/file.h"
#include "heed/base/text.h"
#include "run_program.h"

namespace heed::test {
namespace {

using nlohmann::json;

bool holds(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

// The built-in corpus `reviews`, and a model trained on it once for all tests.
class HeedClassify : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    folder_ = std::make_unique<TemporaryFolder>();
    const ProgramResult corpus = run_heed({"corpus", "reviews", "--size", "3000", "--out", data()});
    ASSERT_EQ(corpus.exit_code, 0) << corpus.err;
    const ProgramResult trained = run_heed({"train",
                                            "classify",
                                            "--train",
                                            data() + "/train.tsv",
                                            "--valid",
                                            data() + "/valid.tsv",
                                            "--aspects",
                                            "location",
                                            "cleanliness",
                                            "service",
                                            "--preset",
                                            "cnn",
                                            "--keys",
                                            "words",
                                            "--hidden",
                                            "48",
                                            "--embedding",
                                            "32",
                                            "--learning-rate",
                                            "0.005",
                                            "--dropout",
                                            "0.2",
                                            "--max-updates",
                                            "400",
                                            "--validate-every",
                                            "200",
                                            "--out",
                                            model()});
    ASSERT_EQ(trained.exit_code, 0) << trained.err;
    EXPECT_TRUE(holds(trained.out, "the best model: accuracy ")) << trained.out;
  }
  static void TearDownTestSuite() { folder_.reset(); }

  static std::string data() { return (*folder_ / "data").string(); }
  static std::string model() { return (*folder_ / "model").string(); }

  static inline std::unique_ptr<TemporaryFolder> folder_;
};

TEST_F(HeedClassify, JudgesReviewsAndLooksAtTheEvidence) {
  const ProgramResult judged =
      run_heed({"classify", "--model", model(), "--data", data() + "/test.tsv", "--evidence",
                data() + "/test.evidence", "--json"});
  ASSERT_EQ(judged.exit_code, 0) << judged.err;
  std::size_t aspects = 0;
  for (const std::string_view line : split(judged.out, '\n')) {
    if (line.empty()) continue;
    const json aspect = json::parse(line);
    EXPECT_GE(aspect["accuracy"], .9) << line;
    EXPECT_GE(aspect["evidence_found"], .95) << line;
    ++aspects;
  }
  EXPECT_EQ(aspects, 3u);
}

TEST_F(HeedClassify, KnowsNoShareOfEvidenceWhereThereIsNone) {
  put(*folder_ / "few.tsv", "good\tbad\tnone\tA quiet street, dirty rooms.\n");
  put(*folder_ / "few.evidence", "2\t\t\n");
  const std::vector<std::string> command = {"classify",
                                            "--model",
                                            model(),
                                            "--data",
                                            (*folder_ / "few.tsv").string(),
                                            "--evidence",
                                            (*folder_ / "few.evidence").string()};
  const ProgramResult judged = run_heed(command);
  ASSERT_EQ(judged.exit_code, 0) << judged.err;
  EXPECT_TRUE(holds(judged.out, "evidence in n/a of the texts")) << judged.out;
  put(*folder_ / "few.evidence", "5\t\t\n");
  const ProgramResult outside = run_heed(command);
  EXPECT_EQ(outside.exit_code, 3);
  EXPECT_TRUE(holds(outside.err, "few.evidence:1: there is no word 5: its text has 5 words"))
      << outside.err;
}

TEST_F(HeedClassify, PrintsATableOfWhatWasTakenForWhat) {
  const ProgramResult judged =
      run_heed({"classify", "--model", model(), "--data", data() + "/test.tsv"});
  ASSERT_EQ(judged.exit_code, 0) << judged.err;
  EXPECT_TRUE(holds(judged.out, "location\n120 texts, accuracy ")) << judged.out;
  EXPECT_TRUE(holds(judged.out, "true \\ found")) << judged.out;
}

TEST_F(HeedClassify, ReadsTheTextsOfATable) {
  put(*folder_ / "lines.txt", "The receptionist was awful.\nDirty rooms, really.\n\n");
  put(*folder_ / "export.csv",
      "\xEF\xBB\xBFid,remark\r\n1,The receptionist was awful.\r\n2,\"Dirty "
      "rooms,\r\nreally.\"\r\n3,\r\n");
  put(*folder_ / "export.jsonl",
      "{\"text\": \"The receptionist was awful.\"}\n{\"text\": \"Dirty rooms, really.\"}\n"
      "{\"text\": \"\"}\n");
  const auto classified = [](std::vector<std::string> options) {
    options.insert(options.begin(), {"classify", "--model", model(), "--input"});
    return run_heed(options);
  };
  const ProgramResult lines = classified({(*folder_ / "lines.txt").string()});
  ASSERT_EQ(lines.exit_code, 0) << lines.err;
  const ProgramResult table =
      classified({(*folder_ / "export.csv").string(), "--text-column", "remark"});
  EXPECT_EQ(table.out, lines.out) << table.err;
  const ProgramResult objects = classified({(*folder_ / "export.jsonl").string()});
  EXPECT_EQ(objects.out, lines.out) << objects.err;

  const ProgramResult unsaid = classified({(*folder_ / "export.csv").string()});
  EXPECT_EQ(unsaid.exit_code, 3);
  EXPECT_TRUE(holds(unsaid.err,
                    "export.csv:1: 2 columns where each line must be TEXT; say which "
                    "one to read with --text-column"))
      << unsaid.err;
  const ProgramResult labelled =
      classified({(*folder_ / "lines.txt").string(), "--format", "trees"});
  EXPECT_EQ(labelled.exit_code, 2);
  EXPECT_TRUE(holds(labelled.err, "--format: it is of labelled texts, which are given with --data"))
      << labelled.err;
}

TEST_F(HeedClassify, TellsWhetherAFewWordsExplainIt) {
  const std::vector<std::string> command = {"communicate",
                                            "--model",
                                            model(),
                                            "--train",
                                            data() + "/train.tsv",
                                            "--data",
                                            data() + "/test.tsv",
                                            "--aspect",
                                            "cleanliness",
                                            "--words",
                                            "3",
                                            "--json",
                                            "--explainers",
                                            "random",
                                            "attention"};
  const ProgramResult found = run_heed(command);
  ASSERT_EQ(found.exit_code, 0) << found.err;
  const std::vector<std::string_view> lines = split(trim(found.out), '\n');
  ASSERT_EQ(lines.size(), 2u) << found.out;
  const json random = json::parse(lines[0]), attention = json::parse(lines[1]);
  EXPECT_GE(attention["success"], random["success"].get<double>() + .2) << found.out;

  const ProgramResult unknown =
      run_heed({"communicate", "--model", model(), "--train", data() + "/train.tsv", "--data",
                data() + "/test.tsv", "--aspect", "servise"});
  EXPECT_EQ(unknown.exit_code, 2);
  EXPECT_TRUE(holds(unknown.err, "--aspect servise: no such aspect (did you mean \"service\"?)"))
      << unknown.err;
}

TEST_F(HeedClassify, ExplainsAnAnswerBySeveralExplainers) {
  const std::string text = "the staff was rude and we arrived by train";
  const std::vector<std::string> command = {
      "explain",   "--model",          model(),  "--text",   text,
      "--aspect",  "service",          "--json", "--method", "leave_one_out",
      "attention", "shapley(exact=9)", "uniform"};
  const ProgramResult found = run_heed(command);
  ASSERT_EQ(found.exit_code, 0) << found.err;
  const json explained = json::parse(found.out);
  EXPECT_EQ(explained["target"], "service = bad");
  ASSERT_EQ(explained["words"].size(), 9u);
  for (const std::size_t method : {0, 2}) {
    const std::vector<double> shares = explained["methods"][method]["shares"];
    const auto most = std::ranges::max_element(shares) - shares.begin();
    EXPECT_TRUE(most == 1 || most == 3) << found.out << "staff or rude";
  }
  EXPECT_EQ(explained["agreement"].size(), 6u);
  EXPECT_TRUE(explained["agreement"][3]["tau"].is_null()) << "uniform has no order";

  const ProgramResult shown =
      run_heed({"explain", "--model", model(), "--text", text, "--aspect", "service"});
  EXPECT_EQ(shown.exit_code, 0) << shown.err;
  EXPECT_TRUE(holds(shown.out, "service = bad, probability ")) << shown.out;
  EXPECT_TRUE(holds(shown.out, "Kendall's tau")) << shown.out;
  const ProgramResult wrong = run_heed(
      {"explain", "--model", model(), "--text", text, "--aspect", "service", "--target", "bed"});
  EXPECT_EQ(wrong.exit_code, 2);
  EXPECT_TRUE(holds(wrong.err, "--target bed: no such class (did you mean \"bad\"?)")) << wrong.err;
  EXPECT_EQ(run_heed({"explain", "--model", model()}).exit_code, 2);
  EXPECT_TRUE(holds(run_heed({"explain", "--methods"}).out, "integrated_gradients"));
}

TEST_F(HeedClassify, AuditsItsAttention) {
  const ProgramResult found = run_heed({"audit", "--model", model(), "--data", data() + "/test.tsv",
                                        "--aspect", "service", "--texts", "40", "--json"});
  ASSERT_EQ(found.exit_code, 0) << found.err;
  const json audit = json::parse(found.out);
  EXPECT_EQ(audit["texts"], 40);
  ASSERT_EQ(audit["agreement"].size(), 3u) << "two explainers and a random order";
  // Words of no weight beside those that decide: erasing by weight is far quicker than at random.
  EXPECT_LT(audit["erasure"][0]["removed"]["mean"].get<double>() + .2,
            audit["erasure"][1]["removed"]["mean"].get<double>())
      << found.out;
  EXPECT_TRUE(audit["adversary"]["mean"].is_null()) << "bad, good and none: three classes";

  const ProgramResult told =
      run_heed({"audit", "--model", model(), "--data", data() + "/test.tsv", "--aspect", "service",
                "--evidence", data() + "/test.evidence", "--method", "leave_one_out", "--json"});
  ASSERT_EQ(told.exit_code, 0) << told.err;
  const json evidence = json::parse(told.out)["plausibility"];
  ASSERT_EQ(evidence.size(), 3u);
  // Attention of so small a model is on the word that decides, and on others.
  EXPECT_GE(evidence[0]["pooled"].get<double>(), .5) << evidence.dump();
  EXPECT_GE(evidence[1]["pooled"].get<double>(), .9) << evidence.dump();
  EXPECT_GE(evidence[1]["precision"]["mean"].get<double>(), .9) << evidence.dump();
  EXPECT_NEAR(evidence[2]["pooled"].get<double>(), evidence[2]["by_chance"].get<double>(), .1)
      << evidence.dump();

  const ProgramResult shown =
      run_heed({"audit", "--model", model(), "--data", data() + "/test.tsv", "--texts", "5"});
  EXPECT_EQ(shown.exit_code, 0) << shown.err;
  EXPECT_TRUE(holds(shown.out, "Is it needed? With equal weights ")) << shown.out;

  const std::string page = (*folder_ / "report.html").string();
  const ProgramResult reported =
      run_heed({"audit", "--model", model(), "--data", data() + "/test.tsv", "--evidence",
                data() + "/test.evidence", "--texts", "20", "--beside", model(), "--paper",
                "jw2019", "--out", page});
  ASSERT_EQ(reported.exit_code, 0) << reported.err;
  const std::string html = read_file(page);
  for (const char* part :
       {"Is it needed?", "href=\"#uniform\"", "id=\"uniform\"", "id=\"plausibility\"",
        "The order agrees least", "Jain &amp; Wallace", "<svg"}) {
    EXPECT_TRUE(holds(html, part)) << part;
  }
  EXPECT_FALSE(holds(html, "nan")) << "no number is undefined in silence";
  EXPECT_FALSE(holds(html, "<script"));
  EXPECT_EQ(
      run_heed({"audit", "--model", model(), "--data", data() + "/test.tsv", "--paper", "nobody"})
          .exit_code,
      2);
  EXPECT_EQ(run_heed({"audit", "--model", model()}).exit_code, 2);
}

TEST_F(HeedClassify, KeepsWordsAndShowsThem) {
  const std::string out = (*folder_ / "kept").string();
  const ProgramResult trained = run_heed({"train",
                                          "classify",
                                          "--train",
                                          data() + "/train.tsv",
                                          "--valid",
                                          data() + "/valid.tsv",
                                          "--label-column",
                                          "1",
                                          "--text-column",
                                          "4",
                                          "--aspects",
                                          "location",
                                          "--preset",
                                          "rationale",
                                          "--rationale-size",
                                          "0.05",
                                          "--max-updates",
                                          "900",
                                          "--validate-every",
                                          "300",
                                          "--outsider-updates",
                                          "100",
                                          "--out",
                                          out});
  ASSERT_EQ(trained.exit_code, 0) << trained.err;
  EXPECT_TRUE(holds(trained.err, "rationales read by an outsider: accuracy ")) << trained.err;
  const ProgramResult judged =
      run_heed({"classify", "--model", out, "--data", data() + "/test.tsv", "--evidence",
                data() + "/test.evidence", "--evidence-columns", "1", "--json"});
  ASSERT_EQ(judged.exit_code, 0) << judged.err;
  const json rationale = json::parse(split(judged.out, '\n')[0])["rationale"];
  EXPECT_LE(rationale["kept"], .3) << judged.out;
  EXPECT_GE(rationale["f1"], .4) << judged.out;

  const ProgramResult refused =
      run_heed({"train", "classify", "--train", data() + "/train.tsv", "--rationale", "softmax",
                "--max-updates", "10", "--out", (*folder_ / "none").string()});
  EXPECT_NE(refused.exit_code, 0);
  EXPECT_FALSE(std::filesystem::exists(*folder_ / "none")) << "a failed start leaves nothing";
}

TEST_F(HeedClassify, WritesLabelsProbabilitiesAndMarkedWords) {
  put(*folder_ / "input.txt", "The receptionist was awful.\n\n");
  const ProgramResult found =
      run_heed({"classify", "--model", model(), "--input", (*folder_ / "input.txt").string(),
                "--highlight", "--probabilities"});
  ASSERT_EQ(found.exit_code, 0) << found.err;
  EXPECT_TRUE(holds(found.out, "service\tbad\t")) << found.out;
  EXPECT_TRUE(holds(found.out, "bad=")) << found.out;
  EXPECT_TRUE(holds(found.out, "[.")) << found.out;
  // Three aspects, two lines each, of both texts; the second one's are empty.
  EXPECT_EQ(split(found.out, '\n').size(), 13u) << found.out;
}

TEST_F(HeedClassify, SaysWhatIsWrongWithItsInput) {
  put(*folder_ / "tab.txt", "one text\tanother\n");
  const ProgramResult tab =
      run_heed({"classify", "--model", model(), "--input", (*folder_ / "tab.txt").string()});
  EXPECT_EQ(tab.exit_code, 3);
  EXPECT_TRUE(holds(tab.err, "tab.txt:1: a tab")) << tab.err;
  EXPECT_EQ(run_heed({"classify"}).exit_code, 2);
  const ProgramResult other = run_heed({"fill", "a [MASK]", "--model", model()});
  EXPECT_EQ(other.exit_code, 3);
  EXPECT_TRUE(
      holds(other.err, "this is a classifier, not a model of masked words: use heed classify"))
      << other.err;
  const ProgramResult wide =
      run_heed({"train", "classify", "--train", data() + "/train.tsv", "--max-updates", "1",
                "--out", (*folder_ / "wide").string()});
  EXPECT_EQ(wide.exit_code, 3);
  EXPECT_TRUE(holds(wide.err, "train.tsv:1: 4 columns where each line must be LABEL<TAB>TEXT"))
      << wide.err;
  put(*folder_ / "one.tsv", "good\ta\ngood\tb\n");
  const ProgramResult single =
      run_heed({"train", "classify", "--train", (*folder_ / "one.tsv").string(), "--max-updates",
                "1", "--out", (*folder_ / "single").string()});
  EXPECT_EQ(single.exit_code, 3);
  EXPECT_TRUE(holds(single.err, "every text has the label \"good\"")) << single.err;
}

// A Transformer with eight positions, and no attention to read it with.
TEST_F(HeedClassify, NamesTheTextThatHasNoRoomInItsPositions) {
  const auto file = [](const char* name) { return (*folder_ / name).string(); };
  put(*folder_ / "short.tsv", "good\ta b c d e f g\nbad\tc d\n");
  put(*folder_ / "long.tsv", "good\ta b\nbad\ta b c d e f g h\n");
  const std::string out = file("places");
  const auto trained = [&](const char* data, std::vector<std::string> more) {
    more.insert(more.end(), {"--train", file(data), "--out", out});
    return run_heed(
        words_of("train classify --encoder transformer --attention none --width 8 "
                 "--heads 1 --inner 8 --positions learned --longest 8 --least-count 1 "
                 "--max-updates 1",
                 more));
  };
  const ProgramResult long_text = trained("long.tsv", {});
  EXPECT_EQ(long_text.exit_code, 3);
  EXPECT_TRUE(holds(long_text.err,
                    "long.tsv:2: a text takes 9 positions, its end included, and "
                    "this model has learned 8; raise --longest, or let --max-length"))
      << long_text.err;
  const ProgramResult forgets_the_end = trained("long.tsv", {"--max-length", "8", "--reset"});
  EXPECT_EQ(forgets_the_end.exit_code, 2);
  EXPECT_TRUE(holds(forgets_the_end.err, "give --longest 9 or more")) << forgets_the_end.err;
  std::filesystem::remove_all(out);
  ASSERT_EQ(trained("long.tsv", {"--max-length", "7"}).exit_code, 0);
  std::filesystem::remove_all(out);
  ASSERT_EQ(trained("short.tsv", {}).exit_code, 0);

  put(*folder_ / "texts.txt", "a b\n\nc d e f g a b c d\na\n");
  const ProgramResult found = run_heed({"classify", "--model", out}, {.input = file("texts.txt")});
  EXPECT_EQ(found.exit_code, 3);
  EXPECT_EQ(split(found.out, '\n').size(), 3u) << found.out;
  EXPECT_TRUE(holds(found.err, "standard input:3: a text takes 10 positions")) << found.err;
  const ProgramResult judged = run_heed({"classify", "--model", out, "--data", file("long.tsv")});
  EXPECT_EQ(judged.exit_code, 3);
  EXPECT_TRUE(holds(judged.err, "long.tsv: text 2: a text takes 9 positions")) << judged.err;
  const ProgramResult highlighted = run_heed({"classify", "--model", out, "--highlight"});
  EXPECT_EQ(highlighted.exit_code, 2);
  EXPECT_TRUE(holds(highlighted.err, "--highlight: ")) << highlighted.err;
}

TEST_F(HeedClassify, StartsFromMaskedWordsThatFillGaps) {
  const std::string words = (*folder_ / "words").string();
  const ProgramResult corpus =
      run_heed({"corpus", "phrases", "--size", "2000", "--out", (*folder_ / "phrases").string()});
  ASSERT_EQ(corpus.exit_code, 0) << corpus.err;
  const ProgramResult masked = run_heed({"train",
                                         "masked",
                                         "--train",
                                         (*folder_ / "phrases" / "train.en").string(),
                                         "--valid-fraction",
                                         "0.05",
                                         "--tokeniser",
                                         "words",
                                         "--width",
                                         "32",
                                         "--heads",
                                         "2",
                                         "--inner",
                                         "64",
                                         "--layers",
                                         "1",
                                         "--batch-tokens",
                                         "500",
                                         "--max-updates",
                                         "150",
                                         "--validate-every",
                                         "150",
                                         "--learning-rate",
                                         "0.005",
                                         "--warm-up",
                                         "20",
                                         "--out",
                                         words});
  ASSERT_EQ(masked.exit_code, 0) << masked.err;
  EXPECT_TRUE(holds(masked.out, ", perplexity ")) << masked.out;
  const ProgramResult filled =
      run_heed({"fill", "[MASK] man sees the car.", "--model", words, "--top", "2"});
  ASSERT_EQ(filled.exit_code, 0) << filled.err;
  EXPECT_EQ(split(filled.out, '\n').size(), 3u) << filled.out;
  EXPECT_EQ(run_heed({"fill", "no gap", "--model", words}).exit_code, 2);
  const ProgramResult classify =
      run_heed({"train", "classify", "--init-from", words, "--train", data() + "/train.tsv",
                "--aspects", "location", "cleanliness", "service", "--max-updates", "2", "--out",
                (*folder_ / "from").string()});
  ASSERT_EQ(classify.exit_code, 0) << classify.err;
  EXPECT_TRUE(holds(classify.err, "tensors come from " + words)) << classify.err;
}

}  // namespace
}  // namespace heed::test
