// SPDX-License-Identifier: Apache-2.0
// For tests of addressing: a part from its written form, at work on weights.
#pragma once

#include <memory>
#include <string>

#include "heed/attention/addressing.h"
#include "heed/attention/scores/testing.h"
#include "heed/attention/settings_testing.h"

namespace heed::attention {

// Query width 3.
inline std::unique_ptr<Addressing> made_addressing(const std::string& setting,
                                                   std::int64_t heads = 1) {
  auto part = made_part<Addressing>(setting);
  Random random(13);
  part->build({.query_width = 3, .heads = heads}, random);
  return part;
}

// What becomes of weights [1,1,1,K], after those of the step before [K] where there are any.
inline Tensor addressed(const Addressing& part, std::vector<Real> weights,
                        std::vector<Real> before = {},
                        std::shared_ptr<const BoundPattern> pattern = nullptr) {
  const auto keys = static_cast<std::int64_t>(weights.size());
  const Variable query = heed::testing::wavy({1, 1, 1, 3});
  AttentionState state;
  if (!before.empty()) state.previous = Variable(Tensor::of({1, 1, keys}, std::move(before)));
  return part
      .address(Variable(Tensor::of({1, 1, 1, keys}, std::move(weights))),
               {.query = query, .state = state, .pattern = std::move(pattern)})
      .value()
      .reshape({keys});
}

}  // namespace heed::attention
