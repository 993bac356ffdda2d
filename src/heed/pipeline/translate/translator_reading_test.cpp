// SPDX-License-Identifier: Apache-2.0
// Translators that copy, and translators of documents: learnt, alone and in batches.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "heed/attention/trace_testing.h"
#include "heed/base/error.h"
#include "heed/pipeline/testing.h"
#include "heed/pipeline/translate/translator.h"

namespace heed::pipeline {
namespace {

using test::TemporaryFolder;

// A name that hardly comes twice.
std::string a_name(Random& random) {
  constexpr std::string_view kSyllables[] = {"ba", "do", "ki", "lu", "me", "na", "po", "ri", "su"};
  std::string name = "X";
  for (int i = 0; i < 4; ++i) name += kSyllables[random.integer(9)];
  return name;
}

// "call NAME and NAME" -> "NAME et NAME : appelle", the second name first.
void put_names(const std::filesystem::path& folder) {
  Random random(4);
  for (const auto& [part, count] : {std::pair("train", 400), std::pair("valid", 20)}) {
    std::string source, target;
    for (int i = 0; i < count; ++i) {
      const std::string one = a_name(random), other = a_name(random);
      source += "call " + one + " and " + other + "\n";
      target += other + " et " + one + " appelle\n";
    }
    write_atomically(folder / (std::string(part) + ".src"), source);
    write_atomically(folder / (std::string(part) + ".tgt"), target);
  }
}

void set_copying(TranslationOptions& options, const std::filesystem::path& folder,
                 const std::string& kind) {
  testing::set_small(options, folder, kind);
  put_names(folder);
  options.model.copy = true;
  options.model.stack.dropout = 0;
  options.vocabulary.least_count = 20;
  options.trainer.max_updates = 150;
  options.trainer.validate_every = "150";
  options.valid_metrics = {"exact"};
  options.coverage_loss = .1;
}

class ACopyingTranslator : public ::testing::TestWithParam<std::string> {};

TEST_P(ACopyingTranslator, WritesNamesThatNoVocabularyHas) {
  const TemporaryFolder folder;
  TranslationOptions options;
  set_copying(options, folder.path(), GetParam());
  const TrainingReport report = train(options, testing::silent);
  EXPECT_GE(report.outcome.best.at("exact"), .9);
  const Translator translator(options.out);
  EXPECT_LT(translator.vocabularies().target->size(), 10);

  const std::vector<std::string> lines = {"call Zorva and Mulk", "call Onnegin and Onnegin", "and",
                                          "call Quux"};
  for (const int width : {1, 3}) {
    const TranslateOptions search{.beam = {.width = width}, .attention = true};
    const std::vector<Translations> all = translator.translate(lines, search);
    EXPECT_EQ(all[0].front().text, "Mulk et Zorva appelle");
    EXPECT_EQ(all[0].front().pieces,
              (std::vector<std::string>{"Mulk", "et", "Zorva", "appelle", "</s>"}));
    // The weights it copies with are those it is aligned by.
    const std::string links = text::to_pharaoh(all[0].front().alignment);
    EXPECT_NE(links.find("3-0"), std::string::npos) << links;
    for (std::size_t i = 0; i < lines.size(); ++i) {
      const Translation alone = translator.translate(lines[i], search);
      EXPECT_EQ(all[i].front().text, alone.text);
      EXPECT_NEAR(all[i].front().log_probability, alone.log_probability, 1e-4);
    }
  }
  // What was copied, and from where: "Mulk" is the fourth word.
  const insight::TracedExample trace = translator.translate(lines[0], {.trace = true}).trace;
  ASSERT_NO_THROW(insight::check({.examples = {trace}}));
  ASSERT_EQ(trace.attentions.back().kind, "copy");
  ASSERT_EQ(trace.attentions.back().heads.size(), 1u);
  const Tensor& copied = trace.attentions.back().heads[0].weights;
  ASSERT_EQ(copied.shape(), Shape({5, 5}));
  EXPECT_GT(copied.at({0, 3}), .5);
  EXPECT_GT(copied.at({2, 1}), .5);
  for (int k = 0; k < 5; ++k) EXPECT_LT(copied.at({1, k}), .3) << "\"et\" is generated";

  const InputScore score = translator.score(lines[0], "Mulk et Zorva appelle");
  EXPECT_EQ(score.pieces.front(), "Mulk");
  EXPECT_NEAR(score.log_probability, translator.translate(lines[0]).log_probability, 1e-4);
  EXPECT_LT(translator.score(lines[0], "Zorva et Mulk appelle").log_probability,
            score.log_probability - 1);
  EXPECT_EQ(translator.translate(lines[0], {.prefixes = {"Zorva"}}).pieces.front(), "Zorva");
}

INSTANTIATE_TEST_SUITE_P(Models, ACopyingTranslator, ::testing::Values("seq2seq", "transformer"),
                         [](const auto& info) {
                           return info.param == "seq2seq" ? "Seq2Seq" : "Transformer";
                         });

// Two sentences: a letter, then "it", which is translated by what was before: "a" -> "A", then
// "it" -> "elle" after a vowel and "il" after a consonant.
void put_documents(const std::filesystem::path& folder) {
  Random random(5);
  for (const auto& [part, count] : {std::pair("train", 300), std::pair("valid", 20)}) {
    std::string source, target;
    for (int i = 0; i < count; ++i) {
      const char letter = "abcdei"[random.integer(6)];
      const bool vowel = letter == 'a' || letter == 'e' || letter == 'i';
      source += std::string("the ") + letter + "\nit runs\n\n";
      target += std::string("le ") + static_cast<char>(letter - 'a' + 'A') + "\n" +
                (vowel ? "elle" : "il") + " court\n\n";
    }
    write_atomically(folder / (std::string(part) + ".src"), source);
    write_atomically(folder / (std::string(part) + ".tgt"), target);
  }
}

struct DocumentCase {
  const char* name;
  std::string kind;
  ContextSide side;
};

void set_documents(TranslationOptions& options, const std::filesystem::path& folder,
                   const DocumentCase& wish) {
  testing::set_small(options, folder, wish.kind);
  put_documents(folder);
  options.model.documents = true;
  options.model.context_side = wish.side;
  options.model.stack.dropout = 0;
  options.trainer.max_updates = 200;
  options.trainer.validate_every = "200";
  options.valid_metrics = {"exact"};
}

class ADocumentTranslator : public ::testing::TestWithParam<DocumentCase> {};

TEST_P(ADocumentTranslator, ReadsTheSentenceBeforeInItsDocumentOnly) {
  const TemporaryFolder folder;
  TranslationOptions options;
  set_documents(options, folder.path(), GetParam());
  const TrainingReport report = train(options, testing::silent);
  EXPECT_GE(report.outcome.best.at("exact"), .95);
  const Translator translator(options.out);
  ASSERT_TRUE(translator.reads_documents());

  const std::vector<std::string> lines = {"the a", "it runs", "", "the b", "it runs"};
  const std::vector<Translations> all = translator.translate(lines);
  EXPECT_EQ(all[0].front().text, "le A");
  EXPECT_EQ(all[1].front().text, "elle court");
  EXPECT_EQ(all[2].front().text, "");
  EXPECT_EQ(all[4].front().text, "il court");

  // The order of documents does not matter, nor what is in the same batch.
  const std::vector<std::string> turned = {"the b", "it runs", "", "the a", "it runs"};
  const std::vector<Translations> other = translator.translate(turned);
  const std::vector<Translations> alone = translator.translate(std::span(lines).subspan(0, 2));
  for (const std::size_t i : {0, 1}) {
    EXPECT_NEAR(other[3 + i].front().log_probability, all[i].front().log_probability, 1e-4);
    EXPECT_NEAR(alone[i].front().log_probability, all[i].front().log_probability, 1e-4);
  }
  // The first sentence of a document has nothing before it, whatever ended the one before.
  const std::vector<std::string> firsts = {"the a", "", "it runs"};
  EXPECT_NEAR(translator.translate(firsts)[2].front().log_probability,
              translator.translate("it runs").log_probability, 1e-5);

  const std::vector<std::string> targets = {"le A", "elle court", "", "le B", "il court"};
  const std::vector<InputScore> scores = translator.score(lines, targets);
  EXPECT_TRUE(scores[2].pieces.empty());
  for (const std::size_t i : {0, 1, 3, 4}) {
    EXPECT_NEAR(scores[i].log_probability, all[i].front().log_probability, 1e-4) << i;
  }
  const Translation seen = translator.translate(lines, {.attention = true})[1].front();
  const auto contexts = std::ranges::count_if(seen.attentions, [](const auto& path) {
    return path.site.role == attention::Role::context_sentences;
  });
  EXPECT_EQ(contexts, GetParam().side == ContextSide::both ? 2 : 1);
  const auto traced_lines = translator.translate(lines, {.trace = true});
  const auto traced_scores = translator.score(lines, targets, {.trace = true});
  for (const std::size_t i : {0, 1}) {
    const insight::TracedExample& trace = traced_lines[i].front().trace;
    ASSERT_NO_THROW(insight::check({.examples = {trace}}));
    const auto reads = std::ranges::count_if(
        trace.attentions, [](const auto& set) { return set.kind.ends_with("context words"); });
    // Nothing is before the first sentence.
    EXPECT_EQ(reads, i == 0 ? 0 : contexts);
    const insight::TracedExample& given = traced_scores[i].trace;
    ASSERT_EQ(given.attentions.size(), trace.attentions.size());
    for (std::size_t a = 0; a < trace.attentions.size(); ++a) {
      attention::testing::expect_same_looks(given.attentions[a].heads[0].weights,
                                            trace.attentions[a].heads[0].weights, 1e-4);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(
    Models, ADocumentTranslator,
    ::testing::Values(DocumentCase{"Seq2Seq", "seq2seq", ContextSide::source},
                      DocumentCase{"Source", "transformer", ContextSide::source},
                      DocumentCase{"Target", "transformer", ContextSide::target},
                      DocumentCase{"Both", "transformer", ContextSide::both}),
    [](const auto& info) { return info.param.name; });

template <typename Error>
std::string message_of(const TranslationOptions& options) {
  return test::message_of<Error>([&] { train(options, testing::silent); });
}

TEST(Documents, AreRefusedWithoutAnEmptyLine) {
  const TemporaryFolder folder;
  TranslationOptions options;
  set_documents(options, folder.path(), {"", "seq2seq", ContextSide::source});
  write_atomically(folder / "train.src", std::string_view("a\nb\n"));
  write_atomically(folder / "train.tgt", std::string_view("A\nB\n"));
  EXPECT_NE(message_of<DataError>(options).find("no empty line on both sides in 2 pairs"),
            std::string::npos);
  options.model.context_side = ContextSide::both;
  EXPECT_NE(message_of<UsageError>(options).find("--context-side"), std::string::npos);
  options.model.context_side = ContextSide::source;
  options.valid_source = options.valid_target = "";
  options.valid_fraction = .1;
  EXPECT_NE(message_of<UsageError>(options).find("--documents: takes two files each"),
            std::string::npos);
}

TEST(Copying, IsRefusedWhereItCannotBe) {
  const TemporaryFolder folder;
  TranslationOptions options;
  set_copying(options, folder.path(), "seq2seq");
  options.label_smoothing = .1;
  EXPECT_NE(message_of<UsageError>(options).find("--label-smoothing 0.1"), std::string::npos);
  options.label_smoothing = 0;
  options.model.attention = "none";
  EXPECT_NE(message_of<UsageError>(options).find("--copy: takes attention"), std::string::npos);
  options.model.attention = "";
  options.vocabulary.tokeniser = text::TokeniserKind::unigram;
  options.vocabulary.size = 60;
  EXPECT_NE(message_of<UsageError>(options).find("--shared-vocabulary"), std::string::npos);
  options.model.copy = false;
  EXPECT_NE(message_of<UsageError>(options).find("--coverage-loss"), std::string::npos);
}

}  // namespace
}  // namespace heed::pipeline
