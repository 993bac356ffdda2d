// SPDX-License-Identifier: Apache-2.0
#include "heed/pipeline/classify/classify_options.h"

#include <gtest/gtest.h>

#include "heed/base/error.h"
#include "heed/base/text.h"
#include "heed/pipeline/classify/classify_quality.h"
#include "heed/pipeline/classify/classify_testing.h"
#include "heed/pipeline/masked/masked_options.h"

namespace heed::pipeline {
namespace {

using test::message_of;
using test::TemporaryFolder;
using testing::no_words;

bool holds(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

TEST(TrainClassify, LearnsOpinionsAndLooksAtTheWordsThatGiveThem) {
  TemporaryFolder folder;
  ClassifyOptions options;
  testing::set_small(options, folder.path());
  options.encoder = models::TextEncoderKind::bag;
  options.trainer.max_updates = 300;
  options.trainer.early_stopping = "loss";
  const TrainingReport report = train(options, no_words);
  EXPECT_EQ(report.outcome.best.at("accuracy"), 1);
  EXPECT_TRUE(holds(report.data, "400 texts")) << report.data;

  const Classifier classifier(options.out);
  const auto texts = read_labelled(options.valid, options.form(options.valid), classifier.labels());
  const auto found = classifier.classify(texts, {.attention = true});
  EXPECT_EQ(quality_of(texts, found, classifier.labels())[0].confusion.accuracy(), 1);
  EXPECT_GE(
      evidence_found(read_evidence(folder / "valid.evidence", texts, options.valid), found)[0],
      .95);
  const Classification one = classifier.classify("ba lovely do");
  EXPECT_EQ(one.aspects[0].label, "good");
  EXPECT_EQ(one.words, (std::vector<std::string>{"ba", "lovely", "do"}));
  EXPECT_GT(one.aspects[0].attention[1], .5);
}

TEST(TrainClassify, LearnsByDrawsWhereToLook) {
  // One word is drawn and nothing else is read: only draws can teach which.
  TemporaryFolder folder;
  ClassifyOptions options;
  testing::set_small(options, folder.path());
  options.encoder = models::TextEncoderKind::bag;
  options.attention = "additive | full | sample";
  options.draw.draws = 4;
  options.trainer.max_updates = 300;
  options.trainer.early_stopping = "loss";
  const TrainingReport report = train(options, no_words);
  EXPECT_GE(report.outcome.best.at("accuracy"), .95);
  const Classifier classifier(options.out);
  const auto texts = read_labelled(options.valid, options.form(options.valid), classifier.labels());
  const auto found = classifier.classify(texts, {.attention = true});
  EXPECT_GE(
      evidence_found(read_evidence(folder / "valid.evidence", texts, options.valid), found)[0],
      .95);
}

TEST(TrainClassify, LeavesEverythingAModelFolderHas) {
  TemporaryFolder folder;
  ClassifyOptions options;
  testing::set_small(options, folder.path());
  train(options, no_words);
  for (const char* name : {"model.safetensors", "config.toml", "tokeniser", "labels.tsv", "card.md",
                           "curve.svg", "examples.txt", "checkpoints"}) {
    EXPECT_TRUE(std::filesystem::exists(std::filesystem::path(options.out) / name)) << name;
  }
  EXPECT_TRUE(holds(read_file(options.out + "/card.md"), "| label | bad, good |"));
}

TEST(TrainClassify, InTwoRunsGivesTheWeightsOfOne) {
  TemporaryFolder folder;
  TemporaryFolder other;
  ClassifyOptions whole;
  testing::set_small(whole, folder.path());
  train(whole, no_words);
  ClassifyOptions parts;
  testing::set_small(parts, other.path());
  parts.trainer.max_updates = 13;
  train(parts, no_words);
  const auto weights = [](const ClassifyOptions& options) {
    return read_file(options.out + "/model.safetensors");
  };
  EXPECT_NE(weights(whole), weights(parts));
  parts.trainer.max_updates = 30;
  train(parts, no_words);
  EXPECT_EQ(weights(whole), weights(parts));
}

TEST(TrainClassify, LearnsOtherWeightsWithSmoothedLabels) {
  const auto weights = [](double smoothing) {
    TemporaryFolder folder;
    ClassifyOptions options;
    testing::set_small(options, folder.path());
    options.label_smoothing = smoothing;
    options.trainer.max_updates = 2;
    train(options, no_words);
    return read_file(options.out + "/model.safetensors");
  };
  EXPECT_EQ(weights(0), weights(0));
  EXPECT_NE(weights(0), weights(.1));
}

TEST(TrainClassify, WeighsRareClassesAsItIsTold) {
  // Of 100 equal texts 10 are rare: unweighted the other class always wins, balanced they tie, and
  // with more weight the rare one wins.
  TemporaryFolder folder;
  std::string lines;
  for (int i = 0; i < 100; ++i) lines += i % 10 == 0 ? "rare\tba do\n" : "usual\tba do\n";
  const auto rare = [&](const std::string& weights) {
    ClassifyOptions options;
    testing::set_small(options, folder.path());
    test::put(folder / "train.tsv", lines);
    options.out = (folder / ("model" + weights)).string();
    options.valid = "";
    options.encoder = models::TextEncoderKind::bag;
    options.stack.dropout = 0;
    options.class_weights = weights;
    options.batch_sentences = 100;
    options.trainer.max_updates = 150;
    train(options, no_words);
    return Classifier(options.out).classify("ba do").aspects[0].probabilities[0];
  };
  EXPECT_NEAR(rare("none"), .1, .02);
  EXPECT_NEAR(rare("balanced"), .5, .03);
  EXPECT_NEAR(rare("rare=27"), .75, .03);  // 270 against 90
}

TEST(TrainClassify, TakesTheMeanByTheWeightsOfTheTexts) {
  // Plain steps, where the length of a gradient counts: twice the weight of all is no change.
  const auto weights = [](const std::string& classes) {
    TemporaryFolder folder;
    ClassifyOptions options;
    testing::set_small(options, folder.path());
    options.class_weights = classes;
    options.trainer.optimiser = "sgd";
    options.trainer.clip_norm = 0;
    options.trainer.max_updates = 2;
    train(options, no_words);
    return read_file(options.out + "/model.safetensors");
  };
  EXPECT_EQ(weights("none"), weights("good=2,bad=2"));
  EXPECT_NE(weights("none"), weights("good=2,bad=1"));
}

TEST(TrainClassify, LearnsEveryAspect) {
  TemporaryFolder folder;
  ClassifyOptions options;
  testing::set_small(options, folder.path());
  std::string lines;
  for (int i = 0; i < 40; ++i) {
    lines += fmt::format("{}\t{}\t{} {}\n", i % 2 == 0 ? "a" : "b", i % 4 < 2 ? "x" : "y",
                         i % 2 == 0 ? "ba" : "do", i % 4 < 2 ? "ki" : "lu");
  }
  test::put(folder / "train.tsv", lines);
  test::put(folder / "valid.tsv", lines);
  options.aspects = {"first", "last"};
  options.encoder = models::TextEncoderKind::bag;
  options.trainer.max_updates = 150;
  options.trainer.validate_every = "150";
  EXPECT_EQ(train(options, no_words).outcome.best.at("accuracy"), 1);
}

TEST(TrainClassify, StartsFromTheEncoderAndVocabularyOfMaskedWords) {
  TemporaryFolder folder;
  MaskedOptions masked;
  testing::set_small(masked, folder.path());
  train(masked, no_words);
  ClassifyOptions options;
  testing::set_small(options, folder.path());
  test::put(folder / "train.tsv", "light\tsun shines\nwet\train falls\n");
  options.valid = "";
  options.init_from = masked.out;
  options.trainer.max_updates = 1;
  options.apply_preset();
  EXPECT_EQ(options.encoder, models::TextEncoderKind::transformer);
  EXPECT_EQ(options.stack.width, 16);
  std::string said;
  train(options, [&](std::string_view line) { said += std::string(line) + "\n"; });
  EXPECT_TRUE(holds(said, "tensors come from " + masked.out)) << said;
  EXPECT_FALSE(holds(said, "left as they were: encoder")) << said;
  EXPECT_EQ(read_file(options.out + "/tokeniser"), read_file(masked.out + "/tokeniser"));
}

TEST(TrainClassify, StartsFromTheEncoderAndVocabularyOfAnotherClassifier) {
  TemporaryFolder folder;
  ClassifyOptions first;
  testing::set_small(first, folder.path());
  first.encoder = models::TextEncoderKind::cnn;
  first.filters = {"3"};
  first.hidden = 12;
  first.trainer.max_updates = 1;
  train(first, no_words);
  ClassifyOptions options;
  options.train = first.train;
  options.out = (folder / "second").string();
  options.init_from = first.out;
  options.trainer.max_updates = 1;
  options.apply_preset();
  EXPECT_EQ(options.encoder, models::TextEncoderKind::cnn);
  EXPECT_EQ(options.hidden, 12);
  std::string said;
  train(options, [&](std::string_view line) { said += std::string(line) + "\n"; });
  EXPECT_TRUE(holds(said, "tensors come from " + first.out)) << said;
  EXPECT_FALSE(holds(said, "left as they were")) << said;

  ClassifyOptions wider;
  wider.train = first.train;
  wider.out = (folder / "third").string();
  wider.init_from = first.out;
  wider.embedding = 40;
  wider.hidden = 40;
  wider.trainer.max_updates = 1;
  const std::string message = message_of<UsageError>([&] { train(wider, no_words); });
  EXPECT_TRUE(holds(message, "--hidden is 40 here and 12 there")) << message;
}

TEST(TrainClassify, NamesFileAndLineOfLabelsThatCannotBeLearnt) {
  TemporaryFolder folder;
  const auto message = [&](std::string_view train, std::string_view valid) {
    ClassifyOptions options;
    testing::set_small(options, folder.path());
    test::put(folder / "train.tsv", train);
    test::put(folder / "valid.tsv", valid);
    options.trainer.reset = true;
    return message_of<DataError>([&] { pipeline::train(options, no_words); });
  };
  EXPECT_TRUE(holds(message("a\tx\nno label\n", "a\tx\n"), "train.tsv:2: 1 column"));
  EXPECT_TRUE(holds(message("a\tx\n\tno label\n", "a\tx\n"), "train.tsv:2: label 1 is missing"));
  EXPECT_TRUE(holds(message("a\tx\na\ty\n", "a\tx\n"), "train.tsv: every text has the label"));
  EXPECT_TRUE(holds(message("a\tx\nb\ty\n", "a\tx\nc\tz\n"),
                    "valid.tsv:2: no training text has the label \"c\""));
}

TEST(TrainClassify, TakesPairsDocumentsAndSeveralAspects) {
  TemporaryFolder folder;
  ClassifyOptions pairs;
  testing::set_small(pairs, folder.path());
  test::put(folder / "train.tsv", "yes\tba do\tba\nno\tki lu\tba\n");
  pairs.valid = "";
  pairs.second = true;
  pairs.trainer.max_updates = 2;
  train(pairs, no_words);
  const Classifier compares(pairs.out);
  EXPECT_EQ(compares.classify("ba do", "ba").aspects[0].attention.size(), 2u);
  EXPECT_TRUE(holds(message_of<UsageError>([&] { compares.classify("ba do"); }),
                    "this model compares two texts"));

  ClassifyOptions documents;
  testing::set_small(documents, folder.path());
  test::put(folder / "train.tsv", "a\tx\tba do. Ki lu.\nb\ty\tki lu. Ba do. Me!\n");
  documents.out = (folder / "documents").string();
  documents.valid = "";
  documents.documents = true;
  documents.aspects = {"first", "last"};
  documents.trainer.max_updates = 2;
  train(documents, no_words);
  const Classification found = Classifier(documents.out).classify("Ba do. Me ki.");
  ASSERT_EQ(found.aspects.size(), 2u);
  EXPECT_EQ(found.aspects[1].aspect, "last");
  double sum = 0;
  for (const double weight : found.aspects[1].attention) sum += weight;
  EXPECT_NEAR(sum, 1, 1e-5);
}

TEST(TrainClassify, LearnsFromATableAsASpreadsheetExportsIt) {
  TemporaryFolder folder;
  ClassifyOptions options;
  testing::set_small(options, folder.path());
  // A byte order mark, CRLF, quotes, commas and line breaks in fields, columns in another order.
  std::string table = "\xEF\xBB\xBFnumber,meinung,urteil\r\n";
  int number = 0;
  const testing::Opinions opinions = testing::opinions(400, 1);
  for (const std::string_view line : split(opinions.lines, '\n')) {
    const std::size_t tab = line.find('\t');
    if (tab == line.npos) continue;
    table += fmt::format("{},\"ba, \"\"do\"\"\r\n{}\",{}\r\n", ++number, line.substr(tab + 1),
                         line.substr(0, tab));
  }
  write_atomically(folder / "train.csv", table);
  options.train = (folder / "train.csv").string();
  options.valid = "";
  options.valid_fraction = .2;
  options.labelled.text_column = "meinung";
  options.labelled.label_columns = {"urteil"};
  const TrainingReport report = train(options, no_words);
  EXPECT_GE(report.outcome.best.at("accuracy"), .95);
  const Classifier classifier(options.out);
  // A test file is read as training was told to read its own.
  const auto texts = read_labelled(folder / "train.csv", classifier.form(folder / "train.csv"),
                                   classifier.labels());
  EXPECT_EQ(texts.size(), 400u);
  EXPECT_TRUE(holds(texts[0].text, "ba, \"do\" "));
}

}  // namespace
}  // namespace heed::pipeline
