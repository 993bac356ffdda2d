// SPDX-License-Identifier: Apache-2.0
// Probing the layers of a model: the states, or the rows of attention, of the words of texts, and
// what labels can be read off them.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "heed/base/exported.h"
#include "heed/base/options.h"
#include "heed/insight/probe/probe.h"
#include "heed/pipeline/model.h"

namespace heed::pipeline {

enum class ProbedVectors { states, attention };

// A text with a label for each of its words.
struct LabelledWords {
  std::string text{};
  std::vector<std::string> labels{};
};

// A text whose words have the labels that they are given by their number and as they are written.
HEED_EXPORTED LabelledWords
labelled_words(std::string text,
               const std::function<std::string(std::size_t number, std::string_view word)>& label);

struct ProbingOptions {
  ProbedVectors vectors = ProbedVectors::states;
  std::int64_t layer = -1;     // -1: all
  std::int64_t hidden = 64;    // of the probe that is not linear
  std::int64_t most = 20'000;  // words
  double held_out = .2;        // of the texts, the last
  insight::ProbeOptions training{};

  HEED_EXPORTED void declare(Options& options);
};

struct ProbedLayer {
  std::string name{};  // "encoder self 0"
  std::int64_t width = 0;
  insight::ProbeResult linear{}, deep{};
};

struct Probing {
  std::vector<ProbedLayer> layers{};
  insight::ProbeBaselines baselines{};
  std::vector<std::string> labels{};  // by frequency, the commonest first
  std::size_t texts = 0, words = 0, learnt = 0;
  std::size_t left_out = 0;  // texts whose words the model does not have one by one
};

// Of a word of several pieces the mean of theirs. UsageError for a model without such layers, texts
// that it cannot read, a layer that it has not, and labels that are all alike.
HEED_EXPORTED Probing
probed(const Model& model, std::span<const LabelledWords> texts, const ProbingOptions& options = {},
       const std::function<void(std::uint64_t done, std::uint64_t total)>& done = {});

}  // namespace heed::pipeline
