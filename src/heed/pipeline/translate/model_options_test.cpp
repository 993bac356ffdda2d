// SPDX-License-Identifier: Apache-2.0
#include "heed/pipeline/translate/model_options.h"

#include <gtest/gtest.h>

#include "heed/base/error.h"
#include "heed/models/seq2seq.h"
#include "heed/models/transformer.h"

namespace heed::pipeline {
namespace {

TEST(ModelOptions, MakeTheModelTheyName) {
  Random random(1);
  ModelOptions options;
  options.stack.width = 16;
  options.stack.heads = 2;
  options.stack.inner = 16;
  options.embedding = options.hidden = 8;
  EXPECT_NE(dynamic_cast<models::Transformer*>(make_model(options, {10, 12}, random).get()),
            nullptr);
  options.model = "seq2seq";
  EXPECT_NE(dynamic_cast<models::Seq2Seq*>(make_model(options, {10, 12}, random).get()), nullptr);
}

TEST(ModelOptions, OneAttentionServesAllKindsUnlessOneIsNamed) {
  Random random(1);
  ModelOptions options;
  options.stack.width = 16;
  options.stack.heads = 2;
  options.stack.inner = 16;
  options.attention = "additive";
  options.cross_attention = "dot";
  const auto model = make_model(options, {10, 12}, random);
  bool additive = false;
  for (const nn::Parameter& parameter : nn::parameters(*model)) {
    additive = additive || parameter.name.find("self.score") != std::string::npos;
    EXPECT_EQ(parameter.name.find("cross.score"), std::string::npos) << parameter.name;
  }
  EXPECT_TRUE(additive);
}

TEST(ModelOptions, SayWhatIsReadBesideTokens) {
  ModelOptions options;
  EXPECT_EQ(options.reading(), Reading{});
  options.copy = options.documents = true;
  options.context_sentences = 3;
  EXPECT_EQ(options.reading(), (Reading{.copies = true, .context = 3}));
  options.context_side = ContextSide::target;
  EXPECT_TRUE(options.reading().written_context);
  EXPECT_NO_THROW(options.check());
  options.model = "seq2seq";
  EXPECT_THROW(options.check(), UsageError);
}

TEST(ModelOptions, AnEncoderDecoderThatThereIsNotIsRefusedWithTheNearest) {
  ModelOptions options;
  options.model = "seqseq";
  try {
    options.check();
    ADD_FAILURE() << "accepted";
  } catch (const UsageError& error) {
    EXPECT_STREQ(error.what(),
                 "--model: there is no \"seqseq\" (did you mean \"seq2seq\"?); there are seq2seq, "
                 "transformer");
  }
}

TEST(ModelOptions, AMechanismThatIsNoneIsRefusedWithItsPlace) {
  Random random(1);
  ModelOptions options;
  options.attention = "additiv";
  EXPECT_THROW(make_model(options, {10, 12}, random), UsageError);
}

}  // namespace
}  // namespace heed::pipeline
