// SPDX-License-Identifier: Apache-2.0
// How `heed translate` writes its results: text, n-best lists, alignments,
// JSON, heatmaps.
#pragma once

#include "heed/base/options.h"
#include "heed/pipeline/translate/translator.h"

namespace heed::cli {

struct OutputOptions {
  enum class Alignments { none, pharaoh, soft, json };
  Alignments alignments = Alignments::none;
  bool scores = false;
  bool token_scores = false;
  bool every_attention = false;
  bool show = false;

  void declare(Options& options);
  bool needs_attention() const { return alignments != Alignments::none || show; }
};

// `number` is the line's, from 1.
void print_translations(const pipeline::Translations& translations, std::uint64_t number,
                        const OutputOptions& options);

}  // namespace heed::cli
