// SPDX-License-Identifier: Apache-2.0
// The written form of a mechanism: read into a tree, whichever parts there are, and printed again.
//
//   scaled_dot + alibi | causal & (window(64) | globals(2)) | entmax(alpha=1.5)
//   4x(dot); 4x(scaled_dot | causal)
//
//   spec      = mechanism | heads "x" "(" mechanism ")" { ";" heads "x" "(" mechanism ")" }
//   mechanism = part { "+" part } [ "|" both [ "|" part { "|" part } ] ]
//   either    = both { "|" both }
//   both      = operand { "&" operand }
//   operand   = part | "(" either ")"
//   part      = name [ "(" [ argument { "," argument } ] ")" ]
//   argument  = [ name "=" ] ( value | "[" value { "," value } "]" )
//   value     = number | name | '"' { any character but '"' } '"'
//
// White space may be between any two words. Names are letters, digits, "_" and "-".
#pragma once  // public header

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "heed/attention/written/catalogue.h"

#pragma GCC visibility push(default)  // exported

namespace heed::attention {

// Trees are equal when they mean the same text; where in it a part is does not count.
struct PartSpec {
  std::string name;
  std::vector<Argument> arguments = {};
  std::size_t place = 0;  // of the name's first byte in the text
  bool operator==(const PartSpec& other) const;
};

struct PatternSpec {
  enum class Kind { part, both, either };
  Kind kind = Kind::part;
  PartSpec part = {};                      // when it is one
  std::vector<PatternSpec> patterns = {};  // otherwise: two or more, none of the same kind
  bool operator==(const PatternSpec& other) const;
};

struct MechanismSpec {
  std::vector<PartSpec> terms = {};  // scores and biases in written order; at least one
  PatternSpec pattern = {.part = {.name = "full"}};
  PartSpec normaliser = {.name = "softmax"};
  std::vector<PartSpec> addressing = {};  // what becomes of the weights, in written order
  bool operator==(const MechanismSpec& other) const = default;
};

struct HeadsSpec {
  std::int64_t heads = 0;  // 0: all, and the group is the only one
  MechanismSpec mechanism = {};
  bool operator==(const HeadsSpec& other) const = default;
};

struct Spec {
  std::string text = {};  // as it was written; places point into it
  std::vector<HeadsSpec> groups = {};
  bool operator==(const Spec& other) const { return groups == other.groups; }
};

// Throws UsageError that shows the text with a caret under the offending character, says what was
// found and what would be right. Longer texts, deeper parentheses and more heads are refused.
Spec parse_spec(std::string_view text);
inline constexpr std::size_t kLongestSpec = 65536;
inline constexpr int kDeepestSpec = 64;
inline constexpr std::int64_t kMostHeads = 65536;

// The same for a pattern alone, which may be `(a | b)`, and for one part.
PatternSpec parse_pattern(std::string_view text);
PartSpec parse_part(std::string_view text);

// The spec with one more bias after the terms of every group of heads.
Spec with_bias(Spec spec, const PartSpec& bias);
// The spec with this pattern required beside what it says, in every group of heads; `full` alone
// restricts nothing and is left out.
Spec with_pattern(Spec spec, const PatternSpec& pattern);
PatternSpec required(const PatternSpec& pattern, const PatternSpec& more);

// The written form, sections that are the default left out: parse_spec(written(spec)) == spec.
std::string written(const PartSpec& part);
std::string written(const PatternSpec& pattern);
std::string written(const MechanismSpec& mechanism);
std::string written(const Spec& spec);

}  // namespace heed::attention

#pragma GCC visibility pop
