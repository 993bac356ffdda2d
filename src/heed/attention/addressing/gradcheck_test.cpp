// SPDX-License-Identifier: Apache-2.0
// Every addressing part against finite differences, in weights, query, the weights before and every
// parameter; and all of them together against known answers.
#include <array>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>

#include "heed/attention/addressing/testing.h"
#include "heed/attention/mechanism.h"

namespace heed::attention {
namespace {

using heed::testing::wavy;
using nlohmann::json;

// in: weights (any numbers, made a distribution first), query, weights before.
Variable run_addressing(Addressing& part, std::span<const Variable> in) {
  AttentionState state;
  state.previous = softmax(in[2]);
  static constexpr std::array<std::int32_t, 2> kLengths = {5, 3};
  const std::shared_ptr<const BoundPattern> pattern = pattern_of("padding")->bind(
      {.batch = 2, .heads = in[0].size(1), .queries = 1, .keys = 5, .lengths = kLengths});
  return part.address(softmax(in[0]), {.query = in[1], .state = state}) +
         part.address(softmax(in[0]), {.query = in[1], .state = state, .pattern = pattern});
}

TEST(AddressingGradients, AgreeWithFiniteDifferencesForEveryPart) {
  std::set<std::string> checked;
  for (const std::string& setting : every_setting<Addressing>()) {
    for (const std::int64_t heads : {1, 2}) {
      SCOPED_TRACE(setting + " with " + std::to_string(heads) + " heads");
      const auto part = made_addressing(setting, heads);
      const GradcheckResult result = check_gradients<Addressing>(
          *part, {wavy({2, heads, 1, 5}, 2), wavy({2, heads, 1, 3}), wavy({2, heads, 5}, 1)},
          run_addressing);
      EXPECT_TRUE(result.passed) << result.where;
      checked.insert(part->card().name);
    }
  }
  EXPECT_EQ(checked.size(), Catalogue<Addressing>::entries().size());
}

// golden/memory.json, "ntm_addressing": the weights of one head, its reading, and their gradients.
TEST(Addressing, AgreesWithTheKnownAnswersOfANeuralTuringMachine) {
  const json golden = json::parse(std::ifstream(std::filesystem::path(HEED_SOURCE_DIR) /
                                                "tests/golden/memory.json"))["ntm_addressing"];
  const auto tensor = [](const json& numbers, const Shape& shape) {
    return Tensor::of(shape, numbers.get<std::vector<Real>>());
  };
  std::vector<Real> rows;
  for (const json& row : golden["inputs"]["M"]) {
    for (const json& number : row) rows.push_back(number);
  }
  const Variable memory = Variable::leaf(Tensor::of({1, 1, 5, 3}, rows));
  const Variable key = Variable::leaf(tensor(golden["inputs"]["k"], {1, 1, 1, 3}));
  AttentionState state;
  state.previous = Variable::leaf(tensor(golden["inputs"]["w_prev"], {1, 1, 5}));
  Random random(1);
  const Mechanism head(
      "cosine(strength=2.5) | full | softmax | interpolate(gate=0.7) | "
      "shift(shares=[0.1, 0.6, 0.3]) | sharpen(power=1.8)",
      {.query_width = 3, .key_width = 3, .value_width = 3}, random);
  const Attended found = head.attend(key, head.memory(memory, memory), state, {.weights = true});
  const json& forward = golden["forward"];
  heed::testing::expect_near(found.weights.value(), tensor(forward["w"], {1, 1, 1, 5}), 1e-9);
  heed::testing::expect_near(found.context.value(), tensor(forward["read"], {1, 1, 1, 3}), 1e-9);
  heed::testing::expect_near(found.state.previous.value(), tensor(forward["w"], {1, 1, 5}), 1e-9);
}

}  // namespace
}  // namespace heed::attention
