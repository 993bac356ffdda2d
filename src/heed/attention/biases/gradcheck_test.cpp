// SPDX-License-Identifier: Apache-2.0
// Every bias against finite differences, in scores, query, keys and every parameter: as it changes
// scores, scales weights and adds to the context.
#include <set>

#include "heed/attention/biases/testing.h"
#include "heed/attention/settings_testing.h"

namespace heed::attention {
namespace {

using heed::testing::wavy;

// Scores, weights and context side by side, as far as the bias touches them.
Variable run(Bias& part, std::span<const Variable> in) {
  BiasCall call{.query = in[1], .keys = in[2], .first_query = 1, .all_heads = in[1].size(1)};
  if (!part.card().reads.empty()) call.given = wavy({1, 1, in[0].size(2), in[0].size(3)}, 4);
  Variables all{reshape(part.transform(in[0], call), {-1}),
                reshape(part.scale_weights(in[0], call), {-1})};
  const Variable added = part.add_to_context(in[0], call);
  if (added.defined()) all.push_back(reshape(added, {-1}));
  return concat(all, 0);
}

TEST(BiasGradients, AgreeWithFiniteDifferencesForEveryBias) {
  std::set<std::string> checked;
  for (const std::string& setting : every_setting<Bias>()) {
    for (const auto& [heads, groups] : {std::pair{1, 1}, {4, 2}}) {
      SCOPED_TRACE(setting + " with " + std::to_string(heads) + " heads");
      const auto part = made_part<Bias>(setting);
      Random random(11);
      part->build(
          {.query_width = 3, .key_width = 3, .value_width = 2, .heads = heads, .key_heads = groups},
          random);
      if (!can_be_differenced(*part)) continue;
      const GradcheckResult result = check_gradients<Bias>(
          *part, {wavy({2, heads, 3, 4}, 2), wavy({2, heads, 3, 3}), wavy({2, groups, 4, 3}, 1)},
          run);
      EXPECT_TRUE(result.passed) << result.where;
      if (heads > 1) checked.insert(part->card().name);
    }
  }
  for (const auto& entry : Catalogue<Bias>::entries()) {
    EXPECT_TRUE(checked.contains(entry.card.name))
        << entry.card.name << " has too many parameters: its card needs a small example";
  }
}

}  // namespace
}  // namespace heed::attention
