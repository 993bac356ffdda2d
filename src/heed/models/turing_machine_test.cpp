// SPDX-License-Identifier: Apache-2.0
// Neural Turing machines step by step, in batches, with states that are values, and what they
// refuse.
#include "heed/models/turing_machine.h"

#include <gtest/gtest.h>

#include <set>

#include "heed/attention/trace.h"
#include "heed/autograd/ops.h"
#include "heed/base/error.h"
#include "heed/nn/initialisers.h"
#include "heed/tensor/testing.h"

namespace heed::models {
namespace {

using heed::testing::expect_near;

TuringMachineOptions small_machine() {
  return {.inputs = 4, .outputs = 3, .hidden = 6, .slots = 5, .width = 4};
}

TEST(TuringMachine, AnswersStepByStepAsItAnswersAllSteps) {
  for (const Addressing addressing : {Addressing::ntm, Addressing::dnc}) {
    TuringMachineOptions options = small_machine();
    options.controller =
        addressing == Addressing::ntm ? Controller::feed_forward : Controller::lstm;
    options.addressing = addressing;
    options.read_heads = 2;
    Random random(1);
    const TuringMachine machine(options, random);
    const Tensor inputs = heed::testing::wavy({6, 2, 4});
    const Tensor all = machine(inputs).value();
    TuringMachineState state = machine.start(2);
    for (std::int64_t t = 0; t < 6; ++t) {
      const Tensor one = machine.step(inputs.select(0, t), state).value();
      expect_near(one, all.select(0, t), 1e-6);
    }
    // A head of dnc may look nowhere: nothing to write, nothing written before or after.
    for (const Real total : sum(state.focus.previous, 2).value().values()) {
      EXPECT_LT(total, 1 + 1e-5);
      EXPECT_GT(total, addressing == Addressing::ntm ? 1 - 1e-5 : 0);
    }
  }
}

// Watched heads are composed of their parts, others run in one op.
TEST(TuringMachine, HasTheSameAnswersAndGradientsWatchedAndUnwatched) {
  for (const std::int64_t slots : {1, 5, 37}) {
    TuringMachineOptions options = small_machine();
    options.controller = Controller::lstm;
    options.slots = slots;
    options.width = 19;
    options.read_heads = 2;
    options.write_heads = 2;
    Random random(1);
    TuringMachine machine(options, random);
    const Tensor inputs = heed::testing::wavy({6, 2, 4});
    const auto run = [&](const Call& call) {
      nn::Parameters parameters = nn::parameters(machine);
      for (nn::Parameter& one : parameters) one.variable.clear_gradient();
      const Variable logits = machine(inputs, call);
      backward(sum(logits * Variable(heed::testing::wavy({6, 2, 3}, 2))));
      std::vector<Tensor> found{logits.value()};
      for (const nn::Parameter& one : parameters) found.push_back(one.variable.gradient().clone());
      return found;
    };
    attention::Trace trace;
    const std::vector<Tensor> composed = run({.watch = &trace}), fused = run({});
    EXPECT_EQ(trace.entries().size(), 6u);
    ASSERT_EQ(composed.size(), fused.size());
    for (std::size_t i = 0; i < composed.size(); ++i) expect_near(fused[i], composed[i], 1e-5);
  }
}

TEST(TuringMachine, StartsWithSlotsThatCanBeToldApart) {
  Random random(1);
  TuringMachineOptions options = small_machine();
  const TuringMachineState first = TuringMachine(options, random).start(2);
  expect_near(first.focus.previous.value().select(0, 1).select(0, 1),
              Tensor::of({5}, {1, 0, 0, 0, 0}), 0);
  EXPECT_NE(first.memory.value().at({0, 0, 0}), first.memory.value().at({0, 1, 0}));
  options.focus_start = FocusStart::all_slots;
  const TuringMachineState all = TuringMachine(options, random).start(1);
  EXPECT_NEAR(all.focus.previous.value().at({0, 0, 4}), 0.2, 1e-6);
  expect_near(all.memory.value(), first.memory.value().slice(0, 0, 1), 0);
}

TEST(TuringMachine, StartsWithTheSameSlotsWhenItsWeightsComeFromAFile) {
  Random random(1), other(2);
  const TuringMachineState first = TuringMachine(small_machine(), random).start(1);
  const nn::ZeroWeights none;
  const TuringMachineState loaded = TuringMachine(small_machine(), other).start(1);
  expect_near(loaded.memory.value(), first.memory.value(), 0);
}

TEST(TuringMachine, MovesItsFocusOnFromStepToStep) {
  Random random(1);
  TuringMachineOptions options = small_machine();
  options.attention = "dot | full | softmax | interpolate(gate=0) | shift(shares=[0, 0, 1])";
  options.hidden = 4;  // a plain product takes queries as wide as the slots
  const TuringMachine machine(options, random);
  TuringMachineState state = machine.start(1);
  for (const std::int64_t slot : {1, 2, 3, 4, 0}) {
    machine.step(heed::testing::wavy({1, 4}), state);
    EXPECT_NEAR(state.focus.previous.value().at({0, 0, slot}), 1, 1e-6) << slot;
  }
}

TEST(TuringMachine, GivesEachSequenceOfABatchWhatItGivesItAlone) {
  Random random(2);
  const TuringMachine machine(small_machine(), random);
  const Tensor inputs = heed::testing::wavy({5, 3, 4});
  const Tensor all = machine(inputs).value();
  for (std::int64_t b = 0; b < 3; ++b) {
    expect_near(machine(inputs.slice(1, b, b + 1)).value(), all.slice(1, b, b + 1), 1e-6);
  }
}

TEST(TuringMachine, HasStatesThatAreReorderedWhole) {
  for (const Addressing addressing : {Addressing::ntm, Addressing::dnc}) {
    Random random(2);
    TuringMachineOptions options = small_machine();
    options.addressing = addressing;
    const TuringMachine machine(options, random);
    TuringMachineState state = machine.start(2);
    machine.step(heed::testing::wavy({2, 4}), state);
    TuringMachineState turned =
        State(state).reordered(Ids::of({2}, {1, 0})).as<TuringMachineState>();
    const Tensor next = heed::testing::wavy({2, 4}, 1);
    const Tensor here = machine.step(next, state).value();
    const Tensor there =
        machine
            .step(concat(std::vector<Tensor>{next.slice(0, 1, 2), next.slice(0, 0, 1)}, 0), turned)
            .value();
    expect_near(there.slice(0, 0, 1), here.slice(0, 1, 2), 1e-6);
  }
}

TEST(TuringMachine, LinksSlotsInTheOrderOfWriting) {
  Random random(3);
  TuringMachineOptions options = small_machine();
  options.addressing = Addressing::dnc;
  options.slots = 6;
  TuringMachine machine(options, random);
  // Gates wide open: every step writes to the freest slot, and nothing is freed.
  nn::ParameterVisitor visitor([](const std::string& name, Variable& parameter) {
    if (name == "heads.gates.weight")
      parameter.mutable_value().assign(Tensor::zeros(parameter.shape()));
    if (name == "heads.gates.bias")
      parameter.mutable_value().assign(Tensor::of({3}, {30, 30, -30}));
  });
  machine.visit(visitor);
  TuringMachineState state = machine.start(1);
  std::vector<std::int64_t> written;
  for (int t = 0; t < 4; ++t) {
    machine.step(heed::testing::wavy({1, 4}), state);
    for (std::int64_t slot = 0; slot < 6; ++slot) {
      if (state.focus.previous.value().at({0, 1, slot}) > Real(.99)) written.push_back(slot);
    }
  }
  ASSERT_EQ(written.size(), 4u);
  EXPECT_EQ(std::set<std::int64_t>(written.begin(), written.end()).size(), 4u);  // each was free
  for (std::size_t i = 0; i + 1 < written.size(); ++i) {
    EXPECT_NEAR(state.written.links.value().at({0, written[i + 1], written[i]}), 1, 1e-4);
    EXPECT_NEAR(state.written.links.value().at({0, written[i], written[i + 1]}), 0, 1e-4);
    EXPECT_NEAR(state.written.usage.value().at({0, written[i]}), 1, 1e-4);
  }
}

TEST(TuringMachine, RefusesAStartThatKeepsAllSlotsAlike) {
  TuringMachineOptions options = small_machine();
  options.memory_start = MemoryStart::constant;
  options.focus_start = FocusStart::all_slots;
  Random random(1);
  EXPECT_THROW(TuringMachine(options, random), UsageError);
  options.focus_start = FocusStart::first_slot;
  EXPECT_NO_THROW(TuringMachine(options, random));
  options.attention = "linear";
  EXPECT_THROW(TuringMachine(options, random), UsageError);
  options = small_machine();
  options.write_heads = 0;
  EXPECT_THROW(TuringMachine(options, random), UsageError);
}

TEST(TuringMachine, RefusesADncThatCannotBe) {
  Random random(1);
  const auto refused = [&](auto change) {
    TuringMachineOptions options = small_machine();
    options.addressing = Addressing::dnc;
    change(options);
    EXPECT_THROW(TuringMachine(options, random), UsageError);
  };
  refused([](TuringMachineOptions& options) { options.write_heads = 2; });
  refused([](TuringMachineOptions& options) { options.slots = 513; });
  refused([](TuringMachineOptions& options) { options.focus_start = FocusStart::all_slots; });
  refused([](TuringMachineOptions& options) { options.attention = "linear"; });
}

}  // namespace
}  // namespace heed::models
