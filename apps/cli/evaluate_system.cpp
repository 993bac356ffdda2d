// SPDX-License-Identifier: Apache-2.0
// Scoring one system, and writing what came out.
#include "cli/evaluate_system.h"

#include <fmt/format.h>

#include <algorithm>

#include "heed/base/error.h"
#include "heed/base/text.h"
#include "heed/metrics/characters.h"

namespace heed::cli {
namespace {

using nlohmann::json;

std::string range_of(const metrics::LengthBucket& bucket) {
  return bucket.first == bucket.last ? fmt::format("{}", bucket.first)
                                     : fmt::format("{}-{}", bucket.first, bucket.last);
}

metrics::ExactMatch exact_match(const std::vector<std::string>& hypotheses,
                                const EvaluationData& data) {
  const std::vector<std::string>& references = data.references.front();
  if (!data.bleu.lower_case) return metrics::exact_match(hypotheses, references);
  const auto lowered = [](std::vector<std::string> lines) {
    for (std::string& line : lines) line = metrics::lower_case(line);
    return lines;
  };
  return metrics::exact_match(lowered(hypotheses), lowered(references));
}

}  // namespace

void require_equal_counts(const std::string& path, std::size_t count, const std::string& other,
                          std::size_t other_count) {
  if (count == other_count) return;
  throw DataError("{} has {} lines, {} has {}; each line of one belongs to one of the other", path,
                  count, other, other_count);
}

void score_translations(const std::vector<std::string>& hypotheses, const EvaluationData& data,
                        SystemScore& score) {
  score.sentences = metrics::bleu_statistics(hypotheses, data.references, data.bleu);
  metrics::BleuStatistics sum;
  for (const metrics::BleuStatistics& sentence : score.sentences) sum += sentence;
  score.bleu = metrics::bleu_of(sum);
  score.chrf = metrics::corpus_chrf(hypotheses, data.references, data.chrf);
  score.exact = exact_match(hypotheses, data);
  if (data.known) {
    score.copied = metrics::copied_words(
        {.sources = data.sources, .hypotheses = hypotheses, .references = data.references.front()},
        *data.known);
  }
  if (!data.pronouns.empty()) {
    score.pronouns = metrics::placed_words_right(hypotheses, data.pronouns);
  }
  if (data.by_length) {
    score.by_length = metrics::bleu_by_length(data.sources, score.sentences, data.length_step);
  }
}

json to_json(const SystemScore& score) {
  json result = {{"name", score.name}};
  if (score.bleu) {
    const metrics::BleuStatistics& statistics = score.bleu->statistics;
    result["bleu"] = {{"score", score.bleu->score},
                      {"precisions", score.bleu->precisions},
                      {"brevity_penalty", score.bleu->brevity_penalty},
                      {"hypothesis_tokens", statistics.hypothesis_tokens},
                      {"reference_tokens", statistics.reference_tokens}};
    result["chrf"] = score.chrf;
    result["exact"] = score.exact.share();
  }
  for (const metrics::LengthBucket& bucket : score.by_length) {
    result["by_length"].push_back({{"first", bucket.first},
                                   {"last", bucket.last},
                                   {"sentences", bucket.sentences},
                                   {"bleu", bucket.bleu.score}});
  }
  if (score.copied) {
    result["copied"] = {{"words", score.copied->words},
                        {"in_place", score.copied->share_in_place()},
                        {"present", score.copied->share_present()}};
  }
  if (score.pronouns) result["pronouns"] = *score.pronouns;
  if (score.alignment) {
    result["alignment"] = {{"error_rate", score.alignment->error_rate()},
                           {"precision", score.alignment->precision()},
                           {"recall", score.alignment->recall()}};
  }
  return result;
}

std::string to_text(const SystemScore& score, const EvaluationData& data) {
  std::string text;
  if (score.bleu) {
    text += fmt::format("{}\n{} = {:.2f}\nexact match = {:.2f}% of {}\n", score.bleu->verbose(),
                        metrics::chrf_name(data.chrf), score.chrf, 100 * score.exact.share(),
                        score.exact.lines);
  }
  if (score.copied) {
    text += fmt::format("copied = {:.2f}% in place, {:.2f}% anywhere, of {} unseen words\n",
                        100 * score.copied->share_in_place(), 100 * score.copied->share_present(),
                        score.copied->words);
  }
  if (score.pronouns) {
    text += fmt::format("pronouns right = {:.2f}% of {}\n", 100 * *score.pronouns,
                        data.pronouns.size());
  }
  if (score.alignment) {
    text += fmt::format("alignment error rate = {:.4f} (precision = {:.4f} recall = {:.4f})\n",
                        score.alignment->error_rate(), score.alignment->precision(),
                        score.alignment->recall());
  }
  return text;
}

std::string length_table(const std::vector<SystemScore>& systems) {
  // All systems translate the same sources: the buckets are the same.
  std::vector<std::vector<std::string>> rows = {{"words", "sentences"}};
  for (const SystemScore& system : systems) {
    rows[0].push_back(systems.size() == 1 ? "BLEU" : system.name);
  }
  for (std::size_t i = 0; i < systems.front().by_length.size(); ++i) {
    const metrics::LengthBucket& bucket = systems.front().by_length[i];
    rows.push_back({range_of(bucket), fmt::format("{}", bucket.sentences)});
    for (const SystemScore& system : systems) {
      rows.back().push_back(fmt::format("{:.2f}", system.by_length[i].bleu.score));
    }
  }
  std::vector<std::size_t> widths(rows[0].size());
  for (const auto& row : rows) {
    for (std::size_t i = 0; i < row.size(); ++i) {
      widths[i] = std::max(widths[i], display_width(row[i]));
    }
  }
  std::string text;
  for (const auto& row : rows) {
    for (std::size_t i = 0; i < row.size(); ++i) {
      text += (i > 0 ? "  " : "") + pad_left(row[i], widths[i]);
    }
    text += '\n';
  }
  return text;
}

}  // namespace heed::cli
