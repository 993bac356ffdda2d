// SPDX-License-Identifier: Apache-2.0
// Comparing what was found with what is true.
#include "heed/pipeline/classify/classify_quality.h"

#include <algorithm>
#include <cmath>

#include "heed/base/error.h"
#include "heed/base/text.h"
#include "heed/pipeline/classify/confidence.h"
#include "heed/pipeline/classify/lines_beside.h"
#include "heed/text/white_space.h"

namespace heed::pipeline {
namespace {

// The numbers of a column, each that of one of this many words.
std::set<int> word_numbers(std::string_view column, std::size_t words, const std::string& where) {
  std::set<int> numbers;
  for (const std::string_view written : split(trim(column), ' ')) {
    if (written.empty()) continue;
    std::int64_t number = 0;
    try {
      number = parse_integer(written, "a word's number");
    } catch (const UsageError& error) {
      throw DataError("{}: {}", where, error.what());
    }
    if (number < 0 || number >= static_cast<std::int64_t>(words)) {
      throw DataError("{}: there is no word {}: its text has {} word{}, counted from 0", where,
                      number, words, words == 1 ? "" : "s");
    }
    numbers.insert(static_cast<int>(number));
  }
  return numbers;
}

std::optional<AspectQuality::Answered> answered_of(std::span<const text::LabelledText> texts,
                                                   std::span<const Classification> found,
                                                   std::size_t aspect) {
  double answered = 0;
  double right = 0;
  for (std::size_t i = 0; i < texts.size(); ++i) {
    const Prediction& one = found[i].aspects[aspect];
    if (one.unknown) continue;
    ++answered;
    right += one.label == texts[i].labels[aspect] ? 1 : 0;
  }
  if (answered == static_cast<double>(texts.size())) return {};
  return AspectQuality::Answered{answered / static_cast<double>(texts.size()),
                                 answered > 0 ? right / answered : std::nan("")};
}

}  // namespace

std::vector<AspectQuality> quality_of(std::span<const text::LabelledText> texts,
                                      std::span<const Classification> found,
                                      const text::Labels& labels) {
  if (texts.size() != found.size()) {
    throw UsageError("quality: {} texts and {} classifications; it takes one for each",
                     texts.size(), found.size());
  }
  std::vector<std::vector<std::int32_t>> truth;
  for (std::size_t i = 0; i < texts.size(); ++i) {
    truth.push_back(labels.classes_of(texts[i].labels, fmt::format("text {}", i + 1)));
  }
  std::vector<AspectQuality> all;
  for (std::size_t a = 0; a < labels.aspects().size(); ++a) {
    const text::Aspect& aspect = labels.aspects()[a];
    AspectQuality quality{aspect.name, metrics::Confusion(aspect.classes)};
    std::vector<double> probabilities;
    std::vector<std::int32_t> mine;
    for (std::size_t i = 0; i < texts.size(); ++i) {
      const Prediction& prediction = found[i].aspects[a];
      mine.push_back(truth[i][a]);
      quality.confusion.add(mine.back(), aspect.find(prediction.label));
      probabilities.insert(probabilities.end(), prediction.probabilities.begin(),
                           prediction.probabilities.end());
    }
    quality.judged = judged(texts, found, a);
    quality.answered = answered_of(texts, found, a);
    quality.roc_auc = metrics::roc_auc_one_vs_rest(probabilities, mine, aspect.classes.size());
    all.push_back(std::move(quality));
  }
  return all;
}

namespace {

std::vector<std::string_view> chosen_columns(std::vector<std::string_view> columns,
                                             std::span<const std::int64_t> chosen,
                                             const std::string& where) {
  if (chosen.empty()) return columns;
  std::vector<std::string_view> mine;
  for (const std::int64_t number : chosen) {
    if (number < 1 || number > static_cast<std::int64_t>(columns.size())) {
      throw DataError("{}: no column {}; it has {}, counted from 1", where, number, columns.size());
    }
    mine.push_back(columns[static_cast<std::size_t>(number - 1)]);
  }
  return mine;
}

}  // namespace

std::vector<Evidence> read_evidence(const std::filesystem::path& path,
                                    std::span<const text::LabelledText> texts,
                                    const std::filesystem::path& data,
                                    std::span<const std::int64_t> chosen) {
  std::vector<Evidence> all;
  read_beside(path, texts.size(), data,
              [&](std::size_t i, const std::string& line, const std::string& where) {
                const text::LabelledText& text = texts[i];
                const auto columns = chosen_columns(split(line, '\t'), chosen, where);
                if (columns.size() != text.labels.size()) {
                  throw DataError(
                      "{}: {} column{} for {} aspect{}; it takes one each, tabs between them",
                      where, columns.size(), columns.size() == 1 ? "" : "s", text.labels.size(),
                      text.labels.size() == 1 ? "" : "s");
                }
                const std::size_t words = text::words_of(text.text).size();
                Evidence& mine = all.emplace_back();
                for (const std::string_view column : columns) {
                  mine.push_back(word_numbers(column, words, where));
                }
              });
  return all;
}

std::vector<double> evidence_found(std::span<const Evidence> evidence,
                                   std::span<const Classification> found) {
  if (evidence.size() != found.size()) {
    throw UsageError(
        "evidence: {} lines for {} texts; line n of one must belong to line n of the other",
        evidence.size(), found.size());
  }
  const std::size_t aspects = evidence.empty() ? 0 : evidence.front().size();
  std::vector<double> shares;
  for (std::size_t a = 0; a < aspects; ++a) {
    double right = 0;
    double counted = 0;
    for (std::size_t i = 0; i < evidence.size(); ++i) {
      if (evidence[i][a].empty()) continue;
      const std::vector<double>& weights = found[i].aspects[a].attention;
      if (weights.empty()) {
        throw UsageError("evidence: this model has no attention; train one with --attention");
      }
      const auto most = std::ranges::max_element(weights) - weights.begin();
      right += evidence[i][a].contains(static_cast<int>(most)) ? 1 : 0;
      ++counted;
    }
    shares.push_back(counted > 0 ? right / counted : std::nan(""));
  }
  return shares;
}

std::vector<text::LabelledText> read_labelled(const std::filesystem::path& path,
                                              const text::LabelledForm& form,
                                              const text::Labels& labels) {
  std::vector<text::LabelledText> texts;
  text::PairReader reader(text::labelled_lines(path, form));
  for (text::LinePair line; reader.next(line);) {
    for (text::LabelledText& one :
         text::labelled_texts(form, line.source, reader.name(), line.line)) {
      labels.classes_of(one.labels, fmt::format("{}:{}", reader.name(), line.line));
      texts.push_back(std::move(one));
    }
  }
  if (texts.empty()) throw DataError("{}: no labelled text", reader.name());
  return texts;
}

}  // namespace heed::pipeline
