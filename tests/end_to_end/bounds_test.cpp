// SPDX-License-Identifier: Apache-2.0
// One line of ten megabytes, or one that is merely long: cropped, split or refused with its place,
// within seconds and little memory.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <memory>

#include "background_program.h"
#include "heed/base/text.h"
#include "run_program.h"

namespace heed::test {
namespace {

#ifdef __SANITIZE_ADDRESS__
constexpr long kMostMegabytes = 2048;  // it keeps back what was freed
constexpr double kMostSeconds = 60;    // not optimised, and every access is checked
#else
constexpr long kMostMegabytes = 1024;
constexpr double kMostSeconds = 10;  // of the processor, whatever else it has to do
#endif

std::string repeated(std::string_view words, std::size_t bytes) {
  std::string text;
  while (text.size() < bytes) text += words;
  return text;
}

// A classifier, a translator, a language model and one of masked words, each trained for a moment.
class LongLines : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    folder_ = std::make_unique<TemporaryFolder>();
    std::string labelled, source, target;
    for (int i = 0; i < 60; ++i) {
      labelled += i % 2 == 0 ? "good\tthe cat sleeps\n" : "bad\tthe dog barks\n";
      source += i % 2 == 0 ? "the cat sleeps .\n" : "the dog barks .\n";
      target += i % 2 == 0 ? "le chat dort .\n" : "le chien aboie .\n";
    }
    put(*folder_ / "labelled", labelled);
    put(*folder_ / "source", source);
    put(*folder_ / "target", target);
    const std::string huge = repeated("the cat sleeps . ", 10'000'000);
    put(*folder_ / "huge", source + huge + "\n");
    put(*folder_ / "huge.labelled", labelled + "good\t" + huge + "\n");
    put(*folder_ / "huge.target", target + huge + "\n");
    for (const char* kind : {"classify", "translate", "language", "masked"}) {
      const ProgramResult made =
          run_heed(training(kind, path(kind)), {.environment = {{"HEED_THREADS", "1"}}});
      ASSERT_EQ(made.exit_code, 0) << made.err;
    }
  }
  static void TearDownTestSuite() { folder_.reset(); }

  static std::string path(const std::string& name) { return (*folder_ / name).string(); }
  // A small model of a kind; `huge` names the data with the long line.
  static std::vector<std::string> training(const std::string& kind, const std::string& out,
                                           bool huge = false) {
    const std::string plain = huge ? "huge" : "source";
    std::vector<std::string> words = {"train", kind, "--out", out};
    if (kind != "translate") words.insert(words.end(), {"--max-updates", "5"});
    const auto add = [&](const std::vector<std::string>& more) {
      words.insert(words.end(), more.begin(), more.end());
    };
    if (kind == "classify") {
      add({"--train", path(huge ? "huge.labelled" : "labelled"), "--encoder", "bag", "--embedding",
           "16"});
    } else if (kind == "translate") {
      add({"--train-source",
           path(plain),
           "--train-target",
           path(huge ? "huge.target" : "target"),
           "--tokeniser",
           "words",
           "--model",
           "seq2seq",
           "--attention",
           "additive",
           "--embedding",
           "16",
           "--hidden",
           "16",
           "--encoder-layers",
           "1",
           "--decoder-layers",
           "1",
           "--tie",
           "none",
           "--learning-rate",
           "0.03",
           "--schedule",
           "constant",
           "--label-smoothing",
           "0",
           "--max-updates",
           huge ? "5" : "80"});
    } else if (kind == "language") {
      add({"--train", path(plain), "--tokeniser", "words", "--model", "recurrent", "--embedding",
           "16", "--hidden", "16", "--layers", "1", "--tracks", "4"});
    } else {
      add({"--train", path(plain), "--tokeniser", "words", "--encoder", "bag", "--embedding",
           "16"});
    }
    return words;
  }
  // Runs it, and holds it to the bounds.
  static BackgroundProgram::End bounded(const std::vector<std::string>& words,
                                        const std::string& input = "/dev/null") {
    BackgroundProgram::End end = BackgroundProgram(words, input).wait();
    EXPECT_LE(end.megabytes, kMostMegabytes) << fmt::format("{}", fmt::join(words, " "));
    EXPECT_LE(end.cpu_seconds, kMostSeconds) << fmt::format("{}", fmt::join(words, " "));
    return end;
  }
  static bool holds(const std::string& text, std::string_view part) {
    return text.find(part) != text.npos;
  }

  static inline std::unique_ptr<TemporaryFolder> folder_;
};

