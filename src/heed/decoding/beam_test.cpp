// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numeric>

#include "heed/base/error.h"
#include "heed/base/testing.h"
#include "heed/decoding/search.h"
#include "heed/decoding/testing.h"

namespace heed::decoding {
namespace {

using testing::exhaustive;
using testing::KnownLanguageStepper;
using testing::Language;
using testing::markov;

constexpr std::int64_t kVocabulary = 7;  // 5 of them may be written

Constraints at_most(double most) {
  return {.most = {.per_source = 0, .constant = most}};
}

std::vector<std::vector<Hypothesis>> search(const Language& language, int sentences,
                                            const BeamOptions& options) {
  KnownLanguageStepper stepper(language, sentences);
  return beam_search(stepper, options);
}

const std::vector<LengthPenalty>& penalties() {
  static const std::vector<LengthPenalty> all = {{.scale = LengthScale::none},
                                                 {.scale = LengthScale::wu, .alpha = .6},
                                                 {.scale = LengthScale::wu, .alpha = 2},
                                                 {.scale = LengthScale::power, .alpha = 1},
                                                 {.scale = LengthScale::power, .alpha = -.5}};
  return all;
}

TEST(BeamSearch, OfFullWidthIsExhaustiveSearch) {
  for (const LengthPenalty& penalty : penalties()) {
    for (std::uint64_t seed = 0; seed < 10; ++seed) {
      const Language language = markov(kVocabulary, seed);
      const auto found = search(language, 2,
                                {.width = 625,  // 5^4
                                 .n_best = 20,
                                 .length = penalty,
                                 .stopping = Stopping::exact,
                                 .constraints = at_most(4)});
      for (int sentence = 0; sentence < 2; ++sentence) {
        const auto expected = exhaustive(language, sentence, 4, penalty);
        const auto& best = found[static_cast<std::size_t>(sentence)];
        ASSERT_EQ(best.size(), 20u);
        for (std::size_t i = 0; i < best.size(); ++i) {
          EXPECT_EQ(best[i].tokens, expected[i].tokens) << "seed " << seed << ", rank " << i;
          EXPECT_NEAR(best[i].score, expected[i].score, 1e-6);
          EXPECT_EQ(best[i].finished, expected[i].finished);
        }
      }
    }
  }
}

TEST(BeamSearch, GivesUnfinishedOutputsOnlyBehindFinishedOnes) {
  // Two finished outputs of at most two tokens are ([end], [4 end]); the rest is cut.
  std::vector<Real> logits(5, Real(-30));
  logits[text::kEnd] = -2;
  logits[4] = 0;
  const auto best = search(
      testing::always(testing::log_normalised(logits)), 1,
      {.width = 4,
       .n_best = 4,
       .constraints = {.most = {.per_source = 0, .constant = 2}, .forbidden = {0, 1, 2}}})[0];
  ASSERT_EQ(best.size(), 3u);
  EXPECT_TRUE(best[0].finished && best[1].finished);
  EXPECT_EQ(best[2].tokens, (text::Tokens{4, 4}));
  EXPECT_FALSE(best[2].finished);
  EXPECT_GT(best[2].score, best[0].score);
}

TEST(BeamSearch, OfWidthOneIsGreedySearch) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const Language language = markov(20, seed);
    KnownLanguageStepper stepper(language, 3);
    const auto greedily = greedy(stepper, {.constraints = at_most(12)});
    const auto beams = search(language, 3, {.width = 1, .constraints = at_most(12)});
    for (std::size_t i = 0; i < 3; ++i) {
      EXPECT_EQ(beams[i][0].tokens, greedily[i].tokens);
      EXPECT_EQ(beams[i][0].log_probability, greedily[i].log_probability);
      EXPECT_EQ(beams[i][0].finished, greedily[i].finished);
    }
  }
}

