// SPDX-License-Identifier: Apache-2.0
// Labelled texts on their way into a classifier: from their files, and from batches.
#pragma once

#include "heed/models/classifier.h"
#include "heed/pipeline/classify/classify_options.h"
#include "heed/text/batch.h"
#include "heed/text/labelled.h"
#include "heed/text/pairs.h"

namespace heed::pipeline {

// The files and how they are written, looked at once.
struct ClassifyFiles {
  explicit ClassifyFiles(const ClassifyOptions& options);

  text::LabelledForm train_form;
  text::LabelledForm valid_form;
  text::PairFiles train;
  text::PairFiles valid{};
};

text::LabelledEncoder encoder_of(const ClassifyOptions& options, const text::LabelledForm& form,
                                 const text::Tokeniser& tokeniser, const text::Labels& labels);

models::ClassifierInput input_of(const text::PairBatch& batch);
// [B]: the class of each text.
Ids aspect_classes(const text::PairBatch& batch, std::size_t aspect);

}  // namespace heed::pipeline
