// SPDX-License-Identifier: Apache-2.0
// Every parameter of a neural Turing machine against finite differences, through several steps.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "heed/attention/attention.h"
#include "heed/autograd/gradcheck.h"
#include "heed/autograd/ops.h"
#include "heed/autograd/slots.h"
#include "heed/models/turing_machine.h"
#include "heed/tensor/arithmetic.h"
#include "heed/tensor/testing.h"

namespace heed::models {
namespace {

using nlohmann::json;

TEST(TuringMachineGradcheck, HoldsForEveryParameterThroughSeveralSteps) {
  for (const auto& [controller, addressing] :
       std::vector<std::pair<Controller, Addressing>>{{Controller::feed_forward, Addressing::ntm},
                                                      {Controller::lstm, Addressing::ntm},
                                                      {Controller::lstm, Addressing::dnc}}) {
    SCOPED_TRACE(controller_names()[static_cast<std::size_t>(controller)] + " " +
                 addressing_names()[static_cast<std::size_t>(addressing)]);
    Random random(1);
    TuringMachine machine({.inputs = 2,
                           .outputs = 2,
                           .controller = controller,
                           .hidden = 3,
                           .slots = 4,
                           .width = 3,
                           .read_heads = 2,
                           .write_heads = addressing == Addressing::ntm ? 2 : 1,
                           .addressing = addressing},
                          random);
    std::vector<Tensor> inputs{heed::testing::wavy({4, 2, 2})};
    for (const nn::Parameter& parameter : nn::parameters(machine)) {
      inputs.push_back(parameter.variable.value().clone());
    }
    const GradcheckResult result = gradcheck(
        [&](std::span<const Variable> leaves) {
          std::size_t next = 1;
          nn::ParameterVisitor visitor(
              [&](const std::string&, Variable& parameter) { parameter = leaves[next++]; });
          machine.visit(visitor);
          return machine(leaves[0]);
        },
        inputs);
    EXPECT_TRUE(result.passed) << result.where;
  }
}

// golden/memory.json, "ntm_addressing": one head addresses, reads and writes; values and gradients.
TEST(TuringMachineGradcheck, AgreesWithTheKnownAnswersOfAStep) {
  const json golden = json::parse(std::ifstream(std::filesystem::path(HEED_SOURCE_DIR) /
                                                "tests/golden/memory.json"))["ntm_addressing"];
  const auto tensor = [](const json& numbers, const Shape& shape) {
    std::vector<Real> flat;
    for (const json& one : numbers) {
      if (one.is_array()) {
        for (const json& inner : one) flat.push_back(inner);
      } else {
        flat.push_back(one);
      }
    }
    return Tensor::of(shape, flat);
  };
  const json& in = golden["inputs"];
  const Variable memory = Variable::leaf(tensor(in["M"], {1, 5, 3}));
  const Variable key = Variable::leaf(tensor(in["k"], {1, 1, 1, 3}));
  const Variable erase = Variable::leaf(tensor(in["e"], {1, 1, 3}));
  const Variable add = Variable::leaf(tensor(in["a"], {1, 1, 3}));
  attention::AttentionState state;
  state.previous = Variable::leaf(tensor(in["w_prev"], {1, 1, 5}));
  Random random(1);
  const auto head = attention::make_attention(
      "cosine(strength=2.5) | full | softmax | interpolate(gate=0.7) | "
      "shift(shares=[0.1, 0.6, 0.3]) | sharpen(power=1.8)",
      {.query_width = 3, .key_width = 3, .value_width = 3}, random);
  const Variable keys = reshape(memory, {1, 1, 5, 3});
  const Variable weights = reshape(
      head->attend(key, head->memory(keys, keys), state, {.weights = true}).weights, {1, 1, 5});
  const SlotsAfter after = read_and_write(memory, weights, {weights, erase, add});
  const json& forward = golden["forward"];
  heed::testing::expect_near(after.read.value(), tensor(forward["read"], {1, 1, 3}), 1e-9);
  heed::testing::expect_near(after.memory.value(), tensor(forward["M_after"], {1, 5, 3}), 1e-9);
  const json& upstream = golden["upstream"];
  const Variable loss = sum(weights * Variable(tensor(upstream["w"], {1, 1, 5}))) +
                        sum(after.read * Variable(tensor(upstream["read"], {1, 1, 3}))) +
                        sum(after.memory * Variable(tensor(upstream["M_after"], {1, 5, 3})));
  EXPECT_NEAR(loss.value().item(), golden["loss"].get<double>(), 1e-9);
  backward(loss);
  const json& gradient = golden["gradient"];
  heed::testing::expect_near(key.gradient(), tensor(gradient["k"], {1, 1, 1, 3}), 1e-9);
  heed::testing::expect_near(erase.gradient(), tensor(gradient["e"], {1, 1, 3}), 1e-9);
  heed::testing::expect_near(add.gradient(), tensor(gradient["a"], {1, 1, 3}), 1e-9);
  heed::testing::expect_near(state.previous.gradient(), tensor(gradient["w_prev"], {1, 1, 5}),
                             1e-9);
  // Rows that were written; that of zeros has gradients of 1e4, given to 12 digits.
  heed::testing::expect_near(memory.gradient().slice(1, 0, 4),
                             tensor(gradient["M"], {1, 5, 3}).slice(1, 0, 4), 1e-9);
  heed::testing::expect_near(memory.gradient().slice(1, 4, 5) * Real(1e-5),
                             tensor(gradient["M"], {1, 5, 3}).slice(1, 4, 5) * Real(1e-5), 1e-9);
}

}  // namespace
}  // namespace heed::models
