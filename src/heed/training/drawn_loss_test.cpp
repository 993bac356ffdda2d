// SPDX-License-Identifier: Apache-2.0
// Losses of models that draw: unbiased whatever the baseline, untouched where nothing is drawn, and
// a state that checkpoints keep.
#include "heed/training/drawn_loss.h"

#include <gtest/gtest.h>

#include "heed/attention/mechanism.h"
#include "heed/autograd/ops.h"
#include "heed/base/error.h"
#include "heed/base/testing.h"
#include "heed/tensor/testing.h"

namespace heed::training {
namespace {

using heed::testing::expect_near;
using heed::testing::wavy;
using test::message_of;

// Two sequences with one query over three keys: the scores are the queries, as keys are unit
// vectors, and the loss is the value of the key that was drawn.
class ChoiceOfKeys {
 public:
  Variable scores = Variable::leaf(Tensor::of({2, 1, 1, 3}, {1, 0, -1, 0, Real(0.5), 0}));

  explicit ChoiceOfKeys(const char* text, Tensor losses = {})
      : losses_(losses.defined() ? losses : Tensor::of({2, 1, 3, 1}, {3, 1, 2, 4, 4, 1})),
        random_(1),
        look_(text, {.query_width = 3, .key_width = 3, .value_width = 1}, random_) {}

  DrawnLoss::Read read() {
    return [this](const models::Call& call, attention::Draws&) {
      ++readings;
      const Tensor keys = Tensor::of({2, 1, 3, 3}, {1, 0, 0, 0, 1, 0, 0, 0, 1,  //
                                                    1, 0, 0, 0, 1, 0, 0, 0, 1});
      const attention::Attended found =
          look_.attend(scores, look_.memory(Variable(keys), Variable(losses_)), {},
                       {.noise = call.noise,
                        .watch = call.watch,
                        .site = {.set = "choice", .queries = "one", .keys = "three"}});
      const Variable each = reshape(found.context, {2});
      return SequenceLosses{.total = sum(each),
                            .each = [each] { return each.value(); },
                            .input = {Ids::of({2, 1}, {3, 4}), Ids::of({2}, {1, 1})}};
    };
  }
  // p (l - <p, l>): of the expected loss.
  Tensor exact_gradient() const {
    const Variable leaf = Variable::leaf(scores.value().clone());
    backward(sum(softmax(leaf) * Variable(losses_.reshape({2, 1, 1, 3}))));
    return leaf.gradient();
  }

  int readings = 0;

