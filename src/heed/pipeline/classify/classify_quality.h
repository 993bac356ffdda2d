// SPDX-License-Identifier: Apache-2.0
// How good classifications are: of each aspect the confusion matrix, ROC-AUC, and how often the
// word looked at most is one that decides.
#pragma once

#include <filesystem>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "heed/metrics/calibration.h"
#include "heed/metrics/classification.h"
#include "heed/pipeline/classify/classifier.h"

#pragma GCC visibility push(default)  // exported

namespace heed::pipeline {

struct AspectQuality {
  std::string aspect;
  metrics::Confusion confusion;
  double roc_auc = 0;  // the mean of each class against the rest; of two, of either
  std::vector<metrics::Judged> judged{};  // how probable each prediction was, and whether right
  // Where a prediction is unknown: the share of the others, and how many of these are right (NaN
  // where there is none).
  struct Answered {
    double share = 0;
    double accuracy = 0;
  };
  std::optional<Answered> answered{};
};

// `texts` have the true labels. DataError with the text's number for a label the model does not
// know; UsageError for unequal counts.
std::vector<AspectQuality> quality_of(std::span<const text::LabelledText> texts,
                                      std::span<const Classification> found,
                                      const text::Labels& labels);

// The words that decide, from 0, of each aspect of one text.
using Evidence = std::vector<std::set<int>>;
// One line for each of the texts, which come from the file `data`: aspects separated by tabs, word
// numbers by spaces. DataError with file and line for anything else and for words that the text has
// not, and with both files for unequal counts. `columns`, from 1 and one for each aspect, chooses
// those of a file that has more.
std::vector<Evidence> read_evidence(const std::filesystem::path& path,
                                    std::span<const text::LabelledText> texts,
                                    const std::filesystem::path& data,
                                    std::span<const std::int64_t> columns = {});

// For each aspect the share of texts whose word of most attention is evidence; texts without
// evidence do not count, and NaN is where none has any. UsageError for unequal counts, and for
// a model without attention.
std::vector<double> evidence_found(std::span<const Evidence> evidence,
                                   std::span<const Classification> found);

// All labelled texts of a file. DataError as of labelled_texts(), for a label that is none of
// `labels`, and when there is no text.
std::vector<text::LabelledText> read_labelled(const std::filesystem::path& path,
                                              const text::LabelledForm& form,
                                              const text::Labels& labels);

}  // namespace heed::pipeline

#pragma GCC visibility pop