TEST(BeamSearch, FindsTheBestSentenceThatGreedyMisses) {
  // Greedy takes 4 (.6) and then nothing better than .3; 5 (.4) ends for sure: .4 > .18.
  const Language language = [](int, const text::Tokens& history) {
    std::vector<Real> p(kVocabulary, Real(1e-9));
    if (history.size() == 1) {
      p[4] = Real(.6);
      p[5] = Real(.4);
    } else if (history.back() == 5) {
      p[text::kEnd] = 1;
    } else {
      p[text::kEnd] = p[4] = p[6] = Real(.3);
    }
    for (Real& x : p) x = std::log(x);
    return p;
  };
  KnownLanguageStepper stepper(language, 1);
  const auto greedily = greedy(stepper);
  EXPECT_EQ(greedily[0].tokens, (text::Tokens{4}));
  const auto best =
      search(language, 1, {.width = 2, .length = LengthPenalty{.scale = LengthScale::none}});
  EXPECT_EQ(best[0][0].tokens, (text::Tokens{5}));
  EXPECT_NEAR(std::exp(best[0][0].score), .4, 1e-6);
}

TEST(BeamSearch, GivesEachScoreAsItsLogProbabilitiesUnderThePenalty) {
  for (const LengthPenalty& penalty : penalties()) {
    const Language language = markov(30, 5);
    const auto found = search(
        language, 4, {.width = 6, .n_best = 6, .length = penalty, .constraints = at_most(15)});
    for (int sentence = 0; sentence < 4; ++sentence) {
      const auto& best = found[static_cast<std::size_t>(sentence)];
      for (std::size_t i = 0; i < best.size(); ++i) {
        text::Tokens written = best[i].tokens;
        if (best[i].finished) written.push_back(text::kEnd);
        ASSERT_EQ(best[i].token_log_probabilities.size(), written.size());
        text::Tokens history = {text::kBegin};
        double sum = 0;
        for (std::size_t t = 0; t < written.size(); ++t) {
          const Real own = language(sentence, history)[static_cast<std::size_t>(written[t])];
          EXPECT_EQ(best[i].token_log_probabilities[t], own);
          sum += own;
          history.push_back(written[t]);
        }
        EXPECT_NEAR(best[i].log_probability, sum, 1e-12);
        EXPECT_NEAR(best[i].score, penalty.score(sum, static_cast<std::int64_t>(written.size())),
                    1e-12);
        if (i > 0 && best[i].finished == best[i - 1].finished) {
          EXPECT_LE(best[i].score, best[i - 1].score);
        }
      }
    }
  }
}

TEST(BeamSearch, KeepsAFinishedOutputWhileOthersGoOn) {
  // [end] has .5 and is found at once; all that continues is worse.
  const Language language = [](int, const text::Tokens& history) {
    std::vector<Real> p(kVocabulary, Real(.01));
    p[text::kEnd] = history.size() == 1 ? Real(.5) : Real(.02);
    p[5] = Real(.45);
    for (Real& x : p) x = std::log(x);
    return p;
  };
  const auto best = search(language, 1,
                           {.width = 3,
                            .n_best = 2,
                            .length = LengthPenalty{.scale = LengthScale::none},
                            .stopping = Stopping::exact,
                            .constraints = at_most(8)})[0];
  EXPECT_TRUE(best[0].tokens.empty());
  EXPECT_TRUE(best[0].finished);
  EXPECT_NEAR(std::exp(best[0].score), .5, 1e-6);
}

