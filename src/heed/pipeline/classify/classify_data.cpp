// SPDX-License-Identifier: Apache-2.0
// Forms of files, and tensors of batches.
#include "heed/pipeline/classify/classify_data.h"

#include <algorithm>

namespace heed::pipeline {

ClassifyFiles::ClassifyFiles(const ClassifyOptions& options)
    : train_form(options.form(options.train)),
      valid_form(options.valid.empty() ? train_form : options.form(options.valid)),
      train(text::labelled_lines(options.train, train_form)) {
  valid_form.phrases = false;
  if (!options.valid.empty()) valid = text::labelled_lines(options.valid, valid_form);
}

text::LabelledEncoder encoder_of(const ClassifyOptions& options, const text::LabelledForm& form,
                                 const text::Tokeniser& tokeniser, const text::Labels& labels) {
  return {.tokeniser = &tokeniser,
          .labels = &labels,
          .form = form,
          .shape = options.shape(),
          .limit = options.limit(),
          .name = options.train};
}

models::ClassifierInput input_of(const text::PairBatch& batch) {
  models::ClassifierInput input{.text = models::sequences(batch.source)};
  if (batch.target.width > 0) input.second = models::sequences(batch.target);
  return input;
}

Ids aspect_classes(const text::PairBatch& batch, std::size_t aspect) {
  Ids classes({static_cast<std::int64_t>(batch.labels.size())});
  std::ranges::transform(batch.labels, classes.mutable_data(),
                         [&](const std::vector<std::int32_t>& mine) { return mine[aspect]; });
  return classes;
}

}  // namespace heed::pipeline
