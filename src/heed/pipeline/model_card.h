// SPDX-License-Identifier: Apache-2.0
// card.md: what a model is, what it was made from and how good it is, in plain words.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "heed/training/early_stopping.h"

namespace heed::pipeline {

// Rows of a table: model, attention, ...
using CardFacts = std::vector<std::pair<std::string, std::string>>;

struct ModelCard {
  std::string title;
  std::string kind;  // "A translator"
  CardFacts facts;
  training::Metrics measured{};  // of validation
  std::string use;               // the command that uses it

  std::string text() const;  // Markdown
};

}  // namespace heed::pipeline