TEST(BeamSearch, StopsWhenNothingCanComeAmongTheBestAnyMore) {
  // Every step ends with probability .9: without a length penalty one step proves it.
  std::vector<Real> p(kVocabulary, Real(.1 / 6));
  p[text::kEnd] = Real(.9);
  for (Real& x : p) x = std::log(x);
  KnownLanguageStepper stepper(testing::always(p), 1);
  beam_search(stepper, {.width = 4,
                        .length = LengthPenalty{.scale = LengthScale::none},
                        .stopping = Stopping::exact,
                        .constraints = at_most(50)});
  EXPECT_EQ(stepper.steps, 1);
  // Division by length^3 makes a longer one win: it must continue.
  KnownLanguageStepper patient(testing::always(p), 1);
  const auto best =
      beam_search(patient, {.width = 4,
                            .length = LengthPenalty{.scale = LengthScale::power, .alpha = 3},
                            .stopping = Stopping::exact,
                            .constraints = at_most(6)});
  EXPECT_EQ(patient.steps, 6);
  EXPECT_EQ(best[0][0].tokens.size(), 5u);
}

// The search that other programs do, written down plainly: of each step the 2 * width best
// continuations; an end counts among the first `width`; the first `width` others live on. Done when
// `width` have ended and the worst of these is no worse than the best continuation would be if it
// ended now; what lives when there is no more room ranks with them.
struct Plain {
  double score;
  text::Tokens tokens;
};
std::vector<Plain> plain_search(const Language& language, std::size_t width, std::size_t most,
                                double alpha) {
  struct Beam {
    double total = 0;
    text::Tokens history = {text::kBegin};
  };
  std::vector<Beam> beams(1);
  std::vector<Plain> ended;
  const auto end = [&](double total, std::size_t length, const text::Tokens& history) {
    ended.push_back({total / std::pow(static_cast<double>(length), alpha),
                     text::Tokens(history.begin() + 1, history.end())});
    std::ranges::stable_sort(ended, std::greater<>(), &Plain::score);
    if (ended.size() > width) ended.pop_back();
  };
  for (std::size_t length = 1; length <= most; ++length) {
    struct Next {
      double total;
      std::size_t beam;
      text::Token token;
    };
    std::vector<Next> all;
    for (std::size_t b = 0; b < beams.size(); ++b) {
      const std::vector<Real> p = language(0, beams[b].history);
      for (std::size_t token = 0; token < p.size(); ++token) {
        if (token == text::kPadding || token == text::kBegin) continue;
        all.push_back(
            {beams[b].total + static_cast<double>(p[token]), b, static_cast<text::Token>(token)});
      }
    }
    std::ranges::stable_sort(all, std::greater<>(), &Next::total);
    all.resize(std::min(all.size(), 2 * width));
    std::vector<Beam> kept;
    for (std::size_t rank = 0; rank < all.size() && kept.size() < width; ++rank) {
      const Next& next = all[rank];
      if (next.token == text::kEnd) {
        if (rank < width) end(next.total, length, beams[next.beam].history);
        continue;
      }
      kept.push_back({next.total, beams[next.beam].history});
      kept.back().history.push_back(next.token);
    }
    beams = kept;
    const double now = all.front().total / std::pow(static_cast<double>(length), alpha);
    if (ended.size() >= width && ended.back().score >= now) return ended;
    if (length == most) {
      for (const Beam& beam : beams) end(beam.total, length, beam.history);
    }
  }
  return ended;
}

TEST(BeamSearch, FindsWhatOtherProgramsFindWhereItStopsAsTheyDo) {
  for (const double alpha : {1., .6, 0., -.5}) {
    for (std::uint64_t seed = 0; seed < 40; ++seed) {
      const Language language = markov(kVocabulary, seed);
      const auto found =
          search(language, 1,
                 {.width = 3,
                  .n_best = 3,
                  .length = LengthPenalty{.scale = LengthScale::power, .alpha = alpha},
                  .stopping = Stopping::estimate,
                  .constraints = at_most(7)})[0];
      const std::vector<Plain> wanted = plain_search(language, 3, 7, alpha);
      ASSERT_EQ(found.size(), wanted.size());
      for (std::size_t i = 0; i < found.size(); ++i) {
        EXPECT_EQ(found[i].tokens, wanted[i].tokens) << "alpha " << alpha << ", seed " << seed;
        EXPECT_NEAR(found[i].score, wanted[i].score, 1e-5);
      }
    }
  }
}

