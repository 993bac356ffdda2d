// SPDX-License-Identifier: Apache-2.0
// Explanations of one answer by several explainers side by side, how far their orders agree, and
// the same as JSON and as a trace.
//
//   const Explanations found = explanations(*model, {"the staff was rude"}, {.methods =
//   {"leave_one_out"}});
//   found.methods[0].steps[0].shares;  // of each word
#pragma once  // public header

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "heed/explain/explainer.h"
#include "heed/insight/trace/trace_document.h"
#include "heed/metrics/rank_correlation.h"
#include "heed/pipeline/model.h"

#pragma GCC visibility push(default)  // exported

namespace heed::pipeline {

struct ExplainCall {
  ExplainedTarget target{};
  // Explainers in their written forms; none: those that the model has what they need for, see
  // suitable_explainers().
  std::vector<std::string> methods{};
  // Words that the model reads for one method and step at most; 0: any number. With a limit those
  // methods are left out of the suitable ones that take many copies. UsageError beyond it.
  std::size_t most_words = 0;
};

struct Explanations {
  // What was explained: an answer, or each piece of what was written.
  struct Step {
    std::string target{};  // "mood = glad", "step 2 = chat"
    double probability = 0;
    double output = 0;  // the number itself: a score, or a log-probability
  };
  struct Method {
    std::string written{};
    std::vector<explain::Explanation> steps{};
  };

  std::vector<std::string> words{};
  std::vector<std::string> pieces{};  // of what was written; empty for answers at once
  std::vector<Step> steps{};
  std::vector<Method> methods{};

  bool written() const { return steps.size() > 1; }
};

// Without a target, of a model that writes all steps. UsageError as of Model::explained and of
// explainers.
Explanations explanations(const Model& model, const Input& input, const ExplainCall& call = {});

// Those that are shown where none is named.
std::vector<std::string> suitable_explainers(const explain::Subject& subject);
// Those of them that take few copies of a text.
std::vector<std::string> quick_explainers(const explain::Subject& subject);

// Kendall's tau between every two methods over the words of all steps; nothing where one of them is
// constant or undefined.
struct Agreement {
  std::size_t first = 0, second = 0;  // methods
  std::optional<metrics::RankCorrelation> found{};
};
std::vector<Agreement> agreements(const Explanations& explanations);

// {"target", "probability", "output", "words", "methods": [...], "agreement": [...]}, and of what
// was written "steps" with a list of each.
std::string explanations_json(const Explanations& explanations);

// Strips "text" and "answer", or "target" with a token for each step, and a signed set for each
// method (signed_set.h); what is undefined is masked.
insight::TracedExample traced(const Explanations& explanations, const std::string& title);

}  // namespace heed::pipeline

#pragma GCC visibility pop