TEST_F(LongLines, InTrainingAreCroppedOrSkippedAndCounted) {
  for (const auto& [kind, file, fate] :
       {std::tuple("classify", "huge.labelled", "cropped"),
        std::tuple("translate", "huge", "skipped"), std::tuple("masked", "huge", "cropped")}) {
    const auto end = bounded(training(kind, path(fmt::format("long-{}", kind)), true));
    EXPECT_EQ(end.exit_code, 0) << end.err;
    const std::string most = kind == std::string("masked") ? "256" : "1024";
    EXPECT_TRUE(holds(end.err, fmt::format("{}", file))) << end.err;
    EXPECT_TRUE(
        holds(end.err, fmt::format("texts of more than {} tokens; {}: 1 (line 61)", most, fate)))
        << end.err;
    EXPECT_TRUE(holds(end.out, "(line 61)")) << end.out;
  }
  // A text without ends of lines is a text for a language model.
  EXPECT_EQ(bounded(training("language", path("long-language"), true)).exit_code, 0);
}

// Sentences are found, and their words counted, in one pass each.
TEST_F(LongLines, OfManySentencesAreDocumentsInTheSameTime) {
  std::vector<std::string> words = training("classify", path("document"), true);
  words.emplace_back("--documents");
  const auto end = bounded(words);
  EXPECT_EQ(end.exit_code, 0) << end.err;
  EXPECT_TRUE(holds(end.out, "cropped: 1 (line 61)")) << end.out;
  put(*folder_ / "sentences", repeated("the cat sleeps. ", 1'000'000) + "\n");
  const auto judged =
      bounded({"classify", "--model", path("document"), "--input", path("sentences")});
  EXPECT_EQ(judged.exit_code, 0) << judged.err;
}

TEST_F(LongLines, AreHeldOutWithinTheSameBounds) {
  for (const auto& [kind, option, file] : {std::tuple("classify", "--valid", "huge.labelled"),
                                           std::tuple("masked", "--valid", "huge")}) {
    std::vector<std::string> words = training(kind, path(fmt::format("held-{}", kind)));
    words.insert(words.end(), {option, path(file)});
    const auto end = bounded(words);
    EXPECT_EQ(end.exit_code, 0) << end.err;
  }
  std::vector<std::string> words = training("translate", path("held-translate"));
  words.insert(words.end(),
               {"--valid-source", path("huge"), "--valid-target", path("huge.target")});
  const auto end = bounded(words);
  EXPECT_EQ(end.exit_code, 0) << end.err;
  EXPECT_TRUE(holds(end.err, "validation leaves out pairs of more than 1024 tokens: 1 (line 61)"))
      << end.err;
}

TEST_F(LongLines, InUseAreRefusedWithFileAndLine) {
  const std::string problem = ":61: the text has 9.5 MiB, and at most 1.0 MiB are read as one";
  for (const std::vector<std::string>& words :
       {std::vector<std::string>{"translate", "--model", path("translate"), "--input",
                                 path("huge")},
        {"classify", "--model", path("classify"), "--input", path("huge")},
        {"view", path("translate"), "--input", path("huge")},
        {"score", "--model", path("translate"), "--source", path("huge"), "--target",
         path("huge.target")},
        {"compare", path("translate"), path("translate"), "--data", path("huge"),
         path("huge.target")},
        {"evaluate", "--hypotheses", path("huge"), "--references", path("huge.target")}}) {
    const auto end = bounded(words);
    EXPECT_EQ(end.exit_code, 3) << end.err;
    EXPECT_TRUE(holds(end.err, problem) && holds(end.err, path("huge"))) << end.err;
  }
  const auto piped =
      bounded({"evaluate", "--hypotheses", "-", "--references", path("source")}, path("huge"));
  EXPECT_EQ(piped.exit_code, 3) << piped.err;
  EXPECT_TRUE(holds(piped.err, "standard input" + problem)) << piped.err;
  const auto prompt = bounded(
      {"generate", "--model", path("language"), "--prompt", "-", "--length", "1"}, path("huge"));
  EXPECT_EQ(prompt.exit_code, 3) << prompt.err;
  EXPECT_TRUE(holds(prompt.err, "standard input:61: the text has 9.5 MiB")) << prompt.err;
}

TEST_F(LongLines, AreVocabulariesAndPieces) {
  for (const char* kind : {"words", "bpe"}) {
    const std::string out = path(fmt::format("{}.tokeniser", kind));
    const auto learnt = bounded({"vocabulary", "--learn", path("huge"), "--kind", kind, "--size",
                                 kind == std::string("bpe") ? "20" : "100", "--out", out});
    EXPECT_EQ(learnt.exit_code, 0) << learnt.err;
    EXPECT_EQ(bounded({"vocabulary", "--tokeniser", out, "--encode", path("huge")}).exit_code, 0);
  }
}