TEST(BeamSearch, StopsAtTheFirstFinishedOnesWhenTold) {
  std::vector<Real> logits(12, Real(0));
  logits[text::kEnd] = 1;
  logits[7] = Real(.9);
  const Language language = testing::always(testing::log_normalised(logits));
  const BeamOptions first{.width = 3,
                          .length = LengthPenalty{.scale = LengthScale::power, .alpha = 1},
                          .constraints = at_most(40)};
  BeamOptions exact = first;
  exact.stopping = Stopping::exact;
  KnownLanguageStepper quick(language, 1);
  KnownLanguageStepper thorough(language, 1);
  const double found = beam_search(quick, first)[0][0].score;
  const double proven = beam_search(thorough, exact)[0][0].score;
  EXPECT_EQ(quick.steps, 2);      // the end comes first in every row: one, then two more
  EXPECT_GT(thorough.steps, 30);  // a mean over up to 40 tokens may still win
  EXPECT_LE(found, proven);
}

TEST(BeamSearch, GivesTheSameBatchedAsOneByOne) {
  const Language language = markov(40, 11);
  const BeamOptions options{.width = 5, .n_best = 5, .constraints = at_most(20)};
  const auto batched = search(language, 7, options);
  for (int sentence = 0; sentence < 7; ++sentence) {
    KnownLanguageStepper stepper = KnownLanguageStepper::alone(language, sentence);
    const auto alone = beam_search(stepper, options)[0];
    const auto& beside = batched[static_cast<std::size_t>(sentence)];
    ASSERT_EQ(alone.size(), beside.size());
    for (std::size_t i = 0; i < alone.size(); ++i) {
      EXPECT_EQ(alone[i].tokens, beside[i].tokens);
      EXPECT_EQ(alone[i].score, beside[i].score);
    }
  }
}

TEST(BeamSearch, DropsTheRowsOfSentencesThatAreDone) {
  // Sentence 0 ends at once, sentence 1 after nine tokens.
  const Language language = [](int sentence, const text::Tokens& history) {
    std::vector<Real> p(kVocabulary, Real(1e-6));
    p[sentence == 0 || history.size() == 10 ? text::kEnd : 4] = 1;
    for (Real& x : p) x = std::log(x);
    return p;
  };
  KnownLanguageStepper stepper(language, 2);
  const auto best =
      beam_search(stepper, {.width = 2, .length = LengthPenalty{.scale = LengthScale::none}});
  EXPECT_TRUE(best[0][0].tokens.empty());
  EXPECT_EQ(best[1][0].tokens, text::Tokens(9, 4));
  EXPECT_EQ(stepper.steps, 10);
  EXPECT_EQ(stepper.stepped, 2 + 9 * 2);  // one row each, then two of sentence 1
}

TEST(BeamSearch, TakesTheLowerTokenAmongEquals) {
  const auto best = search(testing::always(std::vector<Real>(8, std::log(Real(.125)))), 1,
                           {.width = 3, .n_best = 3, .constraints = at_most(1)})[0];
  EXPECT_EQ(best[0].tokens, (text::Tokens{}));  // the end finishes
  EXPECT_EQ(best[1].tokens, (text::Tokens{1}));
  EXPECT_EQ(best[2].tokens, (text::Tokens{4}));
}

TEST(BeamSearch, RefusesNaNAndNamesSentenceTokenAndPiece) {
  const Language language = [](int sentence, const text::Tokens& history) {
    std::vector<Real> p = markov(kVocabulary, 1)(sentence, history);
    p[text::kEnd] = -std::numeric_limits<Real>::infinity();
    if (sentence == 1 && history.size() == 3) p[5] = std::numeric_limits<Real>::quiet_NaN();
    return p;
  };
  const std::string message = test::message_of<DataError>(
      [&] { search(language, 2, {.width = 2, .constraints = at_most(9)}); });
  EXPECT_NE(message.find("sentence 1, token 2: the model gives piece 5"), std::string::npos)
      << message;
  EXPECT_NE(message.find("nan"), std::string::npos) << message;
}

