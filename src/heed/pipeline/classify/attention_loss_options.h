// SPDX-License-Identifier: Apache-2.0
// Options of what a classifier's training asks of its attention and states; see attention_losses.h.
#pragma once  // public header

#include <string>

#pragma GCC visibility push(default)  // exported

namespace heed {
class Options;
}

namespace heed::pipeline {

enum class AdversaryDirection { from_base, to_base };

struct AttentionLossOptions {
  std::string impermissible;          // a file of words
  std::string impermissible_pattern;  // a regular expression for whole words
  double deceive = 0;
  double diversity = 0;
  double tie = 0;
  double masked_words = 0;
  std::string adversary_of;  // a model folder
  double adversary = 1;
  AdversaryDirection direction = AdversaryDirection::from_base;

  void declare(Options& options);
  bool any() const;
  // UsageError for options that do not fit each other, or a model without attention of one look.
  void check(bool attends) const;
};

}  // namespace heed::pipeline

#pragma GCC visibility pop