 private:
  Tensor losses_;
  Random random_;
  attention::Mechanism look_;
};

Tensor mean_gradient(ChoiceOfKeys& choice, DrawnLoss& drawn, int batches) {
  Random noise(5);
  for (int i = 0; i < batches; ++i) backward(drawn(noise, choice.read()));
  return choice.scores.gradient() * (Real{1} / static_cast<Real>(batches));
}

TEST(DrawnLoss, HasTheGradientOfTheExpectedLossWhateverTheBaseline) {
  struct Case {
    DrawOptions options;
    double tolerance;  // five standard errors
    int readings;      // of a batch
  };
  const int batches = 3000;
  for (const Case& one :
       {Case{{.draws = 1, .baseline = Baseline::none}, 0.15, 1}, Case{{.draws = 1}, 0.06, 1},
        Case{{.draws = 2, .baseline = Baseline::running}, 0.05, 2},
        Case{{.draws = 1, .baseline = Baseline::self_critical}, 0.08, 2},
        Case{{.draws = 1, .baseline = Baseline::learned}, 0.06, 1}, Case{{.draws = 4}, 0.04, 4},
        Case{{.draws = 1, .expected = .5}, 0.06, 1}, Case{{.draws = 2, .expected = 1}, 1e-3, 2}}) {
    SCOPED_TRACE(baseline_names()[static_cast<std::size_t>(one.options.baseline)]);
    ChoiceOfKeys choice("dot | full | sample");
    DrawnLoss drawn(one.options);
    expect_near(mean_gradient(choice, drawn, batches), choice.exact_gradient(), one.tolerance);
    EXPECT_EQ(choice.readings, batches * one.readings);
  }
}

TEST(DrawnLoss, TeachesNothingByDrawsOfEqualLosses) {
  ChoiceOfKeys choice("dot | full | sample", Tensor::full({2, 1, 3, 1}, Real{7}));
  DrawnLoss drawn({.draws = 4});
  expect_near(mean_gradient(choice, drawn, 20), Tensor::zeros({2, 1, 1, 3}), 1e-5);
}

TEST(DrawnLoss, LeavesAModelThatDrawsNothingAsItIs) {
  ChoiceOfKeys choice("dot");
  DrawnLoss drawn({.draws = 4, .bonus = 1});
  Random noise(5);
  attention::Draws unused;
  const Variable alone = choice.read()({.noise = &noise}, unused).total;
  const Variable loss = drawn(noise, choice.read());
  EXPECT_EQ(loss.value().item(), alone.value().item());
  EXPECT_EQ(choice.readings, 2) << "no second draw";
  Task task;
  drawn.join(task);
  EXPECT_TRUE(task.carried().empty());
}

TEST(DrawnLoss, PaysForEntropyUntilTheBonusHasFallen) {
  // Equal losses: what is left of the gradient is that of the entropy.
  ChoiceOfKeys choice("dot | full | sample", Tensor::full({2, 1, 3, 1}, Real{7}));
  DrawnLoss drawn({.draws = 2, .bonus = 0.5, .bonus_updates = 2});
  Random noise(5);
  std::vector<Tensor> gradients;
  for (int batch = 0; batch < 3; ++batch) {
    choice.scores.clear_gradient();
    backward(drawn(noise, choice.read()));
    gradients.push_back(choice.scores.gradient().clone());
  }
  const Variable leaf = Variable::leaf(choice.scores.value().clone());
  const Variable p = softmax(leaf);
  backward(sum(p * log(p)) * Real(0.5));
  expect_near(gradients[0], leaf.gradient(), 1e-5);
  expect_near(gradients[1], leaf.gradient() * Real(0.5), 1e-5);
  expect_near(gradients[2], Tensor::zeros({2, 1, 1, 3}), 1e-5);
}

TEST(DrawnLoss, GoesOnWithTheSameBitsFromACheckpoint) {
  const DrawOptions options{
      .draws = 2, .baseline = Baseline::running, .bonus = 1, .bonus_updates = 10};
  ChoiceOfKeys choice("dot | full | sample");
  DrawnLoss first(options), second(options);
  Task before, after;
  std::map<std::string, Tensor> others;
  before.carried = [] { return std::map<std::string, Tensor>{{"state", Tensor::zeros({2})}}; };
  after.carry = [&](const std::map<std::string, Tensor>& carried) { others = carried; };
  first.join(before);
  second.join(after);
  Random noise(5);
  for (int batch = 0; batch < 3; ++batch) first(noise, choice.read());
  after.carry(before.carried());
  EXPECT_EQ(others.size(), 1u) << "the task's own alone";
  Random same(8), again(8);
  EXPECT_EQ(first(same, choice.read()).value().item(), second(again, choice.read()).value().item());
  EXPECT_NE(message_of<DataError>([&] {
              after.carry({{"draws.baseline", Tensor::zeros({2})}});
            }).find("draws.baseline is [2]; it must be [3]"),
            std::string::npos);
}

TEST(DrawnLoss, RefusesToLeaveOneOutOfOne) {
  const DrawOptions options{.draws = 1, .baseline = Baseline::leave_one_out};
  EXPECT_NE(message_of<UsageError>([&] { options.check(); }).find("give --draws 4"),
            std::string::npos);
}

TEST(DrawnLoss, KeepsWhatTokensLetExpectInACheckpoint) {
  const DrawOptions options{.draws = 1, .baseline = Baseline::learned};
  ChoiceOfKeys choice("dot | full | sample");
  DrawnLoss first(options), second(options);
  Task before, after;
  first.join(before);
  second.join(after);
  Random noise(5);
  for (int batch = 0; batch < 3; ++batch) first(noise, choice.read());
  after.carry(before.carried());
  Random same(8), again(8);
  EXPECT_EQ(first(same, choice.read()).value().item(), second(again, choice.read()).value().item());
  EXPECT_NE(message_of<DataError>([&] {
              after.carry({{"draws.tokens", Tensor::zeros({2, 2})}});
            }).find("draws.tokens is [2,2]; it must be a row of numbers"),
            std::string::npos);
}

TEST(DrawnLoss, SaysWhereNoTokensAreKnownToExpectFrom) {
  ChoiceOfKeys choice("dot | full | sample");
  DrawnLoss drawn({.draws = 1, .baseline = Baseline::learned});
  Random noise(5);
  const auto blind = [read = choice.read()](const models::Call& call, attention::Draws& draws) {
    SequenceLosses found = read(call, draws);
    found.input = {};
    return found;
  };
  EXPECT_NE(message_of<UsageError>([&] { drawn(noise, blind); }).find("give --baseline running"),
            std::string::npos);
}

// One sequence of three steps, a choice of two keys at each: the loss of a step is the value that
// was drawn there and the one before, so that the draw of a later step has no part in it.
class StepsOfChoices {
 public:
  Variable scores = Variable::leaf(Tensor::of({1, 1, 3, 2}, {1, 0, 0, Real(0.5), -1, 0}));

