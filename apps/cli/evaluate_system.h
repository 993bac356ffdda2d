// SPDX-License-Identifier: Apache-2.0
// A system under evaluation: its files, its scores, and these as text or JSON.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "heed/metrics/accuracy.h"
#include "heed/metrics/alignment.h"
#include "heed/metrics/by_length.h"
#include "heed/metrics/chrf.h"
#include "heed/metrics/copied_words.h"
#include "heed/metrics/placed_words.h"
#include "heed/text/lines.h"

namespace heed::cli {

struct EvaluationData {
  std::vector<std::vector<std::string>> references = {};
  std::vector<std::string> sources = {};
  std::vector<text::Alignment> gold = {};
  metrics::BleuOptions bleu = {};
  metrics::ChrfOptions chrf = {};
  std::int64_t length_step = 5;
  bool by_length = false;
  std::optional<metrics::KnownWords> known = {};  // where copied words are counted
  std::vector<metrics::PlacedWord> pronouns = {};
};

struct SystemScore {
  std::string name = {};
  std::vector<metrics::BleuStatistics> sentences = {};
  std::optional<metrics::Bleu> bleu = {};
  double chrf = 0;
  metrics::ExactMatch exact = {};  // against the first references
  std::vector<metrics::LengthBucket> by_length = {};
  std::optional<metrics::AlignmentScore> alignment = {};
  std::optional<metrics::CopiedWords> copied = {};
  std::optional<double> pronouns = {};  // the share that is right
};

using text::read_lines;

// DataError that names both files and both counts unless they are equal.
void require_equal_counts(const std::string& path, std::size_t count, const std::string& other,
                          std::size_t other_count);

void score_translations(const std::vector<std::string>& hypotheses, const EvaluationData& data,
                        SystemScore& score);

nlohmann::json to_json(const SystemScore& score);
std::string to_text(const SystemScore& score, const EvaluationData& data);

// One row for each length, one column of BLEU for each system.
std::string length_table(const std::vector<SystemScore>& systems);

}  // namespace heed::cli
