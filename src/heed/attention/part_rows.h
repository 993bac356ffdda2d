// SPDX-License-Identifier: Apache-2.0
// The catalogue as rows of plain values: every part that a mechanism can be written with, its card
// and its options, for whatever lists them.
#pragma once  // public header

#include <string>
#include <vector>

#include "heed/attention/written/card.h"
#include "heed/base/options.h"

#pragma GCC visibility push(default)  // exported

namespace heed::attention {

struct OptionRow {
  std::string name;
  OptionValue value;  // the default
  std::string default_text;
  std::string wants;
  std::string help;
};

struct PartRow {
  std::string
      kind;  // "score", "bias", "pattern", "normaliser", "addressing part", "whole mechanism"
  Card card;
  std::vector<OptionRow> options;
};

// All parts, kind by kind.
std::vector<PartRow> part_rows();

}  // namespace heed::attention

#pragma GCC visibility pop