TEST(BeamSearch, EndsARowWithoutAnyPossibleToken) {
  const Language language = [](int, const text::Tokens& history) {
    std::vector<Real> p(kVocabulary, -std::numeric_limits<Real>::infinity());
    if (history.size() < 4) p[4] = p[5] = std::log(Real(.5));
    return p;
  };
  const auto best = search(language, 1, {.width = 2, .n_best = 2})[0];
  ASSERT_EQ(best.size(), 2u);
  EXPECT_EQ(best[0].tokens, (text::Tokens{4, 4, 4}));
  EXPECT_EQ(best[1].tokens.size(), 3u);
  EXPECT_FALSE(best[0].finished);
  EXPECT_NEAR(best[0].log_probability, 3 * std::log(.5), 1e-6);
}

TEST(BeamSearch, PrefersOutputsThatCoverTheSource) {
  // Weights of key k are the k-th token read over 10: "4 4" has read 2 4 4 in the end, "9" has read
  // 2 9. Averaged over heads the stepper's weights cancel, so this one has its own.
  class Covering final : public Stepper {
   public:
    std::int64_t rows() const override { return static_cast<std::int64_t>(last_.size()); }
    Tensor step(const Ids& tokens, attention::Observer* watch) override {
      Tensor weights = Tensor::zeros({rows(), 1, 1, 3});  // 2 keys and one of padding
      std::vector<Real> all;
      for (std::size_t row = 0; row < last_.size(); ++row) {
        last_[row] = tokens.span()[row];
        // After 4 it looks at the second key, else at the first.
        weights.mutable_data()[static_cast<std::int64_t>(row) * 3 + (last_[row] == 4)] = 1;
        std::vector<Real> p(kVocabulary, Real(.01));
        if (last_[row] == text::kBegin) {
          p[4] = Real(.45);
          p[5] = Real(.5);
        } else {
          p[text::kEnd] = Real(.9);
        }
        for (const Real x : p) all.push_back(std::log(x));
      }
      if (watch != nullptr) {
        watch->attended({.site = {.role = attention::Role::cross}, .weights = weights});
      }
      return Tensor::of({rows(), kVocabulary}, all);
    }
    void reorder(const Ids& rows) override {
      std::vector<std::int32_t> next;
      for (const std::int32_t row : rows.span())
        next.push_back(last_[static_cast<std::size_t>(row)]);
      last_ = next;
    }
    Ids source_lengths() const override { return Ids::full({rows()}, 2); }

   private:
    std::vector<std::int32_t> last_ = {text::kBegin};
  };
  Covering plain;
  EXPECT_EQ(beam_search(plain, {.width = 2})[0][0].tokens, (text::Tokens{5}));
  Covering covering;
  const auto best = beam_search(covering, {.width = 2, .n_best = 2, .coverage = .2})[0];
  EXPECT_EQ(best[0].tokens, (text::Tokens{4}));
  EXPECT_TRUE(best[0].attentions.empty());
  const LengthPenalty length{};
  EXPECT_NEAR(best[0].score, length.score(best[0].log_probability, 2), 1e-12);  // all covered
  EXPECT_NEAR(best[1].score, length.score(best[1].log_probability, 2) + .2 * std::log(1e-6), 1e-9);
}

TEST(BeamSearch, RefusesOptionsOutOfRange) {
  const Language language = markov(kVocabulary, 1);
  EXPECT_THROW(search(language, 1, {.width = 0}), UsageError);
  EXPECT_THROW(search(language, 1, {.width = 2, .n_best = 3}), UsageError);
  EXPECT_THROW(search(language, 1, {.width = 2, .coverage = -1}), UsageError);
  EXPECT_TRUE(search(language, 0, {.width = 2}).empty());
}

}  // namespace
}  // namespace heed::decoding
