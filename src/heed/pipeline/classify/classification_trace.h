// SPDX-License-Identifier: Apache-2.0
// The traced example of a classified text, from what one call of the model left for its batch.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "heed/attention/trace.h"
#include "heed/models/classifier.h"
#include "heed/pipeline/tracing.h"

namespace heed::pipeline {

struct TracedPrediction {
  TracedTokens text{};
  TracedTokens second{};               // of pairs
  std::vector<std::string> aspects{};  // how each was judged, as the trace names it
  std::string title{};
  std::int64_t joints = 0;  // above 0: both texts were read as one, so many ends between them
};

// What the model looked at in row `row` of the batch. Strips: "text", with the token in front that
// asks where there is one, and of texts that are joined both; "second"; "aspects"; "sentences" of
// documents; "question", the second text's summary. Attentions: "encoder self" and "second self";
// "cross", words of the second text over the first; "words" over those of each sentence;
// "question"; and "pooling", a row for each aspect, a layer for each hop.
insight::TracedExample traced(const TracedPrediction& prediction, const attention::Trace& trace,
                              const models::ClassifierInput& input, std::int64_t row);

}  // namespace heed::pipeline
