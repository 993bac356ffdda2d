// SPDX-License-Identifier: Apache-2.0
#include "heed/pipeline/translate/translator.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "heed/attention/trace_testing.h"
#include "heed/base/error.h"
#include "heed/base/safetensors.h"
#include "heed/pipeline/testing.h"

namespace heed::pipeline {
namespace {

// One folder for all tests of this file; trained once.
class ATranslator : public ::testing::TestWithParam<std::string> {
 protected:
  static std::filesystem::path folder(const std::string& kind) {
    static std::map<std::string, std::unique_ptr<test::TemporaryFolder>> folders;
    std::unique_ptr<test::TemporaryFolder>& mine = folders[kind];
    if (!mine) {
      mine = std::make_unique<test::TemporaryFolder>();
      TranslationOptions options;
      testing::set_small(options, mine->path(), kind);
      train(options, testing::silent);
    }
    return mine->path() / "model";
  }
  const std::vector<std::string> lines_ = {"a b c", "f", "e d c b a", "", "b b"};
};

TEST_P(ATranslator, GivesTheSameInABatchAndLineByLine) {
  const Translator translator(folder(GetParam()));
  for (const int width : {1, 4}) {
    const TranslateOptions options{.beam = {.width = width}};
    const auto all = translator.translate(lines_, options);
    for (std::size_t i = 0; i < lines_.size(); ++i) {
      const Translation one = translator.translate(lines_[i], options);
      EXPECT_EQ(all[i].front().text, one.text) << lines_[i];
      EXPECT_NEAR(all[i].front().log_probability, one.log_probability, 1e-5);
    }
  }
}

TEST_P(ATranslator, RunsWithSettingsAsItsVerbWould) {
  const Translator translator(folder(GetParam()));
  const std::vector<Input> inputs = {{"a b c"}, {"f"}};
  const auto best = translator.run(inputs, {{"beam", "3"}, {"n-best", "2"}});
  ASSERT_EQ(best.size(), 2u);
  const auto searched = translator.translate({"a b c"}, {.beam = {.width = 3, .n_best = 2}});
  ASSERT_EQ(best[0].size(), 2u);
  for (std::size_t i = 0; i < 2; ++i) EXPECT_EQ(best[0][i].text, searched[0][i].text);
  EXPECT_EQ(translator.trace(inputs, {{"beam", "1"}}).size(), 2u);
  EXPECT_THROW(translator.run(inputs, {{"beam", "0"}}), UsageError);
  const std::string message = test::message_of<UsageError>([&] {
    translator.run(inputs, {{"bean", "3"}});
  });
  EXPECT_TRUE(message.starts_with("a translator has no setting \"bean\"; it has beam, n-best,"))
      << message;
}

TEST_P(ATranslator, ScoresItsOwnTranslationAsItsSearchDid) {
  const Translator translator(folder(GetParam()));
  for (const char* line : {"a b c", "e d"}) {
    const Translation best = translator.translate(line);
    if (!best.finished) continue;
    const InputScore score = translator.score(line, best.text);
    EXPECT_EQ(score.pieces, best.pieces);
    EXPECT_NEAR(score.log_probability, best.log_probability, 1e-4);
    EXPECT_NEAR(std::accumulate(score.token_log_probabilities.begin(),
                                score.token_log_probabilities.end(), 0.0),
                score.log_probability, 1e-5);
  }
}

// Of every set, head by head.
void expect_same_traces(const insight::TracedExample& a, const insight::TracedExample& b) {
  ASSERT_EQ(a.attentions.size(), b.attentions.size());
  for (std::size_t i = 0; i < a.attentions.size(); ++i) {
    EXPECT_EQ(a.attentions[i].kind, b.attentions[i].kind);
    ASSERT_EQ(a.attentions[i].heads.size(), b.attentions[i].heads.size());
    for (std::size_t h = 0; h < a.attentions[i].heads.size(); ++h) {
      attention::testing::expect_same_looks(a.attentions[i].heads[h].weights,
                                            b.attentions[i].heads[h].weights, 1e-4);
    }
  }
}

TEST_P(ATranslator, TracesTheSameInABatchAloneByBeamsAndOfAGivenTranslation) {
  const Translator translator(folder(GetParam()));
  const auto all = translator.translate(lines_, {.beam = {.width = 1}, .trace = true});
  int alike = 0;
  for (std::size_t i = 0; i < lines_.size(); ++i) {
    const Translation& greedy = all[i].front();
    ASSERT_NO_THROW(insight::check({.examples = {greedy.trace}}));
    const TranslateOptions alone{.beam = {.width = 1}, .trace = true};
    expect_same_traces(greedy.trace, translator.translate(lines_[i], alone).trace);
    const Translation beam = translator.translate(lines_[i], {.trace = true});
    if (beam.pieces == greedy.pieces) {
      expect_same_traces(greedy.trace, beam.trace);
      ++alike;
    }
    if (!greedy.finished) continue;
    const std::vector<InputScore> given =
        translator.score(std::span(&lines_[i], 1), std::span(&greedy.text, 1), {.trace = true});
    ASSERT_EQ(given.front().pieces, greedy.pieces);
    expect_same_traces(greedy.trace, given.front().trace);
  }
  EXPECT_GT(alike, 0) << "no beam found what greedy choice finds";
}

TEST_P(ATranslator, TracesEveryKindOfAttentionWithItsMask) {
  const Translator translator(folder(GetParam()));
  const insight::TracedExample trace =
      translator.translate(lines_, {.trace = true}).front().front().trace;
  std::vector<std::string> kinds;
  for (const insight::AttentionSet& set : trace.attentions) {
    kinds.push_back(set.kind);
    for (const insight::TracedHead& head : set.heads) {
      attention::testing::expect_distributions(
          head.weights, [&](auto q, auto k) { return set.kind != "decoder self" || k <= q; });
    }
  }
  const std::vector<std::string> recurrent = {"cross"};
  const std::vector<std::string> transformer = {"encoder self", "decoder self", "cross"};
  EXPECT_EQ(kinds, GetParam() == "transformer" ? transformer : recurrent);
  EXPECT_EQ(insight::strip_of(trace, "source").words, (std::vector<int>{0, 1, 2, -1}));
}

TEST_P(ATranslator, TracesTheModelsOfAnEnsembleOneByOne) {
  const std::vector<std::filesystem::path> twice = {folder(GetParam()), folder(GetParam())};
  const Translator translator{std::span<const std::filesystem::path>(twice)};
  const insight::TracedExample trace = translator.translate("a b", {.trace = true}).trace;
  ASSERT_NO_THROW(insight::check({.examples = {trace}}));
  const auto kinds = [&](std::string_view end) {
    return std::ranges::count_if(trace.attentions, [&](const insight::AttentionSet& set) {
      return set.kind.ends_with(end) == true;
    });
  };
  EXPECT_EQ(kinds(" of model 2"), GetParam() == "transformer" ? 3 : 1);
  EXPECT_EQ(trace.attentions.size(), GetParam() == "transformer" ? 6u : 2u);
}

TEST_P(ATranslator, SaysWhereItLookedForEveryTokenAndLayer) {
  const Translator translator(folder(GetParam()));
  const Translation found = translator.translate("a b c", {.attention = true});
  EXPECT_EQ(found.source_pieces, (std::vector<std::string>{"a", "b", "c", "</s>"}));
  ASSERT_EQ(found.weights.shape(),
            Shape({static_cast<std::int64_t>(found.pieces.size()), std::int64_t{4}}));
  for (std::int64_t t = 0; t < found.weights.size(0); ++t) {
    const auto row = found.weights.select(0, t).values();
    EXPECT_NEAR(std::accumulate(row.begin(), row.end(), 0.0), 1, 1e-5);
  }
  bool cross = false;
  for (const auto& path : found.attentions)
    cross = cross || path.site.role == attention::Role::cross;
  EXPECT_TRUE(cross);
}

TEST_P(ATranslator, BegunGoesOn) {
  const Translator translator(folder(GetParam()));
  const Translation found = translator.translate("a b c", {.prefixes = {"F F"}});
  EXPECT_EQ(found.text.substr(0, 3), "F F");
}

TEST_P(ATranslator, SamplesTheSameForALineWhateverStandsBesideIt) {
  const Translator translator(folder(GetParam()));
  const TranslateOptions options{.search = SearchKind::sample, .sampling = {.samples = 3}};
  const auto all = translator.translate(lines_, options);
  const std::string first = lines_[0];
  const auto one = translator.translate(std::span(&first, 1), options);
  ASSERT_EQ(all[0].size(), 3);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(all[0][i].text, one[0][i].text);
}

TEST_P(ATranslator, TwiceTheSameModelVotesLikeOne) {
  const std::vector<std::filesystem::path> twice(2, folder(GetParam()));
  const Translator one(folder(GetParam()));
  const Translator two{std::span<const std::filesystem::path>(twice)};
  EXPECT_EQ(two.translate("a b c").text, one.translate("a b c").text);
  EXPECT_NEAR(two.score("a b", "B A").log_probability, one.score("a b", "B A").log_probability,
              1e-5);
}

INSTANTIATE_TEST_SUITE_P(Models, ATranslator, ::testing::Values("seq2seq", "transformer"),
                         [](const auto& info) {
                           return info.param == "seq2seq" ? "Seq2Seq" : "Transformer";
                         });

TEST(Translator, RefusesAFolderThatIsNoWholeModelAndNamesWhatIsWrong) {
  test::TemporaryFolder folder;
  const auto message = [&]() -> std::string {
    try {
      Translator translator(folder.path() / "model");
    } catch (const DataError& error) {
      return error.what();
    }
    return "no error";
  };
  EXPECT_NE(message().find("no such folder"), std::string::npos);
  TranslationOptions options;
  testing::set_small(options, folder.path());
  options.trainer.max_updates = 2;
  train(options, testing::silent);
  EXPECT_EQ(message(), "no error");

  const std::string weights = (folder.path() / "model/model.safetensors").string();
  const std::string whole = read_file(weights);
  write_atomically(weights, whole.substr(0, whole.size() / 2));
  EXPECT_NE(message().find("model.safetensors"), std::string::npos) << message();
  SafetensorsWriter newer;
  newer.set_metadata("format", "2");
  newer.set_metadata("heed", "9.0");
  newer.write(weights);
  EXPECT_NE(message().find("format 2, written by heed 9.0"), std::string::npos) << message();
  write_atomically(weights, whole);

  std::filesystem::remove(folder.path() / "model/target.tokeniser");
  EXPECT_NE(message().find("target.tokeniser"), std::string::npos) << message();
  std::filesystem::remove(folder.path() / "model/source.tokeniser");
  EXPECT_NE(message().find("source.tokeniser is missing"), std::string::npos) << message();
}

}  // namespace
}  // namespace heed::pipeline
