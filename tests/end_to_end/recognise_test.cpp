// SPDX-License-Identifier: Apache-2.0
// Recognisers of strips as their user meets them: train, recognise, draw, measure, resume, and what
// mistakes get.
#include <gtest/gtest.h>

#include <memory>
#include <nlohmann/json.hpp>

#include "run_program.h"

namespace heed::test {
namespace {

using nlohmann::json;

bool prints(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

// `heed train recognise` of a small model on strips of one to three symbols.
std::vector<std::string> small_recogniser(const std::string& out, const std::string& more) {
  std::vector<std::string> words = words_of(
      "train recognise --threads 1 --fewest 1 --most 3 --batch 16 --hidden 16 --learning-rate 0.01 "
      "--valid-strips 50 " +
      more);
  words.insert(words.end(), {"--out", out});
  return words;
}

// One by CTC that has learnt to read, and one that attends and has not, for all tests.
class HeedRecognise : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    folder_ = std::make_unique<TemporaryFolder>();
    const ProgramResult ctc = run_heed(small_recogniser(path("ctc"), "--max-updates 250"));
    ASSERT_EQ(ctc.exit_code, 0) << ctc.err;
    EXPECT_TRUE(prints(ctc.out, "Read 4000 fresh strips of 1 to 3 symbols.")) << ctc.out;
    EXPECT_TRUE(prints(ctc.out, "use it: heed recognise ")) << ctc.out;
    const ProgramResult decoder =
        run_heed(small_recogniser(path("decoder"), "--preset strips-monotonic --max-updates 5"));
    ASSERT_EQ(decoder.exit_code, 0) << decoder.err;
  }
  static void TearDownTestSuite() { folder_.reset(); }
  static std::string path(const std::string& name) { return (*folder_ / name).string(); }
  // So many frames of 16 numbers.
  static std::string frames(int count) {
    std::string text;
    for (int t = 0; t < count; ++t) text += "0 1 0 1 0 1 0 1 0 1 0 1 0 1 0 1\n";
    return text;
  }

