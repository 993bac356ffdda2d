// SPDX-License-Identifier: Apache-2.0
// Pooling: one vector of all states of a text, by attention with any mechanism or by a fixed rule.
#pragma once  // public header

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "heed/attention/attention.h"
#include "heed/models/text_encoder.h"

#pragma GCC visibility push(default)  // exported

namespace heed::models {

// Without attention: the mean of all states, the largest of each feature, the last state, the first
// (BERT's [CLS]), or the mean times the root of how many there are.
enum class Summary { mean, maximum, last, first, root };
// "mean", "max", "last", "first", "root"
const std::vector<std::string>& summary_names();
// [B,D]; padding takes no part.
Variable summary_of(Summary rule, const EncodedText& text);

struct AttentionPoolingOptions {
  std::string mechanism = "additive";  // in its written form; padding is hidden whatever it says
  std::int64_t query_width = 0;
  std::int64_t width = 0;  // of states
  // Above 0: the keys are the words themselves, of this many features, and only the values are
  // states.
  std::int64_t word_width = 0;
  Real dropout = 0;  // of weights
};

class AttentionPooling {
 public:
  AttentionPooling(const AttentionPoolingOptions& options, Random& random);

  // query [B,Q,Dq] -> [B,Q,D]. `queries` [B]: how many of each text's are no padding; it counts
  // for mechanisms that weigh all queries together, such as matchings.
  Variable operator()(const Variable& query, const EncodedText& text, const attention::Site& site,
                      const Call& call, const Ids& queries = {}) const;
  void visit(nn::ParameterVisitor& visitor) { mechanism_->visit(visitor); }

 private:
  std::shared_ptr<attention::Attention> mechanism_;
  bool words_ = false;  // whether keys are
  Real dropout_ = 0;
  std::shared_ptr<const attention::Pattern> tokens_;  // hides padding
};

// Attention pooling with one learned query (Yang 2016, Eq. 5 to 7).
struct LearnedPooling {
  Variable query;  // [D]
  AttentionPooling pooling;

  LearnedPooling(const AttentionPoolingOptions& options, Random& random);
  // [B,D]
  Variable operator()(const EncodedText& text, const attention::Site& site, const Call& call) const;
  void visit(nn::ParameterVisitor& visitor);
};

}  // namespace heed::models

#pragma GCC visibility pop
