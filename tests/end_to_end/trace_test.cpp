// SPDX-License-Identifier: Apache-2.0
// Traces as their user meets them: --trace of every verb, heed view of models and gold alignments,
// and what mistakes get.
#include <gtest/gtest.h>

#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>

#include "run_program.h"

namespace heed::test {
namespace {

using nlohmann::json;
using Words = std::vector<std::string>;

bool trace_holds(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

// A model of each task, hardly trained: what it looks at need not make sense.
class HeedTrace : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    folder_ = std::make_unique<TemporaryFolder>();
    put(*folder_ / "a.txt", "the cat sleeps\na dog runs\nthe dog sleeps\na cat runs\n");
    put(*folder_ / "b.txt", "le chat dort\nun chien court\nle chien dort\nun chat court\n");
    put(*folder_ / "labels.tsv", "good\tthe cat sleeps\nbad\ta dog runs\n");
    const std::string a = path("a.txt"), b = path("b.txt"), labels = path("labels.tsv");
    train("translate", {"--train-source",   a,
                        "--train-target",   b,
                        "--valid-source",   a,
                        "--valid-target",   b,
                        "--model",          "transformer",
                        "--width",          "16",
                        "--heads",          "2",
                        "--inner",          "16",
                        "--encoder-layers", "2",
                        "--decoder-layers", "2"});
    train("language", {"--train", a, "--valid", a, "--model", "gpt", "--width", "16", "--heads",
                       "2", "--inner", "16", "--layers", "1", "--tracks", "1", "--window", "4"});
    train("classify", {"--train", labels, "--valid", labels});
    train("masked", {"--train", a, "--valid", a, "--width", "16", "--heads", "2", "--inner", "16",
                     "--layers", "1"});
  }
  static void TearDownTestSuite() { folder_.reset(); }

  static std::string path(const std::string& name) { return (*folder_ / name).string(); }

  static void train(const std::string& task, const Words& more) {
    Words words = {"train", task, "--out", path(task), "--max-updates", "2", "--threads", "1"};
    if (task != "classify") words.insert(words.end(), {"--tokeniser", "words"});
    words.insert(words.end(), more.begin(), more.end());
    const ProgramResult trained = run_heed(words);
    ASSERT_EQ(trained.exit_code, 0) << task << ": " << trained.err;
  }

  // What the verb leaves in trace.json: the kinds of attention of its first example.
  static Words kinds_of(Words words) {
    words.insert(words.end(), {"--trace", path("trace.json"), "--threads", "1"});
    const ProgramResult result = run_heed(words);
    EXPECT_EQ(result.exit_code, 0) << result.err;
    EXPECT_TRUE(trace_holds(result.err, "the trace of ")) << result.err;
    const json trace = json::parse(get(path("trace.json")));
    EXPECT_EQ(trace["format"], "heed-trace");
    Words kinds;
    for (const json& set : trace["examples"][0]["attentions"]) kinds.push_back(set["kind"]);
    return kinds;
  }