TEST_F(LongLines, OfASingleWordAreVocabulariesToo) {
  for (const char* kind : {"bpe", "unigram"}) {
    // One letter over and over is what the suffix array of unigram likes least: 1 us a letter.
    const std::size_t letters = kind == std::string_view("bpe") ? 10'000'000 : 1'000'000;
    put(*folder_ / "word", "the cat\n" + std::string(letters, 'x') + "\n");
    const auto learnt = bounded({"vocabulary", "--learn", path("word"), "--kind", kind, "--size",
                                 "14", "--out", path(fmt::format("word.{}", kind))});
    EXPECT_EQ(learnt.exit_code, 0) << learnt.err;
  }
}

TEST_F(LongLines, AreCheckedAndNamed) {
  for (const char* file : {"huge", "huge.labelled"}) {
    const auto end = bounded({"check", path(file), "--no-measure"});
    EXPECT_EQ(end.exit_code, 0) << end.err;
    EXPECT_TRUE(holds(end.out, "very long texts: 1 (line 61)")) << end.out;
  }
}

TEST_F(LongLines, AreTranslatedSentenceBySentence) {
  put(*folder_ / "twelve", "the cat sleeps .\n" + repeated("the cat sleeps . ", 17 * 12) + "\n");
  const std::vector<std::string> words = {"translate", "--model",      path("translate"),
                                          "--input",   path("twelve"), "--alignments",
                                          "pharaoh"};
  const auto end = bounded(words);
  ASSERT_EQ(end.exit_code, 0) << end.err;
  const std::vector<std::string_view> lines = split(end.out, '\n');
  const std::vector<std::string_view> one = split(lines.at(0), '|');
  // Twelve times the translation of one, its links moved by four words each time.
  const std::string text(trim(one.front()));
  std::string twelve = text;
  for (int i = 1; i < 12; ++i) twelve += " " + text;
  EXPECT_TRUE(lines.at(1).starts_with(twelve + " ||| ")) << end.out;
  EXPECT_TRUE(holds(end.err,
                    "translated sentence by sentence, because longer than any text of "
                    "training (4 tokens): 1 (line 2)"))
      << end.err;
  std::vector<std::string> whole = words;
  whole.insert(whole.end(), {"--split", "never"});
  const auto never = bounded(whole);
  EXPECT_EQ(never.exit_code, 0) << never.err;
  EXPECT_FALSE(holds(never.out, twelve)) << never.out;
  EXPECT_TRUE(holds(never.err,
                    "longer than any text of training (4 tokens), of which the model "
                    "knows nothing: 1 (line 2)"))
      << never.err;
}

TEST_F(LongLines, OfTwentyThousandWordsAreCutOrRefused) {
  put(*folder_ / "unpunctuated", repeated("the cat sleeps ", 15 * 6700) + "\n");
  const auto cut = bounded(
      {"translate", "--model", path("translate"), "--input", path("unpunctuated"), "--beam", "1"});
  EXPECT_EQ(cut.exit_code, 0) << cut.err;
  const auto whole = bounded({"translate", "--model", path("translate"), "--input",
                              path("unpunctuated"), "--split", "never"});
  EXPECT_EQ(whole.exit_code, 3) << whole.err;
  EXPECT_TRUE(holds(whole.err,
                    "unpunctuated:1: the text has 20100 tokens, and at most 1024 are "
                    "read at once"))
      << whole.err;
  const auto judged =
      bounded({"classify", "--model", path("classify"), "--input", path("unpunctuated")});
  EXPECT_EQ(judged.exit_code, 0) << judged.err;
  EXPECT_TRUE(holds(judged.err,
                    "texts whose end was not read, because they are too long: 1 (line "
                    "1)"))
      << judged.err;
}

TEST_F(LongLines, ThatAreEmptyHaveAnEmptyAnswer) {
  put(*folder_ / "gaps", "the cat sleeps .\n\n   \nthe dog barks .\n");
  const ProgramResult translated =
      run_heed({"translate", "--model", path("translate"), "--input", path("gaps")});
  ASSERT_EQ(translated.exit_code, 0) << translated.err;
  const std::vector<std::string_view> lines = split(translated.out, '\n');
  ASSERT_EQ(lines.size(), 5u) << translated.out;
  EXPECT_NE(lines[0], "");
  EXPECT_EQ(lines[1], "");
  EXPECT_EQ(lines[2], "");
  EXPECT_NE(lines[3], "");
  const ProgramResult judged =
      run_heed({"classify", "--model", path("classify"), "--input", path("gaps")});
  ASSERT_EQ(judged.exit_code, 0) << judged.err;
  EXPECT_EQ(split(judged.out, '\n').at(1), "-\t0.000") << judged.out;
  EXPECT_NE(split(judged.out, '\n').at(0), "-\t0.000") << judged.out;
}

}  // namespace
}  // namespace heed::test
