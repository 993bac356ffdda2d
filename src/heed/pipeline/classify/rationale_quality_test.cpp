// SPDX-License-Identifier: Apache-2.0
// Rationales against evidence, and trainings of seconds that find the words that decide.
#include "heed/pipeline/classify/rationale_quality.h"

#include <gtest/gtest.h>

#include <cmath>

#include "heed/base/error.h"
#include "heed/base/text.h"
#include "heed/pipeline/classify/classify_options.h"
#include "heed/pipeline/classify/classify_testing.h"

namespace heed::pipeline {
namespace {

using test::message_of;
using test::TemporaryFolder;
using testing::no_words;

Classification with_kept(std::vector<double> kept) {
  return {.aspects = {{.aspect = "label", .attention = std::move(kept)}}};
}

TEST(RationaleQuality, CountsWordsThatDecideOverAllTexts) {
  const std::vector<Classification> found = {with_kept({1, .5, 0, 1}), with_kept({0, 0}),
                                             with_kept({1, 0, 0})};
  const std::vector<Evidence> evidence = {{{1, 2}}, {{0}}, {{}}};
  const RationaleQuality quality = rationale_quality(found, evidence).front();
  EXPECT_DOUBLE_EQ(quality.share, 4. / 9);
  EXPECT_DOUBLE_EQ(quality.runs, 1) << "two, none and one";
  EXPECT_DOUBLE_EQ(quality.precision, 1. / 3) << "a text without evidence says nothing";
  EXPECT_DOUBLE_EQ(quality.recall, 1. / 3);
  EXPECT_DOUBLE_EQ(quality.f1, 1. / 3);
  EXPECT_TRUE(std::isnan(rationale_quality(found).front().f1));
  EXPECT_THROW(rationale_quality(found, std::span(evidence).first(2)), UsageError);
}

ClassifyOptions small_rationale(const TemporaryFolder& folder, const std::string& gate) {
  ClassifyOptions options;
  testing::set_small(options, folder.path());
  options.encoder = models::TextEncoderKind::cnn;
  options.filters = {"1", "3"};
  options.rationale = {.gate = gate, .hidden = 8};
  options.rationale_loss = {.size = .1, .changes = 0, .rise = 150};
  options.outsider_updates = 200;
  options.stack.dropout = 0;
  options.trainer.max_updates = 500;
  options.trainer.validate_every = "100";
  options.trainer.early_stopping = "loss";
  return options;
}

TEST(TrainClassify, FindsRationalesThatAreTheWordsThatDecide) {
  for (const char* gate : {"bernoulli", "sample(of=sigmoid, gradient=straight-through)"}) {
    SCOPED_TRACE(gate);
    TemporaryFolder folder;
    const ClassifyOptions options = small_rationale(folder, gate);
    train(options, no_words);
    const Classifier classifier(options.out);
    ASSERT_TRUE(classifier.selects());
    const auto texts =
        read_labelled(options.valid, options.form(options.valid), classifier.labels());
    const auto found = classifier.classify(texts, {.attention = true, .trace = true});
    EXPECT_GE(quality_of(texts, found, classifier.labels())[0].confusion.accuracy(), .95);
    const RationaleQuality quality =
        rationale_quality(found, read_evidence(folder / "valid.evidence", texts, options.valid))
            .front();
    EXPECT_GE(quality.f1, .9);
    EXPECT_LE(quality.share, .25) << "one word in six decides";
    ASSERT_EQ(found[0].trace.strips.size(), 3u);
    EXPECT_EQ(found[0].trace.strips[1].name, "rationale");
    const std::string card = read_file(options.out + "/card.md");
    EXPECT_NE(card.find("| rationales read by an outsider | accuracy "), std::string::npos) << card;
  }
}

TEST(TrainClassify, WithARationaleInTwoRunsGivesTheWeightsOfOne) {
  const auto weights = [](const TemporaryFolder& folder, std::vector<std::int64_t> until) {
    ClassifyOptions options = small_rationale(folder, "hard_concrete");
    options.rationale_loss.rate = "0.2";
    options.outsider_updates = 0;
    for (const std::int64_t updates : until) {
      options.trainer.max_updates = updates;
      train(options, no_words);
    }
    return read_file(options.out + "/model.safetensors");
  };
  TemporaryFolder one, two;
  EXPECT_EQ(weights(one, {30}), weights(two, {13, 30}));
}

TEST(ClassifyOptions, RefuseWhatARationaleCannotBeWith) {
  const auto message = [](auto change) {
    TemporaryFolder folder;
    ClassifyOptions options = small_rationale(folder, "bernoulli");
    change(options);
    return message_of<UsageError>([&] { options.check(); });
  };
  EXPECT_TRUE(message([](auto& o) { o.attention = "dot"; }).starts_with("--attention dot: with "));
  EXPECT_TRUE(message([](auto& o) { o.second = true; }).starts_with("--rationale: it is of one "));
  EXPECT_TRUE(message([](auto& o) { o.init_from = "m"; }).starts_with("--init-from: with "));
  EXPECT_TRUE(
      message([](auto& o) { o.rationale_loss.rate = "1"; }).starts_with("--rationale-rate"));
  EXPECT_TRUE(message([](auto& o) {
                o.rationale.predictor = models::TextEncoderKind::transformer;
              }).starts_with("--predictor transformer"));
}

}  // namespace
}  // namespace heed::pipeline
