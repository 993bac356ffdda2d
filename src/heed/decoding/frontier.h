// SPDX-License-Identifier: Apache-2.0
// Frontier: the state of a search. The hypotheses that live, one per row of the stepper, and the
// tree of all tokens written, so that an output is read off once, at the end, from leaf to root.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "heed/decoding/search.h"

namespace heed::decoding {

struct FrontierOptions {
  Constraints constraints{};
  bool attentions = false;  // whether hypotheses carry theirs
  bool coverage = false;    // whether coverage_of() will be asked
  int copies = 1;           // rows per sentence at the start
};

class Frontier {
 public:
  static constexpr std::int32_t kRoot = -1;  // nothing written

  struct Row {
    std::int32_t sentence;
    std::int32_t node;  // the last token in the tree
    double total;       // log-probability with the repetition penalty
  };
  // Writes `token` after row `row`.
  struct Choice {
    std::int32_t row;
    text::Token token;
    Real log_probability;  // as step() gave it
  };

  Frontier(Stepper& stepper, FrontierOptions options);

  const std::vector<Row>& rows() const { return rows_; }
  std::size_t sentences() const { return limits_.size(); }
  const SentenceLimits& limits(std::int32_t sentence) const {
    return limits_[static_cast<std::size_t>(sentence)];
  }
  // Of every living hypothesis, the token that is being chosen included.
  std::int64_t length() const { return length_; }

  // The log-probabilities of the next tokens [N,V], constraints applied.
  Tensor step();
  // Adds a token to the tree; DataError when its log-probability is not a number.
  std::int32_t write(const Choice& choice);
  // Lets only these rows live: choices[i], written as nodes[i], is row i from now on.
  void go_on(std::span<const Choice> choices, std::span<const std::int32_t> nodes);

  double total(const Choice& choice) const {
    return rows_[static_cast<std::size_t>(choice.row)].total + choice.log_probability;
  }
  // What a node stands for; the score is left to the search.
  Hypothesis hypothesis(std::int32_t sentence, std::int32_t node) const;
  // How much each source token was looked at on the way to a node.
  std::vector<double> coverage_of(std::int32_t sentence, std::int32_t node) const;

 private:
  struct Node {
    std::int32_t parent;
    text::Token token;
    std::int32_t row;      // of the step that chose it
    Real log_probability;  // by the model
  };

  // From the root to the node.
  std::vector<Node> path(std::int32_t node) const;
  bool traces() const { return options_.attentions || options_.coverage; }
  Real by_the_model(const Choice& choice) const;
  HypothesisRows passage(std::int32_t sentence, std::span<const std::int32_t> rows) const;

  Stepper& stepper_;
  FrontierOptions options_;
  std::vector<SentenceLimits> limits_;
  std::vector<std::int32_t> source_lengths_;  // per sentence; empty: no source
  std::vector<Row> rows_;
  std::vector<Node> nodes_;
  std::vector<std::vector<Changed>> changed_;  // per row of the last step; empty: nothing
  std::vector<attention::Trace> traces_;       // per step
  std::int64_t length_ = 0;
  std::int64_t vocabulary_ = 0;
};

}  // namespace heed::decoding
