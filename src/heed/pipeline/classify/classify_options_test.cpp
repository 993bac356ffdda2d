// SPDX-License-Identifier: Apache-2.0
#include "heed/pipeline/classify/classify_options.h"

#include <gtest/gtest.h>

#include "heed/base/error.h"
#include "heed/base/testing.h"

namespace heed::pipeline {
namespace {

TEST(ClassifyOptions, HavePresetsThatMakeModels) {
  text::Labels labels(std::vector<std::string>{"label"});
  for (const char* label : {"no", "yes"}) labels.add(std::vector<std::string>{label});
  for (const Preset& preset : classify_presets()) {
    ClassifyOptions options;
    options.preset = preset.name;
    options.apply_preset();
    Random random(1);
    EXPECT_NO_THROW(models::Classifier(options.model(50, labels), random)) << preset.name;
  }
}

TEST(ClassifyOptions, GoBeforeTheirPreset) {
  ClassifyOptions options;
  options.preset = "hierarchical";
  options.list.set("hidden", std::vector<std::string>{"33"});
  options.apply_preset();
  EXPECT_TRUE(options.documents);
  EXPECT_EQ(options.hidden, 33);
}

TEST(ClassifyOptions, SayWhatDoesNotFit) {
  const auto message = [](auto change) {
    ClassifyOptions options;
    options.out = "model";
    options.train = "train.tsv";
    options.trainer.max_updates = 1;
    change(options);
    return test::message_of<UsageError>([&] { options.check(); });
  };
  EXPECT_EQ(message([](auto& o) { o.train = ""; }),
            "--train: say which file has the training texts");
  EXPECT_TRUE(message([](auto& o) {
                o.labelled.format = text::LabelledFormat::trees;
                o.second = true;
              }).starts_with("--format: only tsv"));
  EXPECT_TRUE(message([](auto& o) {
                o.too_long = text::TooLong::split;
              }).starts_with("--too-long split: a part of a text"));
  EXPECT_TRUE(message([](auto& o) {
                o.valid = "valid.tsv";
                o.valid_fraction = .1;
              }).starts_with("validation data"));
  EXPECT_TRUE(message([](auto& o) {
                o.matching = models::Matching::words;
              }).starts_with("--matching words: it compares a second text"));
  EXPECT_TRUE(message([](auto& o) {
                o.keys = models::PoolingKeys::words;
                o.attention = "none";
              }).starts_with("--keys words: keys are of attention"));
}

}  // namespace
}  // namespace heed::pipeline