  DrawnLoss::Read read(bool by_step) {
    return [this, by_step](const models::Call& call, attention::Draws&) {
      const Variable keys(Tensor::of({1, 1, 2, 2}, {1, 0, 0, 1}));
      const Variable values(Tensor::of({1, 1, 2, 1}, {5, 1}));
      const attention::Attended found =
          look_.attend(scores, look_.memory(keys, values), {},
                       {.noise = call.noise,
                        .watch = call.watch,
                        .site = {.set = "choice", .queries = "steps", .keys = "two"}});
      const Variable drawn = reshape(found.context, {1, 3});
      const Variable each = drawn + pad(slice(drawn, 1, 0, 2), 1, {.before = 1});
      SequenceLosses losses;
      losses.total = sum(each);
      if (by_step) {
        losses.each = [each] { return each.value(); };
        losses.steps = "steps";
      } else {
        losses.each = [each] { return sum(each, 1).value(); };
      }
      return losses;
    };
  }
  Tensor exact_gradient() const {
    const Variable leaf = Variable::leaf(scores.value().clone());
    const Variable counts(Tensor::of({3, 1}, {2, 2, 1}));
    backward(sum(softmax(leaf) * Variable(Tensor::of({2}, {5, 1})) * counts));
    return leaf.gradient();
  }

 private:
  Random random_{1};
  attention::Mechanism look_{
      "dot | full | sample", {.query_width = 2, .key_width = 2, .value_width = 1}, random_};
};

TEST(DrawnLoss, LetsADrawAnswerForTheLossesFromItsStepOn) {
  for (const DrawOptions& options :
       {DrawOptions{.draws = 1, .baseline = Baseline::none}, DrawOptions{.draws = 1},
        DrawOptions{.draws = 1, .baseline = Baseline::self_critical}, DrawOptions{.draws = 4}}) {
    SCOPED_TRACE(baseline_names()[static_cast<std::size_t>(options.baseline)]);
    StepsOfChoices choices;
    DrawnLoss drawn(options);
    Random noise(5);
    const int batches = 4000;
    for (int i = 0; i < batches; ++i) backward(drawn(noise, choices.read(true)));
    expect_near(choices.scores.gradient() * (Real{1} / batches), choices.exact_gradient(), 0.3);
  }
}

TEST(DrawnLoss, IsQuieterByStepThanByTheWholeSequence) {
  const auto variance = [](bool by_step) {
    StepsOfChoices choices;
    const Tensor exact = choices.exact_gradient();
    DrawnLoss drawn({.draws = 1, .baseline = Baseline::none});
    Random noise(5);
    double squares = 0;
    for (int i = 0; i < 500; ++i) {
      choices.scores.clear_gradient();
      backward(drawn(noise, choices.read(by_step)));
      const Tensor off = choices.scores.gradient() - exact;
      squares += sum(off * off).item();
    }
    return squares;
  };
  EXPECT_LT(variance(true), 0.75 * variance(false));
}

// Spans of a learnt length cost something for each unit of the loss, draws or not.
TEST(DrawnLoss, AddsWhatAnAttentionCostsToEachUnit) {
  Random random(1);
  const auto look =
      attention::make_attention("adaptive_span(longest=40, start=0.25, loss=0.1)",
                                {.query_width = 2, .key_width = 2, .value_width = 2}, random);
  const Tensor x = wavy({3, 1, 4, 2});
  const auto read = [&](bool units) {
    return [&, units](const models::Call& call, attention::Draws&) {
      const Variable context =
          look->attend(x, look->memory(x, x), {}, {.noise = call.noise, .watch = call.watch})
              .context;
      SequenceLosses found{.total = sum(context), .each = [] { return Tensor::zeros({3}); }};
      if (units) found.units = Tensor::of({3}, {4, 4, 2});
      return found;
    };
  };
  const Real plain = sum(look->attend(x, look->memory(x, x)).context.value()).item();
  DrawnLoss drawn;
  Random noise(1);
  EXPECT_NEAR(drawn(noise, read(true)).item(), plain + 10 * 0.1 * 40 * 0.25, 1e-4);
  EXPECT_NEAR(drawn(noise, read(false)).item(), plain + 3 * 0.1 * 40 * 0.25, 1e-4);
}

TEST(SumsBySequence, AddUpTheUnitsOfEach) {
  const Tensor losses = Tensor::of({5}, {1, 2, 3, 4, 5});
  expect_near(losses_by_step(losses, Ids::of({3}, {2, 0, 3})),
              Tensor::of({3, 3}, {1, 2, 0, 0, 0, 0, 3, 4, 5}), 0);
  expect_near(sums_by_sequence(losses, Ids::of({3}, {2, 0, 3})), Tensor::of({3}, {3, 0, 12}), 0);
  EXPECT_THROW(sums_by_sequence(losses, Ids::of({2}, {2, 2})), UsageError);
}

}  // namespace
}  // namespace heed::training
