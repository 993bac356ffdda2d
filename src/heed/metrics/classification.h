// SPDX-License-Identifier: Apache-2.0
// How good a classifier is: the confusion matrix, and precision, recall, F1 and ROC-AUC from it and
// from scores.
//
//   Confusion confusion({"no", "yes"});
//   for (...) confusion.add(true_class, found_class);
//   confusion.macro().f1;
#pragma once  // public header

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#pragma GCC visibility push(default)  // exported

namespace heed::metrics {

// All from 0 to 1; 0 where there is nothing to divide by.
struct ClassQuality {
  double precision = 0;      // of what was found, the right part
  double recall = 0;         // of what is there, the part that was found
  double f1 = 0;             // 2 precision recall / (precision + recall)
  std::int64_t support = 0;  // examples of the class
};

class Confusion {
 public:
  explicit Confusion(std::vector<std::string> classes);

  // UsageError for a class that there is not.
  void add(std::int32_t truth, std::int32_t found);

  const std::vector<std::string>& classes() const { return classes_; }
  std::int64_t count(std::size_t truth, std::size_t found) const;
  std::int64_t examples() const;

  double accuracy() const;
  ClassQuality of(std::size_t one) const;
  // The mean over classes that have examples.
  ClassQuality macro() const;
  // Of all decisions together: for single labels, precision = recall = F1 = accuracy.
  ClassQuality micro() const;

  // The matrix as text: a row per true class, a column per found one, then precision, recall
  // and F1 of each.
  std::string text() const;

 private:
  std::vector<std::string> classes_;
  std::vector<std::int64_t> counts_;  // [truth, found]
};

// The area under the ROC curve: the chance that a positive example scores above a negative one,
// ties counting half (Mann and Whitney 1947). NaN where one of the two kinds has no example or a
// score is NaN.
// UsageError for unequal counts.
double roc_auc(std::span<const double> scores, const std::vector<bool>& positive);

// The mean over classes of each against the rest (Hand 2001 weighs pairs instead), classes without
// examples left out. probabilities [examples, classes], row after row.
double roc_auc_one_vs_rest(std::span<const double> probabilities,
                           std::span<const std::int32_t> truth, std::size_t classes);

}  // namespace heed::metrics

#pragma GCC visibility pop
