// SPDX-License-Identifier: Apache-2.0
// Whole recurrent encoder-decoders against finite differences, in every parameter.
#include <gtest/gtest.h>

#include "heed/models/copying_testing.h"
#include "heed/models/seq2seq.h"
#include "heed/models/testing.h"

namespace heed::models {
namespace {

Seq2SeqOptions tiny() {
  return {.source_vocabulary = 9,
          .target_vocabulary = 8,
          .embedding = 4,
          .hidden = 5,
          .attention = "additive(size=6)"};
}

void check(const Seq2SeqOptions& options) {
  Random random(5);
  Seq2Seq model(options, random);
  const Sequences source = testing::random_sequences({4, 3}, options.source_vocabulary, random);
  const Sequences target = testing::random_sequences({3, 5}, options.target_vocabulary, random);
  testing::expect_gradients_are_slopes(model, source, target);
}

TEST(Seq2SeqGradients, AreSlopesOfTheLossAttendingBeforeTheStep) {
  Seq2SeqOptions options = tiny();
  check(options);
  options.cell = nn::Cell::gru;
  options.decoder_layers = 2;
  options.tie = Tie::target;
  check(options);
}

TEST(Seq2SeqGradients, AreSlopesOfTheLossAttendingAfterTheStep) {
  Seq2SeqOptions options = tiny();
  options.arrangement = Arrangement::luong;
  options.attention = "bilinear";
  check(options);
  options.input_feeding = true;
  options.encoder_layers = options.decoder_layers = 2;
  options.attention = "bilinear + gaussian(width=3) | local_p(half-width=4)";
  check(options);
}

TEST(Seq2SeqGradients, AreSlopesOfTheLossOfAMixture) {
  Seq2SeqOptions options = tiny();
  options.arrangement = Arrangement::luong;
  options.mixture = true;
  check(options);
  options.input_feeding = true;
  options.attention = "additive(size=6) | full | entmax(alpha=1.5)";
  check(options);
}

TEST(Seq2SeqGradients, AreSlopesOfTheLossWithScoresThatLookBack) {
  Seq2SeqOptions options = tiny();
  options.attention = "coverage(size=4) + location_aware(width=3, channels=2, size=3)";
  check(options);
}

TEST(Seq2SeqGradients, AreSlopesOfTheLossWithAFixedVector) {
  Seq2SeqOptions options = tiny();
  options.attention = "none";
  check(options);
  options.fixed = Fixed::every_step;
  options.cell = nn::Cell::tanh;
  check(options);
}

TEST(Seq2SeqGradients, AreSlopesOfTheLossThroughTheSentencesBefore) {
  Random random(6);
  Seq2SeqOptions options = tiny();
  options.documents = true;
  Seq2Seq model(options, random);
  const Source source = testing::with_context(
      testing::random_sequences({4, 3}, options.source_vocabulary, random), random);
  const Sequences target = testing::random_sequences({3, 5}, options.target_vocabulary, random);
  testing::expect_gradients_are_slopes(model, source, target);
}

TEST(Seq2SeqGradients, AreSlopesOfTheLossOfCopying) {
  Random random(5);
  Seq2Seq model(testing::copying_seq2seq(), random);
  const testing::CopiedExample example = testing::copied_example();
  testing::expect_gradients_are_slopes(model, example.source, example.target);
}

}  // namespace
}  // namespace heed::models
