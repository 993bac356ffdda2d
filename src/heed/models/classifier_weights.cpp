// SPDX-License-Identifier: Apache-2.0
// How much a classifier looked at each token, from what all of its attentions left.
#include <algorithm>

#include "heed/base/error.h"
#include "heed/models/classifier.h"
#include "heed/models/classifier_sites.h"

namespace heed::models {
namespace {

using attention::share_of;

// The weights that this site left, or nullptr.
const Tensor* find(const attention::Trace& trace, const attention::Site& site) {
  for (const attention::Trace::Entry& entry : trace.entries()) {
    if (entry.site == site) return &entry.weights;
  }
  return nullptr;
}

}  // namespace

std::vector<Tensor> Classifier::token_weights(const attention::Trace& trace,
                                              const ClassifierInput& input) const {
  std::vector<Tensor> all;
  const std::int64_t batch = input.text.ids.size(0), width = input.text.ids.size(1);
  if (selects()) {
    const Tensor* kept = find(trace, kRationaleSite);  // [B,1,1,S]
    if (kept == nullptr) throw InternalError("classifier: the trace has no rationale");
    Tensor weights({batch, width});
    std::ranges::transform(kept->packed().span(), weights.mutable_data(), share_of);
    return std::vector<Tensor>(aspects_.size(), weights);
  }
  if (!pools_by_attention()) return all;
  for (std::size_t i = 0; i < aspects_.size(); ++i) {
    const Tensor* pooled = find(trace, pooling_site(static_cast<int>(i)));  // [B,1,1,K]
    if (pooled == nullptr)
      throw InternalError("classifier: the trace has no pooling of aspect {}", i);
    Tensor weights = Tensor::zeros({batch, width});
    Real* out = weights.mutable_data();
    if (options_.documents) {
      const Tensor* words = find(trace, kWordsSite);  // [N,1,1,S']
      const SentenceRows cut = sentence_rows(input.text);
      for (std::int64_t b = 0; b < batch; ++b, out += width) {
        std::int64_t at = 0;
        for (std::int64_t m = 0; m < cut.counts.at({b}); ++m) {
          const std::int32_t row = cut.rows.at({b, m});
          for (std::int64_t s = 0; s < cut.sentences.lengths.at({row}); ++s) {
            out[at++] = share_of(pooled->at({b, 0, 0, m})) * share_of(words->at({row, 0, 0, s}));
          }
        }
      }
    } else if (const Tensor* cross = find(trace, kCrossSite); cross != nullptr) {  // [B,1,S2,S]
      for (std::int64_t b = 0; b < batch; ++b, out += width) {
        for (std::int64_t j = 0; j < cross->size(2); ++j) {
          for (std::int64_t s = 0; s < width; ++s) {
            out[s] += share_of(pooled->at({b, 0, 0, j})) * share_of(cross->at({b, 0, j, s}));
          }
        }
      }
    } else if (joins()) {  // [B,1,1,S'], the first text in front
      for (std::int64_t b = 0; b < batch; ++b, out += width) {
        for (std::int64_t s = 0; s < input.text.lengths.at({b}); ++s) {
          out[s] = share_of(pooled->at({b, 0, 0, s}));
        }
      }
    } else {
      std::ranges::transform(pooled->packed().span(), out, share_of);
    }
    all.push_back(std::move(weights));
  }
  return all;
}

}  // namespace heed::models
