// SPDX-License-Identifier: Apache-2.0
// Copying and documents as their user meets them: train, translate, count what is right, and what
// mistakes get.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "heed/base/random.h"
#include "heed/base/text.h"
#include "run_program.h"

namespace heed::test {
namespace {

using nlohmann::json;
using Words = std::vector<std::string>;

// A training of seconds on the files of `data`.
Words training(const std::filesystem::path& data, const Words& more) {
  return words_of(
      fmt::format("train translate --train-source {0}/train.en --train-target {0}/train.fr "
                  "--out {0}/model --tokeniser words --encoder-layers 1 --decoder-layers 1 "
                  "--dropout 0 --label-smoothing 0 --learning-rate 0.01 --schedule constant "
                  "--batch-tokens 300 --threads 1",
                  data.string()),
      more);
}

const Words kRecurrent = words_of("--model seq2seq --embedding 24 --hidden 32 --tie none");

// The JSON of the first system.
json evaluated(const Words& more) {
  const ProgramResult measured = run_heed(words_of("evaluate --json", more));
  EXPECT_EQ(measured.exit_code, 0) << measured.err;
  return measured.exit_code == 0 ? json::parse(measured.out).at("systems").at(0) : json();
}

std::string a_name(Random& random) {
  std::string name(1, static_cast<char>('A' + random.integer(26)));
  for (int i = 0; i < 6; ++i) name += static_cast<char>('a' + random.integer(26));
  return name;
}

class HeedCopying : public ::testing::Test {
 protected:
  HeedCopying() {
    Random random(3);
    for (const auto& [part, count] : {std::pair("train", 500), std::pair("test", 50)}) {
      std::string source, target;
      for (int i = 0; i < count; ++i) {
        const std::string one = a_name(random), other = a_name(random);
        source += one + " sees " + other + ".\n";
        target += one + " voit " + other + ".\n";
      }
      put(folder_ / (std::string(part) + ".en"), source);
      put(folder_ / (std::string(part) + ".fr"), target);
    }
  }
  std::string path(const char* name) const { return (folder_ / name).string(); }
  // The share of unseen names in their places.
  double copied(Words more) const {
    more.insert(more.end(), kRecurrent.begin(), kRecurrent.end());
    more.insert(more.end(), {"--least-count", "5", "--max-updates", "150", "--reset"});
    const ProgramResult trained = run_heed(training(folder_.path(), more));
    EXPECT_EQ(trained.exit_code, 0) << trained.err;
    const ProgramResult found =
        run_heed({"translate", "--model", path("model"), "--input", path("test.en")});
    EXPECT_EQ(found.exit_code, 0) << found.err;
    put(folder_ / "found", found.out);
    const json score = evaluated({"--hypotheses", path("found"), "--references", path("test.fr"),
                                  "--source", path("test.en"), "--copied", path("train.fr")});
    EXPECT_EQ(score.at("copied").at("words").get<int>(), 100);
    return score.at("copied").at("in_place").get<double>();
  }
  const TemporaryFolder folder_;
};

TEST_F(HeedCopying, WritesUnseenNamesThatAPlainTranslatorCannot) {
  EXPECT_GE(copied({"--copy", "--coverage-loss", "0.1"}), .95);
  const std::string test = get(folder_ / "test.en");
  const std::string_view line = split(test, '\n').front();
  put(folder_ / "one", std::string(line) + "\n");
  const ProgramResult aligned = run_heed(
      {"translate", "--model", path("model"), "--input", path("one"), "--alignments", "pharaoh"});
  EXPECT_NE(aligned.out.find("||| 0-0 "), std::string::npos) << aligned.out << aligned.err;
  EXPECT_EQ(copied({}), 0);
}

TEST_F(HeedCopying, SaysWhatItNeeds) {
  Words options = kRecurrent;
  options.insert(options.end(), {"--copy", "--attention", "none", "--max-updates", "1"});
  const ProgramResult none = run_heed(training(folder_.path(), options));
  EXPECT_EQ(none.exit_code, 2);
  EXPECT_NE(none.err.find("--copy: takes attention, and --attention is none"), std::string::npos)
      << none.err;
  const ProgramResult alone = run_heed({"evaluate", "--hypotheses", path("test.fr"), "--references",
                                        path("test.fr"), "--copied", path("train.fr")});
  EXPECT_EQ(alone.exit_code, 2);
  EXPECT_NE(alone.err.find("--copied: needs --source"), std::string::npos) << alone.err;
}

// "the NOUN is here" and "it sleeps": il or elle, as the noun before says.
class HeedDocuments : public ::testing::Test {
 protected:
  HeedDocuments() {
    Random random(6);
    const std::vector<std::pair<std::string, std::string>> nouns = {
        {"table", "la table"}, {"house", "la maison"}, {"dog", "le chien"}, {"king", "le roi"}};
    for (const auto& [part, count] : {std::pair("train", 200), std::pair("test", 30)}) {
      std::string source, target, pronouns;
      for (int i = 0; i < count; ++i) {
        const auto& [english, french] = nouns[random.integer(nouns.size())];
        const std::string pronoun = french.starts_with("la") ? "elle" : "il";
        source += "the " + english + " is here\nit sleeps\n\n";
        target += french + " est ici\n" + pronoun + " dort\n\n";
        pronouns += std::to_string(3 * i + 2) + "\t0\t" + pronoun + "\n";
      }
      put(folder_ / (std::string(part) + ".en"), source);
      put(folder_ / (std::string(part) + ".fr"), target);
      put(folder_ / (std::string(part) + ".pronouns"), pronouns);
    }
  }
  std::string path(const char* name) const { return (folder_ / name).string(); }
  double pronouns_right(Words more) const {
    more.insert(more.end(), kRecurrent.begin(), kRecurrent.end());
    more.insert(more.end(), {"--max-updates", "150", "--reset"});
    const ProgramResult trained = run_heed(training(folder_.path(), more));
    EXPECT_EQ(trained.exit_code, 0) << trained.err;
    const ProgramResult found = run_heed(
        {"translate", "--model", path("model"), "--input", path("test.en"), "--window", "4"});
    EXPECT_EQ(found.exit_code, 0) << found.err;
    put(folder_ / "found", found.out);
    return evaluated({"--hypotheses", path("found"), "--references", path("test.fr"), "--pronouns",
                      path("test.pronouns")})
        .at("pronouns")
        .get<double>();
  }
  const TemporaryFolder folder_;
};

TEST_F(HeedDocuments, FindThePronounInTheSentenceBefore) {
  EXPECT_EQ(pronouns_right({"--documents"}), 1);
  const ProgramResult scored = run_heed({"score", "--model", path("model"), "--source",
                                         path("test.en"), "--target", path("test.fr")});
  EXPECT_EQ(scored.exit_code, 0) << scored.err;
  EXPECT_EQ(std::ranges::count(scored.out, '\n'), 60) << scored.out;
  EXPECT_LE(pronouns_right({}), .8);
}

TEST_F(HeedDocuments, AreRefusedWithoutEmptyLines) {
  put(folder_ / "train.en", "a\nb\n");
  put(folder_ / "train.fr", "a\nb\n");
  Words options = kRecurrent;
  options.insert(options.end(), {"--documents", "--max-updates", "1"});
  const ProgramResult result = run_heed(training(folder_.path(), options));
  EXPECT_EQ(result.exit_code, 3);
  EXPECT_NE(result.err.find("no empty line on both sides in 2 pairs"), std::string::npos)
      << result.err;
}

}  // namespace
}  // namespace heed::test
