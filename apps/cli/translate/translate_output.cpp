// SPDX-License-Identifier: Apache-2.0
// Fields of a line are joined by " ||| ", as n-best lists of translators have
// them.
#include "cli/translate/translate_output.h"

#include <fmt/format.h>
#include <unistd.h>

#include <nlohmann/json.hpp>

#include "heed/base/text.h"
#include "heed/insight/terminal/heatmap.h"

namespace heed::cli {
namespace {

using nlohmann::json;

// weights [T,K] -> "0.10,0.90 0.70,0.30": a target word's weights by commas,
// words by spaces.
std::string soft_text(const Tensor& weights) {
  std::vector<std::string> rows;
  for (std::int64_t t = 0; weights.defined() && t < weights.size(0); ++t) {
    std::vector<std::string> row;
    for (const Real weight : weights.select(0, t).values()) {
      row.push_back(fmt::format("{:.4g}", weight));
    }
    rows.push_back(join(row, ","));
  }
  return join(rows, " ");
}

json matrix(const Tensor& weights) {
  json rows = json::array();
  for (std::int64_t i = 0; weights.defined() && i < weights.size(0); ++i) {
    const Tensor row = weights.select(0, i);
    rows.push_back(row.rank() == 1 ? json(row.values()) : matrix(row));
  }
  return rows;
}

json as_json(const pipeline::Translation& translation, std::uint64_t number,
             const OutputOptions& options) {
  json object = {{"line", number},
                 {"text", translation.text},
                 {"score", translation.score},
                 {"log_probability", translation.log_probability},
                 {"finished", translation.finished},
                 {"source_pieces", translation.source_pieces},
                 {"pieces", translation.pieces},
                 {"token_log_probabilities", translation.token_log_probabilities},
                 {"alignment", text::to_pharaoh(translation.alignment)},
                 {"weights", matrix(translation.weights)}};
  if (!options.every_attention) return object;
  object["attentions"] = json::array();
  for (const decoding::AttentionPath& path : translation.attentions) {
    object["attentions"].push_back(
        {{"kind", path.site.set}, {"layer", path.site.layer}, {"weights", matrix(path.weights)}});
  }
  return object;
}

std::string token_scores(const pipeline::Translation& translation) {
  std::vector<std::string> scores;
  for (std::size_t i = 0; i < translation.token_log_probabilities.size(); ++i) {
    scores.push_back(
        fmt::format("{}={:.4f}", translation.pieces[i], translation.token_log_probabilities[i]));
  }
  return join(scores, " ");
}

void show(const pipeline::Translation& translation) {
  if (!translation.weights.defined()) return;
  fmt::print("{}",
             insight::heatmap(translation.weights, {.rows = translation.pieces,
                                                    .columns = translation.source_pieces,
                                                    .screen = insight::screen_of(STDOUT_FILENO)}));
}

}  // namespace

void OutputOptions::declare(Options& options) {
  options.add("alignments", alignments, {"none", "pharaoh", "soft", "json"},
              "where it looked, word by word: \"0-0 1-2\" after each line, weights after each "
              "line, or a JSON object per translation");
  options.add("scores", scores, "write the score after each translation");
  options.add("token-scores", token_scores, "write the log-probability of every token after it");
  options.add("every-attention", every_attention,
              "with --alignments json: every layer, head and step");
  options.add("show", show, "draw the alignment under each translation");
}

void print_translations(const pipeline::Translations& translations, std::uint64_t number,
                        const OutputOptions& options) {
  for (const pipeline::Translation& translation : translations) {
    if (options.alignments == OutputOptions::Alignments::json) {
      fmt::print("{}\n", as_json(translation, number, options).dump());
      continue;
    }
    std::vector<std::string> fields;
    if (translations.size() > 1) fields.push_back(fmt::format("{}", number - 1));
    fields.push_back(translation.text);
    if (translations.size() > 1 || options.scores) {
      fields.push_back(fmt::format("{:.4f}", translation.score));
    }
    if (options.token_scores) fields.push_back(token_scores(translation));
    if (options.alignments == OutputOptions::Alignments::pharaoh) {
      fields.push_back(text::to_pharaoh(translation.alignment));
    } else if (options.alignments == OutputOptions::Alignments::soft) {
      fields.push_back(soft_text(translation.word_weights));
    }
    fmt::print("{}\n", join(fields, " ||| "));
    if (options.show) show(translation);
  }
}

}  // namespace heed::cli
