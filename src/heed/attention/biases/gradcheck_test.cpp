// SPDX-License-Identifier: Apache-2.0
// Every bias against finite differences, in scores, query, keys and every parameter: as it changes
// scores, scales weights and adds to the context.
#include <set>

#include "heed/attention/biases/testing.h"

namespace heed::attention {
namespace {

using heed::testing::wavy;

struct Case {
  std::string name;
  std::vector<Argument> arguments = {};
};

std::vector<Case> cases() {
  return {{"alibi"},
          {"relative_buckets", {{"buckets", "6"}, {"distance", "4"}}},
          {"relative_buckets", {{"buckets", "4"}, {"distance", "4"}, {"bidirectional", "false"}}},
          {"shaw", {{"clip", "2"}}},
          {"shaw", {{"clip", "1"}, {"values", "true"}, {"scale", "1"}}},
          {"transformer_xl"},
          {"gaussian", {{"width", "3"}}},
          {"gaussian", {{"centre", "query"}}},
          {"soft_cap", {{"cap", "1.5"}}},
          {"learned", {{"queries", "6"}, {"keys", "5"}}},
          {"tensor"}};
}

// Scores, weights and context side by side, as far as the bias touches them.
Variable run(Bias& part, std::span<const Variable> in) {
  BiasCall call{.query = in[1], .keys = in[2], .first_query = 1, .all_heads = in[1].size(1)};
  if (part.card().name == "tensor") call.given = wavy({1, 1, in[0].size(2), in[0].size(3)}, 4);
  Variables all{reshape(part.transform(in[0], call), {-1}),
                reshape(part.scale_weights(in[0], call), {-1})};
  const Variable added = part.add_to_context(in[0], call);
  if (added.defined()) all.push_back(reshape(added, {-1}));
  return concat(all, 0);
}

TEST(BiasGradients, AgreeWithFiniteDifferencesForEveryBias) {
  std::set<std::string> checked;
  for (const Case& one : cases()) {
    for (const auto& [heads, groups] : {std::pair{1, 1}, {4, 2}}) {
      SCOPED_TRACE(one.name + " with " + std::to_string(heads) + " heads");
      auto part = made_bias(one.name, one.arguments,
                            {.query_width = 3,
                             .key_width = 3,
                             .value_width = 2,
                             .heads = heads,
                             .key_heads = groups});
      const GradcheckResult result = check_gradients<Bias>(
          *part, {wavy({2, heads, 3, 4}, 2), wavy({2, heads, 3, 3}), wavy({2, groups, 4, 3}, 1)},
          run);
      EXPECT_TRUE(result.passed) << result.where;
      checked.insert(one.name);
    }
  }
  for (const auto& entry : Catalogue<Bias>::entries()) {
    EXPECT_TRUE(checked.contains(entry.card.name)) << entry.card.name << " has no case";
  }
}

}  // namespace
}  // namespace heed::attention
