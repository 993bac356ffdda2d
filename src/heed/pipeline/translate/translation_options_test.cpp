// SPDX-License-Identifier: Apache-2.0
#include "heed/pipeline/translate/translation_options.h"

#include <gtest/gtest.h>

#include <functional>

#include "heed/base/error.h"

namespace heed::pipeline {
namespace {

TEST(TranslationOptions, WhatIsSaidGoesBeforeThePreset) {
  TranslationOptions options;
  options.list.read_toml_text("preset = \"rnn-additive\"\nhidden = 64\n", "test");
  options.apply_preset();
  EXPECT_EQ(options.model.model, "seq2seq");
  EXPECT_EQ(options.model.hidden, 64);
  EXPECT_EQ(options.model.embedding, 256);
}

TEST(TranslationOptions, WhatTheProgramHasSetGoesBeforeThePreset) {
  TranslationOptions options;
  options.preset = "rnn-additive";
  options.model.hidden = 64;
  options.apply_preset();
  EXPECT_EQ(options.model.model, "seq2seq");
  EXPECT_EQ(options.model.hidden, 64);
}

TEST(TranslationOptions, CanBeCopiedAndTheCopyHasAListOfItsOwn) {
  TranslationOptions options;
  options.list.read_toml_text("heads = 2\nvalid-metrics = [\"chrf\", \"exact\"]\n", "test");
  options.trainer.seed = 7;
  TranslationOptions copy = options;
  EXPECT_TRUE(copy.list.differences(options.list).empty());
  EXPECT_TRUE(copy.list.is_set("heads"));
  EXPECT_FALSE(copy.list.is_set("width"));
  copy.list.read_toml_text("heads = 4\n", "test");
  EXPECT_EQ(copy.model.stack.heads, 4);
  EXPECT_EQ(options.model.stack.heads, 2);
}

TEST(TranslationOptions, EveryPresetIsWholeAndReadsBackFromItsDump) {
  for (const std::string& name : preset_names(translation_presets())) {
    TranslationOptions options;
    options.preset = name;
    options.apply_preset();
    TranslationOptions again;
    again.list.read_toml_text(options.list.to_toml(), name);
    again.apply_preset();
    EXPECT_TRUE(options.list.differences(again.list).empty()) << name;
    EXPECT_NO_THROW(options.trainer.check()) << name;
  }
}

TEST(TranslationOptions, AnUnknownPresetNamesTheNearest) {
  TranslationOptions options;
  options.preset = "transformer-tini";
  try {
    options.apply_preset();
    FAIL();
  } catch (const UsageError& error) {
    EXPECT_NE(std::string(error.what()).find("did you mean \"transformer-tiny\""),
              std::string::npos)
        << error.what();
  }
}

TEST(TranslationOptions, DataThatDoNotFitTogetherAreRefused) {
  const auto refused = [](const std::function<void(TranslationOptions&)>& change) {
    TranslationOptions options;
    options.out = "model";
    options.train_source = "a";
    options.train_target = "b";
    change(options);
    try {
      options.check();
    } catch (const UsageError&) {
      return true;
    }
    return false;
  };
  EXPECT_FALSE(refused([](auto&) {}));
  EXPECT_TRUE(refused([](auto& o) { o.out.clear(); }));
  EXPECT_TRUE(refused([](auto& o) { o.train_target.clear(); }));
  EXPECT_TRUE(refused([](auto& o) { o.train = "c"; }));
  EXPECT_TRUE(refused([](auto& o) { o.valid_source = "c"; }));
  EXPECT_TRUE(refused([](auto& o) {
    o.valid = "c";
    o.valid_fraction = .1;
  }));
  EXPECT_TRUE(refused([](auto& o) { o.model.tie = models::Tie::all; }));
  EXPECT_TRUE(refused([](auto& o) { o.valid_metrics = {"blue"}; }));
  EXPECT_TRUE(refused([](auto& o) { o.model.copy = true; }));  // with label smoothing
  EXPECT_TRUE(refused([](auto& o) { o.coverage_loss = 1; }));  // without copying
  EXPECT_TRUE(refused([](auto& o) { o.model.copy_layer = 0; }));
  EXPECT_TRUE(refused([](auto& o) { o.model.copy_head = 0; }));
  for (const std::string kind : {"seq2seq", "transformer"}) {
    EXPECT_EQ(refused([&](auto& o) {
                o.model.model = kind;
                o.model.copy = true;
                o.model.copy_head = 0;
                o.label_smoothing = 0;
              }),
              kind == "seq2seq");
  }
  EXPECT_FALSE(refused([](auto& o) {
    o.model.copy = true;
    o.label_smoothing = 0;
    o.coverage_loss = 1;
  }));
  EXPECT_TRUE(refused([](auto& o) {
    o.model.documents = true;
    o.valid_fraction = .1;
  }));
}

TEST(TranslationOptions, SmoothNoLabelsWhereTheyCopyUnlessAsked) {
  const auto smoothing = [](const char* config) {
    TranslationOptions options;
    options.list.read_toml_text(config, "test");
    options.apply_preset();
    return options.label_smoothing;
  };
  EXPECT_EQ(smoothing(""), .1);
  EXPECT_EQ(smoothing("copy = true\n"), 0);
  EXPECT_EQ(smoothing("copy = true\npreset = \"transformer-tiny\"\n"), 0);
  EXPECT_EQ(smoothing("copy = true\nlabel-smoothing = 0.2\n"), .2);  // which check() refuses
}

}  // namespace
}  // namespace heed::pipeline
