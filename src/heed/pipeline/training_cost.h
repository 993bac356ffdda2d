// SPDX-License-Identifier: Apache-2.0
// What a training would take: vocabulary, parameters, memory and time, found by making a few
// updates on a sample of its data in a folder that is removed again.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "heed/pipeline/data_check.h"
#include "heed/text/length_counts.h"

#pragma GCC visibility push(default)  // exported

namespace heed::pipeline {

struct TrainingCost {
  std::vector<std::int64_t> vocabularies{};  // tokens of each; none where it reads no text
  std::int64_t parameters = 0;
  std::optional<std::int64_t> memory{};  // bytes at the peak, where the system tells
  double update_seconds = 0;
  double epoch_updates = 0;
  int updates = 0;              // that were made
  std::uint64_t tried = 0;      // texts of the sample
  bool sampled = false;         // whether that is less than all
  text::LengthCounts tokens{};  // of these texts, of sources

  // "vocabulary 2233, 1203322 parameters, about 210 MiB of memory, 85 ms per update, ...".
  std::string to_string() const;
};

// Data without parts are made by the kind itself. UsageError and DataError as of the training
// itself.
TrainingCost training_cost(const KindOptions& options, const DataCheck& check);

}  // namespace heed::pipeline

#pragma GCC visibility pop
