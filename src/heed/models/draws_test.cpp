// SPDX-License-Identifier: Apache-2.0
// Hard attention inside models: an observer gathers the draws of a call, and a loss that contains
// them gives the scores the gradient of the score function.
#include "heed/attention/draws.h"

#include <gtest/gtest.h>

#include <vector>

#include "heed/attention/observer.h"
#include "heed/autograd/ops.h"
#include "heed/models/classifier.h"
#include "heed/models/classifier_testing.h"
#include "heed/models/seq2seq.h"
#include "heed/models/testing.h"

namespace heed::models {
namespace {

// The scores and draws of every attention, with what is masked.
struct KeptScores final : attention::Observer {
  struct Look {
    std::int64_t first_query;
    Variable scores;
    Tensor drawn, masked;
  };
  Variable weights(const attention::ObservedWeights& observed) override {
    Variable scores = observed.scores;
    scores.keep_gradient();
    looks.push_back({observed.first_query, scores, observed.weights.value(), observed.masked});
    return observed.weights;
  }
  std::vector<Look> looks;
};

// d (sum over b of c_b log p_b) / d scores = c_b (z - softmax over the keys that may be seen), and
// 0 past the lengths of the queries. Returns the largest gradient that was compared.
double expect_score_function(const KeptScores& kept, const std::vector<Real>& c,
                             const std::vector<std::int64_t>& queries) {
  double largest = 0;
  for (const KeptScores::Look& look : kept.looks) {
    const Tensor scores = look.scores.value(), gradient = look.scores.gradient();
    if (!gradient.defined()) {
      ADD_FAILURE() << "no gradient reached the scores";
      return 0;
    }
    for (std::int64_t b = 0; b < scores.size(0); ++b) {
      for (std::int64_t q = 0; q < scores.size(2); ++q) {
        double sum = 0;
        for (std::int64_t k = 0; k < scores.size(3); ++k) {
          if (attention::is_masked(look.masked.at({b, 0, q, k}))) continue;
          sum += std::exp(static_cast<double>(scores.at({b, 0, q, k})));
        }
        const bool counts = look.first_query + q < queries[static_cast<std::size_t>(b)];
        for (std::int64_t k = 0; k < scores.size(3); ++k) {
          const bool hidden = attention::is_masked(look.masked.at({b, 0, q, k}));
          const double p =
              hidden ? 0 : std::exp(static_cast<double>(scores.at({b, 0, q, k}))) / sum;
          const double z = look.drawn.at({b, 0, q, k});
          const double expected =
              counts ? static_cast<double>(c[static_cast<std::size_t>(b)]) * (z - p) : 0;
          EXPECT_NEAR(gradient.at({b, 0, q, k}), expected, 1e-5) << b << " " << q << " " << k;
          largest = std::max(largest, std::abs(expected));
        }
      }
    }
  }
  return largest;
}

TEST(DrawsOfModels, TeachTheScoresOfASeq2SeqByTheScoreFunction) {
  for (const bool luong : {false, true}) {
    SCOPED_TRACE(luong ? "luong" : "bahdanau");
    Random random(7);
    const Sequences source = testing::random_sequences({5, 2, 7}, 13, random);
    const Sequences target = testing::random_sequences({4, 6, 1}, 11, random);
    Seq2SeqOptions options{.source_vocabulary = 13,
                           .target_vocabulary = 11,
                           .embedding = 6,
                           .hidden = 8,
                           .attention = "additive | full | sample"};
    if (luong) options.arrangement = Arrangement::luong;
    Seq2Seq model(options, random);
    Random noise(3);
    attention::Draws draws;
    draws.count("target", target.lengths);
    KeptScores kept;
    attention::Observers both{&draws, &kept};
    const Call call{.noise = &noise, .watch = &both};
    model.decode(model.encode(source, call), target, call);
    const Variable log_p = draws.log_probability();
    ASSERT_EQ(log_p.shape(), Shape({3}));
    for (const Real value : log_p.value().values()) EXPECT_LT(value, 0);
    const std::vector<Real> c{Real(0.7), Real(-1.5), Real(2)};
    backward(sum(log_p * Variable(Tensor::of({3}, c))));
    EXPECT_GT(expect_score_function(kept, c, {4, 6, 1}), 0.1);
    bool learns = false;
    nn::Parameters parameters = nn::parameters(model);
    for (const nn::Parameter& parameter : parameters) {
      learns = learns || (parameter.name.find("score") != std::string::npos &&
                          parameter.variable.gradient().defined());
    }
    EXPECT_TRUE(learns) << "parameters of the score have a gradient";
  }
}

TEST(DrawsOfModels, TeachTheScoresOfAClassifierByTheScoreFunction) {
  Random random(7);
  ClassifierOptions options = testing::tiny_classifier();
  options.attention = "additive | full | sample";
  const ClassifierInput input = testing::classifier_input(options, random);
  const Classifier model(options, random);
  Random noise(3);
  attention::Draws draws;
  KeptScores kept;
  attention::Observers both{&draws, &kept};
  model(input, {.noise = &noise, .watch = &both});
  const Variable log_p = draws.log_probability();
  ASSERT_EQ(log_p.shape(), Shape({4}));
  const std::vector<Real> c{Real(0.7), Real(-1.5), Real(2), 1};
  backward(sum(log_p * Variable(Tensor::of({4}, c))));
  EXPECT_GT(expect_score_function(kept, c, {1, 1, 1, 1}), 0.1);
}

TEST(DrawsOfModels, AreTheLikeliestWithoutNoiseAndChangeNothingWhenWatched) {
  Random random(7);
  ClassifierOptions options = testing::tiny_classifier();
  options.attention = "additive | full | sample";
  const ClassifierInput input = testing::classifier_input(options, random);
  const Classifier model(options, random);
  KeptScores kept;
  attention::Draws draws;
  const auto alone = model(input, {});
  const auto watched = model(input, {.watch = &draws});
  for (std::size_t i = 0; i < alone.size(); ++i) {
    EXPECT_EQ(alone[i].value().values(), watched[i].value().values());
  }
  model(input, {.watch = &kept});
  for (const KeptScores::Look& look : kept.looks) {
    for (std::int64_t b = 0; b < look.drawn.size(0); ++b) {
      Real drawn = 0, best = -std::numeric_limits<Real>::infinity();
      for (std::int64_t k = 0; k < look.drawn.size(3); ++k) {
        if (attention::is_masked(look.masked.at({b, 0, 0, k}))) continue;
        best = std::max(best, look.scores.value().at({b, 0, 0, k}));
        if (look.drawn.at({b, 0, 0, k}) > 0) drawn = look.scores.value().at({b, 0, 0, k});
      }
      EXPECT_EQ(drawn, best);
    }
  }
}

}  // namespace
}  // namespace heed::models
