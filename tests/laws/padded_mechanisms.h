// SPDX-License-Identifier: Apache-2.0
// Mechanisms for each part of the catalogue that may be asked with sequences of different lengths.
#pragma once

#include <set>
#include <string>

#include "heed/attention/addressing.h"
#include "heed/attention/bias.h"
#include "heed/attention/make_parts.h"
#include "heed/attention/mechanism.h"
#include "heed/attention/score.h"
#include "heed/attention/settings_testing.h"

namespace heed::test {

// Scores and biases with a causal pattern, and every pattern that needs no data of the call, but
// for those that count keys, since padding counts as such.
inline std::set<std::string> mechanisms_for_padding() {
  using namespace attention;
  std::set<std::string> all;
  for (const std::string& score : every_setting<Score>()) {
    all.insert(score + " | causal & padding");
  }
  for (const std::string& bias : every_setting<Bias>()) {
    if (!card_of<Bias>(bias).reads.empty()) continue;
    all.insert("scaled_dot + " + bias + " | causal & padding");
  }
  for (const std::string& part : every_setting<Addressing>()) {
    all.insert("scaled_dot | causal & padding | softmax | " + part);
  }
  for (const std::string& setting : every_setting<NamedPattern>()) {
    const auto pattern = pattern_of(setting);
    if (pattern->reads(Given::segments) || pattern->reads(Given::mask) || pattern->counts_keys()) {
      continue;
    }
    all.insert(with_what_it_reads("scaled_dot", *pattern) + " | " + setting + " & padding");
  }
  all.insert("1x(scaled_dot + alibi | padding); 1x(additive(size=3) | padding & causal)");
  return all;
}

}  // namespace heed::test
