// SPDX-License-Identifier: Apache-2.0
// Trainings that a signal ends: soon, with a code of its own, and to be resumed to the same bits.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "background_program.h"
#include "heed/base/text.h"
#include "run_program.h"

namespace heed::test {
namespace {

// Texts whose label is one of their words.
std::string labelled_lines(int lines, int words) {
  std::string text;
  for (int i = 0; i < lines; ++i) {
    text += i % 2 == 0 ? "good\t" : "bad\t";
    for (int word = 0; word < words; ++word) text += fmt::format("w{} ", (i * 7 + word * 3) % 50);
    text += i % 2 == 0 ? "fine\n" : "poor\n";
  }
  return text;
}

class InterruptedTraining : public ::testing::Test {
 protected:
  std::string path(const std::string& name) const { return (folder_ / name).string(); }
  std::vector<std::string> training(const std::string& out,
                                    const std::vector<std::string>& more) const {
    std::vector<std::string> words = {"train",
                                      "classify",
                                      "--train",
                                      path("train.tsv"),
                                      "--valid-fraction",
                                      "0.1",
                                      "--out",
                                      path(out),
                                      "--threads",
                                      "1",
                                      "--log-every",
                                      "1",
                                      "--save-every",
                                      "1000"};
    words.insert(words.end(), more.begin(), more.end());
    return words;
  }
  bool has(const std::string& file) const { return std::filesystem::exists(folder_ / file); }

  TemporaryFolder folder_;
};

TEST_F(InterruptedTraining, ExitsWithTheCodeOfTheSignalAndResumesToTheSameBits) {
  put(folder_ / "train.tsv", labelled_lines(200, 20));
  const std::vector<std::string> options = {"--max-updates", "150", "--validate-every", "40",
                                            "--embedding",   "16",  "--hidden",         "16"};
  const ProgramResult whole = run_heed(training("whole", options));
  ASSERT_EQ(whole.exit_code, 0) << whole.err;
  EXPECT_NE(get(folder_ / "whole" / "card.md").find("| training | finished after 150 updates |"),
            std::string::npos);
  for (const auto& [signal, code] : {std::pair(SIGINT, 130), std::pair(SIGTERM, 143)}) {
    const std::string out = fmt::format("parts{}", code);
    const std::string log = path(out + ".json");
    std::vector<std::string> words = training(out, options);
    words.insert(words.end(), {"--log-json", log});
    BackgroundProgram running(words);
    // In the course of it: after some updates, before the end.
    ASSERT_TRUE(BackgroundProgram::until(
        [&] { return has(out + ".json") && get(log).find("\"update\":30") != std::string::npos; }));
    running.signal(signal);
    const auto end = running.wait();
    EXPECT_EQ(end.exit_code, code) << end.err;
    EXPECT_LT(end.seconds, 2);
    EXPECT_NE(end.err.find("heed train classify: interrupted; saved at update "), std::string::npos)
        << end.err;
    EXPECT_EQ(end.out, "") << "nothing that looks like an end";
    const std::string card = get(folder_ / out / "card.md");
    EXPECT_NE(card.find("| training | interrupted at update "), std::string::npos) << card;
    const ProgramResult rest = run_heed(words);
    ASSERT_EQ(rest.exit_code, 0) << rest.err;
    EXPECT_NE(rest.err.find("resuming from update "), std::string::npos) << rest.err;
    EXPECT_EQ(get(folder_ / out / "model.safetensors"),
              get(folder_ / "whole" / "model.safetensors"));
  }
}

TEST_F(InterruptedTraining, OfSeveralExitsWithTheCodeOfTheSignalToo) {
  put(folder_ / "train.tsv", labelled_lines(200, 20));
  put(folder_ / "space.toml",
      fmt::format("train = \"{}\"\nvalid-fraction = 0.1\nembedding = 16\nthreads = 1\n"
                  "max-updates = 1000000\n[ranges]\nhidden = [16, 24]\n",
                  path("train.tsv")));
  for (const auto& [words, place] :
       {std::pair(training("seeds", {"--max-updates", "1000000", "--embedding", "16", "--hidden",
                                     "16", "--seeds", "1", "2"}),
                  "seeds/seed-1/checkpoints"),
        std::pair(std::vector<std::string>{"tune", "classify", "--space", path("space.toml"),
                                           "--trials", "2", "--out", path("search")},
                  "search/trial-000/checkpoints")}) {
    BackgroundProgram running(words);
    ASSERT_TRUE(BackgroundProgram::until([&, &made = place] { return has(made); }));
    std::this_thread::sleep_for(std::chrono::milliseconds(400));
    running.signal(SIGTERM);
    const auto end = running.wait();
    EXPECT_EQ(end.exit_code, 143) << end.err;
    EXPECT_NE(end.err.find(": interrupted; "), std::string::npos) << end.err;
    EXPECT_EQ(end.out, "") << "nothing that looks like an end";
  }
}

// A batch of a few long texts, whose update takes far longer than two seconds.
TEST_F(InterruptedTraining, EndsWithinTwoSecondsWhateverTheBatch) {
  put(folder_ / "train.tsv", labelled_lines(48, 1000));
  const std::vector<std::string> options = {"--max-updates", "3",   "--embedding",    "256",
                                            "--hidden",      "512", "--batch-tokens", "65000",
                                            "--encoder",     "rnn", "--attention",    "additive"};
  for (const int signals : {1, 2}) {
    const std::string out = fmt::format("long{}", signals);
    BackgroundProgram running(training(out, options));
    // The first update is under way once the folder has its vocabulary.
    ASSERT_TRUE(BackgroundProgram::until([&] { return has(out + "/checkpoints"); }));
    std::this_thread::sleep_for(std::chrono::milliseconds(400));
    running.signal(SIGTERM);
    if (signals == 2) {
      std::this_thread::sleep_for(std::chrono::milliseconds(50));  // two at once are one
      running.signal(SIGTERM);
    }
    const auto end = running.wait();
    EXPECT_EQ(end.exit_code, 143) << end.err;
    EXPECT_LT(end.seconds, signals == 1 ? 2 : .5);
  }
}

}  // namespace
}  // namespace heed::test