  static inline std::unique_ptr<TemporaryFolder> folder_;
};

TEST_F(HeedTrace, IsLeftByEveryVerbThatRunsAModel) {
  const Words translator = {"encoder self", "decoder self", "cross"};
  EXPECT_EQ(kinds_of({"translate", "--model", path("translate"), "--input", path("a.txt")}),
            translator);
  EXPECT_EQ(kinds_of({"score", "--model", path("translate"), "--source", path("a.txt"), "--target",
                      path("b.txt")}),
            translator);
  EXPECT_EQ(
      kinds_of({"generate", "--model", path("language"), "--prompt", "the cat", "--length", "3"}),
      (Words{"decoder self"}));
  EXPECT_EQ(kinds_of({"score", "--model", path("language"), "--text", path("a.txt")}),
            (Words{"decoder self"}));
  EXPECT_EQ(kinds_of({"classify", "--model", path("classify"), "--input", path("a.txt")}),
            (Words{"pooling"}));
  EXPECT_EQ(kinds_of({"fill", "the [MASK] sleeps", "--model", path("masked")}),
            (Words{"encoder self"}));
}

TEST_F(HeedTrace, OfAnExplanationHasASignedSetForEachMethod) {
  const std::vector<std::tuple<std::string, std::string, std::string>> tasks = {
      {"translate", "the cat sleeps", "1"},
      {"language", "the cat", ""},
      {"classify", "the cat sleeps", "good"},
      {"masked", "the [MASK] sleeps", "cat"}};
  for (const auto& [task, text, target] : tasks) {
    Words words = {"explain", "--model",           path(task),      "--text",
                   text,      "--method",          "leave_one_out", "gradient",
                   "--svg",   path("shares.svg"),  "--html",        path("shares.html"),
                   "--trace", path("shares.json"), "--force"};
    if (!target.empty()) words.insert(words.end(), {"--target", target});
    const ProgramResult result = run_heed(words);
    ASSERT_EQ(result.exit_code, 0) << task << result.err;
    EXPECT_EQ(result.out, "") << "the words go to files";
    const json set = json::parse(get(path("shares.json")))["examples"][0]["attentions"][0];
    EXPECT_EQ(set["kind"], "shares: leave_one_out") << task;
    EXPECT_EQ(set["heads"].size(), 2u);
    EXPECT_TRUE(trace_holds(get(path("shares.svg")), "<svg")) << task;
    EXPECT_TRUE(trace_holds(get(path("shares.html")), "shares: leave_one_out")) << task;
    const ProgramResult seen = run_heed({"view", path("shares.json")});
    EXPECT_EQ(seen.exit_code, 0) << seen.err;
    EXPECT_TRUE(trace_holds(seen.out, "shares: leave_one_out")) << seen.out;
  }
  const ProgramResult steps =
      run_heed({"explain", "--model", path("translate"), "--text", "the cat", "--second", "le chat",
                "--method", "attention", "relevance", "--json"});
  ASSERT_EQ(steps.exit_code, 0) << steps.err;
  EXPECT_EQ(json::parse(steps.out)["methods"][1]["steps"].size(), 3u);
  const ProgramResult beyond = run_heed({"explain", "--model", path("translate"), "--text",
                                         "the cat", "--second", "le chat", "--target", "7"});
  EXPECT_EQ(beyond.exit_code, 2);
  EXPECT_TRUE(trace_holds(beyond.err, "--target 7: the translation \"le chat\" has 3 pieces"))
      << beyond.err;
}

TEST_F(HeedTrace, IsTheSameDocumentInBothForms) {
  for (const char* name : {"t.json", "t.safetensors"}) {
    const ProgramResult result = run_heed({"translate", "--model", path("translate"), "--input",
                                           path("a.txt"), "--trace", path(name)});
    ASSERT_EQ(result.exit_code, 0) << result.err;
  }
  put(*folder_ / "gold.align", "0-0 1-1 2-2\n0-0 1-1 2-2\n0-0 1-1 2-2\n0-0 1-1 2-2\n");
  const auto bench = [&](const char* name) {
    return run_heed({"view", path(name), "--gold", path("gold.align"), "--json"}).out;
  };
  const std::string found = bench("t.json");
  EXPECT_EQ(found, bench("t.safetensors"));
  const json system = json::parse(found)["systems"][0];
  EXPECT_EQ(system["model"], "translate");
  EXPECT_EQ(system["looks"].size(), 4u + 2 * 2 + 2);  // heads, layers, all
}

TEST_F(HeedTrace, OfAModelIsComparedWithGoldLinksBesideAnother) {
  put(*folder_ / "pairs.tsv", "the cat sleeps\tle chat dort\n");
  put(*folder_ / "one.align", "0-0 1-1 2-2\n");
  const ProgramResult result =
      run_heed({"view", path("translate"), "--input", path("pairs.tsv"), "--gold",
                path("one.align"), "--beside", path("translate")});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_TRUE(trace_holds(result.out, "layer 1 head 1")) << result.out;
  EXPECT_TRUE(trace_holds(result.out, "best head: ")) << result.out;
  EXPECT_TRUE(trace_holds(result.out, "\nsystem ")) << result.out;
}

TEST_F(HeedTrace, OfAModelBecomesAPageByItsTask) {
  for (const char* task : {"translate", "language", "classify"}) {
    const ProgramResult result =
        run_heed({"view", path(task), "--text", "the cat sleeps", "--html", path("page.html")});
    ASSERT_EQ(result.exit_code, 0) << task << ": " << result.err;
    EXPECT_TRUE(trace_holds(get(path("page.html")), "sleeps")) << task;
  }
  EXPECT_EQ(run_heed({"view", path("language"), "--text", "the", "--length", "3", "--html",
                      path("page.html")})
                .exit_code,
            0);
  EXPECT_EQ(
      run_heed({"view", path("masked"), "--text", "a [MASK] runs", "--html", path("page.html")})
          .exit_code,
      0);
}

TEST_F(HeedTrace, SaysWhatIsWrong) {
  const auto error = [](const Words& words, int code) {
    const ProgramResult result = run_heed(words);
    EXPECT_EQ(result.exit_code, code) << result.err;
    return result.err;
  };
  EXPECT_TRUE(trace_holds(error({"translate", "--model", path("translate"), "--input",
                                 path("a.txt"), "--trace", path("t.txt")},
                                2),
                          ".json or .safetensors"));
  EXPECT_TRUE(
      trace_holds(error({"view", path("a.txt"), "--html", path("p.html")}, 3), "not a trace"));
  put(*folder_ / "bad.json", R"({"source": ["a"], "target": ["b"], "weights": [[1, 2]]})");
  EXPECT_TRUE(trace_holds(error({"view", path("bad.json"), "--html", path("p.html")}, 3),
                          "2 weights for 1 keys"));
  EXPECT_TRUE(
      trace_holds(error({"view", path("bad.json"), "--text", "a", "--html", path("p.html")}, 2),
                  "is a trace, which has its texts"));
  put(*folder_ / "short.align", "0-0\n");
  EXPECT_TRUE(trace_holds(
      error({"view", path("translate"), "--input", path("a.txt"), "--gold", path("short.align")},
            2),
      "4 examples and 1 gold alignments"));
  const ProgramResult plain =
      run_heed({"train",         "language",    "--train",     path("a.txt"),
                "--valid",       path("a.txt"), "--out",       path("plain"),
                "--max-updates", "2",           "--tokeniser", "words",
                "--tracks",      "1",           "--window",    "4",
                "--embedding",   "8",           "--hidden",    "8"});
  ASSERT_EQ(plain.exit_code, 0) << plain.err;
  EXPECT_TRUE(trace_holds(error({"generate", "--model", path("plain"), "--prompt", "the",
                                 "--length", "2", "--trace", path("t.json")},
                                2),
                          "plain: this model has no attention"));
}

}  // namespace
}  // namespace heed::test
