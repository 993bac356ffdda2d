// SPDX-License-Identifier: Apache-2.0
// How a translator searches or samples, as command lines, config files and requests say it; the
// defaults are those of TranslateOptions.
#pragma once  // public header

#include <cstdint>
#include <string>
#include <vector>

#include "heed/base/options.h"
#include "heed/decoding/draw.h"
#include "heed/pipeline/translate/translator.h"

#pragma GCC visibility push(default)  // exported

namespace heed::pipeline {

// The length penalty: what validation chose, or one of decoding::LengthScale.
enum class SearchLength { chosen, none, wu, power };
const std::vector<std::string>& search_length_names();

struct TranslationSearch {
  bool sample = false;
  decoding::BeamOptions beam{};  // but its length penalty
  SearchLength length_penalty = SearchLength::chosen;
  double length_alpha = -1;  // below 0: that of the length penalty
  decoding::DrawOptions draw{};
  std::uint64_t seed = 1;
  bool unknown = true;
  Split split = Split::automatic;
  std::int64_t longest_text = 0;
  // Whole numbers for people; the search counts in fractions of a source.
  std::int64_t min_length = static_cast<std::int64_t>(decoding::Constraints{}.least.constant);
  std::int64_t max_length = static_cast<std::int64_t>(decoding::Constraints{}.most.constant);

  void declare(Options& options);
  // What they ask for; n_best counts samples as well.
  TranslateOptions options() const;
};

}  // namespace heed::pipeline

#pragma GCC visibility pop
