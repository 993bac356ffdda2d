// SPDX-License-Identifier: Apache-2.0
// Syntactic attention (Kim et al. 2017, "Structured attention networks"): every word reads the word
// that it hangs on. Which one that is nobody says; it is an attention of the text over itself,
// such as `bilinear | full | tree`, whose weights are the chances of its heads over all trees.
//
//   h'_s = relu(W [h_s; c_s] + b),  c_s = sum over j of weight_sj h_j
//
// A word's weight on itself is its chance to hang on the root. Known trees can be learnt from.
//
// Letters: B texts, S words, D features.
#pragma once

#include <memory>
#include <string>

#include "heed/attention/attention.h"
#include "heed/attention/normaliser.h"
#include "heed/models/classifier.h"  // which declares it as internal
#include "heed/nn/linear.h"

namespace heed::models {

// The words of a text over themselves, and those of a second text.
inline constexpr attention::Site kSyntaxSite{
    .role = attention::Role::syntax, .set = "syntax", .queries = "text", .keys = "text"};
inline constexpr attention::Site kSecondSyntaxSite{
    .role = attention::Role::syntax, .set = "second syntax", .queries = "second", .keys = "second"};

class SyntacticAttention {
 public:
  // UsageError that says what would be right for a mechanism that is none.
  SyntacticAttention(const std::string& mechanism, std::int64_t width, Random& random);

  // The text with other states. `site` is what observers are told of it.
  EncodedText operator()(EncodedText text, const attention::Site& site, const Call& call) const;

  // How far the scores [B,1,S,S] of a call are from known trees: [B], minus the logarithm of their
  // probability. heads [B,S], of which words [B] count; 0 words: the tree is not known. Of a
  // mechanism for which check_trees() does not throw.
  Variable loss(const Variable& scores, const Ids& heads, const Ids& words) const;
  // The likeliest tree of each text, [B,S]: the head of each word, itself for the root, -1 for
  // padding; of a normaliser without trees each word's heaviest key.
  Ids heads(const Tensor& scores, const Tensor& weights, const Ids& words) const;

  void visit(nn::ParameterVisitor& visitor);

 private:
  std::shared_ptr<attention::Attention> mechanism_;
  std::shared_ptr<const attention::Normaliser> normaliser_;
  nn::Linear both_;
};

// UsageError for a mechanism whose weights are no distribution over trees, so that none can be
// learnt.
void check_trees(const std::string& mechanism);

// Keeps what the syntactic attention of a classifier saw in one call.
class SyntaxWatch final : public attention::Observer {
 public:
  bool wants_weights(const attention::Site& site) const override { return site == kSyntaxSite; }
  Variable weights(const attention::ObservedWeights& observed) override {
    scores = observed.scores;
    seen = observed.masked;
    return observed.weights;
  }
  // The likeliest heads [B,S], as SyntacticAttention::heads; not defined where nothing was seen.
  Ids found(const Classifier& classifier, const Sequences& text) const;

  Variable scores{};  // [B,1,S,S]
  Tensor seen{};      // the weights, likewise
};

}  // namespace heed::models
