// SPDX-License-Identifier: Apache-2.0
// What validation measures of a classifier that has learnt nothing yet.
#include "heed/pipeline/classify/classify_validation.h"

#include <gtest/gtest.h>

#include "heed/base/error.h"
#include "heed/models/syntactic_attention.h"
#include "heed/pipeline/classify/classify_testing.h"

namespace heed::pipeline {
namespace {

class ValidatedClassifier : public ::testing::Test {
 protected:
  ValidatedClassifier() {
    testing::set_small(options_, folder_.path());
    for (const char* label : {"bad", "good"}) labels_.add(std::vector<std::string>{label});
    std::string heads;  // of six words each: all hang on the first
    for (int i = 0; i < 40; ++i) heads += "0 1 1 1 1 1\n";
    write_atomically(folder_ / "few.heads", heads);
    write_atomically(folder_ / "few.tsv", testing::opinions(40, 5).lines);
    options_.valid = (folder_ / "few.tsv").string();
  }
  ClassifyValidation validation(const GoldTrees& trees = {}) {
    const ClassifyFiles files(options_);
    model_ =
        std::make_unique<models::Classifier>(options_.model(tokeniser_->size(), labels_), random_);
    asked_ =
        std::make_unique<AttentionLosses>(options_.attention_losses, *tokeniser_, labels_, *model_);
    return ClassifyValidation({options_, files, *tokeniser_, labels_, *model_, trees, *asked_});
  }

  test::TemporaryFolder folder_;
  ClassifyOptions options_;
  std::unique_ptr<AttentionLosses> asked_;
  text::Labels labels_{std::vector<std::string>{"label"}};
  TokeniserPointer tokeniser_ =
      text::train_tokeniser({.kind = text::TokeniserKind::words},
                            std::vector<std::string>{"ba do ki lu me na fine lovely awful dirty"});
  Random random_{3};
  std::unique_ptr<models::Classifier> model_;
};

TEST_F(ValidatedClassifier, HasAccuracyLossAndF1) {
  ClassifyValidation found = validation();
  EXPECT_EQ(found.metrics().size(), 3U);
  const training::Metrics measured = found.measure();
  EXPECT_EQ(measured.size(), 3U);
  EXPECT_GE(measured.at("accuracy"), 0);
  EXPECT_LE(measured.at("accuracy"), 1);
  EXPECT_GT(measured.at("loss"), 0);
  EXPECT_EQ(found.pairs().size(), 40U);
}

TEST_F(ValidatedClassifier, CountsHeadsWhereTreesAreKnown) {
  options_.syntax = "bilinear | full | tree";
  options_.valid_trees = (folder_ / "few.heads").string();
  ClassifyValidation found = validation();
  EXPECT_EQ(found.metrics().back().name, "attachment");
  const double attachment = found.measure().at("attachment");
  EXPECT_GE(attachment, 0);
  EXPECT_LT(attachment, 1) << "nothing was learnt yet";
}

TEST_F(ValidatedClassifier, NeedsATreeForEachText) {
  options_.syntax = "bilinear | full | tree";
  write_atomically(folder_ / "few.heads", "0 1 1 1 1 1\n");
  options_.valid_trees = (folder_ / "few.heads").string();
  EXPECT_THROW(validation(), DataError);
}

}  // namespace
}  // namespace heed::pipeline