  static inline std::unique_ptr<TemporaryFolder> folder_;
};

TEST_F(HeedRecognise, MeasuresLengthsForPeopleAndPrograms) {
  const ProgramResult measured =
      run_heed({"recognise", path("ctc"), "--measure", "200", "--json", "--threads", "1"});
  ASSERT_EQ(measured.exit_code, 0) << measured.err;
  const json lengths = json::parse(measured.out)["lengths"];
  EXPECT_EQ(lengths[0]["labels"], "1-3");
  EXPECT_EQ(lengths[0]["strips"], 200);
  EXPECT_LE(lengths[0]["label_error"], .15);
  EXPECT_EQ(lengths[1]["labels"], "6");  // twice the longest
  EXPECT_LE(lengths[1]["label_error"], .2);
  EXPECT_LE(lengths[0]["frames_off"], 1);
  const ProgramResult table =
      run_heed({"recognise", path("ctc"), "--measure", "20", "--lengths", "2", "--beam", "4"});
  EXPECT_TRUE(prints(table.out, "label error  strips wrong  frames off\n2 ")) << table.out;
}

TEST_F(HeedRecognise, ReadsFilesShowsDrawsAndTraces) {
  put(*folder_ / "strips.txt", "labels: ab\n" + frames(6) + "\n" + frames(3));
  const ProgramResult read = run_heed(
      {"recognise", path("ctc"), "--input", path("strips.txt"), "--json", "--threads", "1"});
  ASSERT_EQ(read.exit_code, 0) << read.err;
  const json strips = json::parse(read.out);
  ASSERT_EQ(strips.size(), 2u);
  EXPECT_EQ(strips[0]["answer"], "ab");
  EXPECT_EQ(strips[0]["frames"], 6);
  EXPECT_FALSE(strips[1].contains("answer"));
  const ProgramResult drawn =
      run_heed({"recognise", path("ctc"), "--sample", "3", "--show", "--draw", path("s.svg"),
                "--beside", path("decoder"), "--trace", path("trace.json"), "--threads", "1"});
  ASSERT_EQ(drawn.exit_code, 0) << drawn.err;
  EXPECT_TRUE(prints(drawn.out, "\ndecoder: ")) << drawn.out;
  EXPECT_TRUE(prints(get(*folder_ / "s.svg"), "<svg"));
  const json trace = json::parse(get(*folder_ / "trace.json"));
  EXPECT_EQ(trace["task"], "recognise");
  EXPECT_EQ(trace["examples"][0]["attentions"][0]["kind"], "alignment");
  EXPECT_EQ(run_heed({"view", path("trace.json")}).exit_code, 0);
  const ProgramResult png =
      run_heed({"recognise", path("decoder"), "--sample", "2", "--draw", path("s.png"), "--dark"});
  EXPECT_EQ(png.exit_code, 0) << png.err;
  EXPECT_TRUE(prints(get(*folder_ / "s.png"), "PNG"));
}

TEST_F(HeedRecognise, WorksWithWhatServesEveryKind) {
  EXPECT_EQ(run_heed({"describe", path("decoder")}).exit_code, 0);
  put(*folder_ / "known.txt", "labels: ab\n" + frames(6) + "\nlabels: c\n" + frames(4));
  const ProgramResult compared =
      run_heed({"compare", path("ctc"), path("decoder"), "--data", path("known.txt")});
  EXPECT_EQ(compared.exit_code, 0) << compared.err;
  EXPECT_TRUE(prints(compared.out, "label error %")) << compared.out;
  const std::string frame = "0,1,0,1,0,1,0,1,0,1,0,1,0,1,0,1";
  const ProgramResult viewed =
      run_heed({"view", path("decoder"), "--text", frame + " " + frame + " " + frame});
  EXPECT_EQ(viewed.exit_code, 0) << viewed.err;
  const ProgramResult dry = run_heed(small_recogniser(path("dry"), "--max-updates 9 --dry-run"));
  EXPECT_EQ(dry.exit_code, 0) << dry.err;
}

TEST_F(HeedRecognise, ResumesToTheSameBits) {
  const std::string options = "--preset strips-mocha --valid-strips 0 --max-updates ";
  ASSERT_EQ(run_heed(small_recogniser(path("whole"), options + "12")).exit_code, 0);
  for (const char* updates : {"7", "12"}) {
    const ProgramResult part = run_heed(small_recogniser(path("parts"), options + updates));
    ASSERT_EQ(part.exit_code, 0) << part.err;
  }
  EXPECT_TRUE(get(*folder_ / "whole" / "model.safetensors") ==
              get(*folder_ / "parts" / "model.safetensors"));
}

TEST_F(HeedRecognise, TellsMistakesWithPlaceAndRemedy) {
  const auto refused = [](const std::vector<std::string>& words) {
    const ProgramResult result = run_heed(words);
    EXPECT_NE(result.exit_code, 0) << result.out;
    return result.err;
  };
  const auto refused_file = [&](const std::string& text) {
    put(*folder_ / "bad.txt", text);
    return refused({"recognise", path("ctc"), "--input", path("bad.txt")});
  };
  EXPECT_TRUE(prints(refused_file(frames(2) + "\nlabels: aab\n" + frames(3)),
                     "bad.txt:4: 3 labels take 4 states of CTC, two equal neighbours one more "
                     "between them, and 3 frames have 3; give a longer strip or fewer labels"));
  EXPECT_TRUE(prints(refused_file("1 2 3\n"),
                     "bad.txt:1: a frame of 3 numbers; the model reads 16 of them"));
  EXPECT_TRUE(prints(refused_file("labels: az\n" + frames(3)),
                     "bad.txt:1: label \"z\"; labels are abcdefghijkl"));
  EXPECT_TRUE(prints(refused_file("P2 2 3 10\n0 10\n5 0\n10 0\n"),
                     "bad.txt: a picture of 3 rows; the model reads 16: scale it to that height"));
  EXPECT_TRUE(prints(refused_file(""), "bad.txt: holds no strip; a line is a frame of 16 numbers"));
  EXPECT_TRUE(prints(refused({"recognise", path("ctc")}), "nothing to read: give --input"));
  EXPECT_TRUE(prints(refused({"recognise", path("ctc"), "--measure", "5", "--show"}),
                     "--measure prints numbers only"));
  EXPECT_TRUE(prints(refused({"recognise", path("ctc"), "--measure", "5", "--lengths", "4-2"}),
                     "--lengths 4-2: give labels of a strip"));
  EXPECT_TRUE(
      prints(refused({"recognise", path("ctc"), "--sample", "2", "--images", "i", "--labels", "l"}),
             "--images i: this model reads symbols, which are made"));
  EXPECT_TRUE(prints(refused(small_recogniser(path("none"), "--task digits --max-updates 1")),
                     "--task digits: give --images and --labels"));
}

}  // namespace
}  // namespace heed::test
