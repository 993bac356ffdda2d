// SPDX-License-Identifier: Apache-2.0
// The data of a training of any kind, looked at before it begins: what there is, and what looks
// like a mistake.
#pragma once

#include <string>
#include <vector>

#include "heed/base/exported.h"
#include "heed/pipeline/train.h"
#include "heed/text/data_check.h"

namespace heed::pipeline {

struct DataCheck {
  std::vector<text::PartCheck> parts{};  // training first
  std::vector<std::string> warnings{};   // with file and remedy
};

// What a short check reads of each part at most: a second's work.
inline constexpr std::uint64_t kShortCheckBytes = 64 << 20;
// Rows that are drawn for a training to be tried with.
inline constexpr std::size_t kTriedRows = 10'000;

HEED_EXPORTED DataCheck check_data(const KindOptions& options, std::uint64_t most_bytes = 0);

// A line for each part: "train.tsv: 940 texts, 3 to 61 words (median 12), 3 classes".
std::vector<std::string> summary(const DataCheck& check);

}  // namespace heed::pipeline
