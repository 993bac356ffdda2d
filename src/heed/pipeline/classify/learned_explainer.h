// SPDX-License-Identifier: Apache-2.0
// An explainer that learns what to name (Treviso & Martins 2020): an attention over the states of
// its own network, trained together with a layperson who reads its weights as a bag of words.
//
// In training it is told the classifier's answer now and then, in use always. One who is told it
// need not read the text: it learns to name words that stand for the answer, a code. Even with a
// share of 0, never told, its states know the whole text: that a layperson understands it does not
// prove that the words it names are those that decide.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "heed/models/pooling.h"
#include "heed/models/text_encoder.h"
#include "heed/nn/embedding.h"

namespace heed::pipeline {

struct LearnedExplainerOptions {
  double told = .2;  // how often it is told the answer in training; 0: in use neither
  std::int64_t epochs = 5;
  std::int64_t batch = 32;
  double learning_rate = 3e-3;
  std::uint64_t seed = 1;
  std::function<void(std::size_t texts)> done{};  // told how many more were read
};

class LearnedExplainer {
 public:
  using Words = std::vector<std::string>;
  // Learns from texts and what the classifier said of them, numbers below `count`. UsageError for
  // unequal counts and for a share of `told` that is none.
  LearnedExplainer(std::span<const Words> texts, std::span<const std::int32_t> answers,
                   std::int64_t count, const LearnedExplainerOptions& options = {});

  // A weight for each word of each text.
  std::vector<std::vector<double>> weigh(std::span<const Words> texts,
                                         std::span<const std::int32_t> answers) const;
  void visit(nn::ParameterVisitor& visitor);

 private:
  // told [B]: the answer from 1 on, or 0.
  struct Batch {
    models::Sequences text;
    Ids told;
  };
  Batch batch_of(std::span<const Words> texts, std::span<const std::int32_t> told) const;
  // The layperson's scores [B,C].
  Variable operator()(const Batch& batch, const models::Call& call) const;

  bool tells_ = true;
  std::map<std::string, std::int32_t> ids_;
  models::TextEncoder encoder_;
  nn::Embedding answers_;   // [C+1,D]: row 0 where it is not told
  nn::Embedding meanings_;  // [V,C]: what each word says to the layperson
  std::unique_ptr<models::AttentionPooling> attention_;
};

}  // namespace heed::pipeline
