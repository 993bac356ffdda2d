// SPDX-License-Identifier: Apache-2.0
// Explainer and layperson (Treviso & Martins 2020): a classifier has judged a text, an explainer
// names a few of its words, and a layperson, who sees these words and nothing else, guesses what
// the classifier said. The better the explainer, the more often the layperson is right.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "heed/base/exported.h"
#include "heed/base/options.h"
#include "heed/pipeline/classify/classifier.h"

namespace heed::pipeline {

// The words that an explainer names; their order is lost, and a word may come twice.
using Message = std::vector<std::string>;

// Texts that were classified, to be explained.
struct ExplainerCall {
  const Classifier* classifier;
  std::span<const text::LabelledText> texts;
  std::span<const Classification> found;  // with attention
  std::size_t aspect = 0;
  std::uint64_t seed = 1;
  double told = .2;  // how often one that learns is told the answer meanwhile
  std::function<void(std::size_t texts)> done{};  // told how many more are explained
};
// The weights of their words, [text][word]. Words of weight 0 are never named.
using WordWeights = std::vector<std::vector<double>>;
using Weigh = std::function<WordWeights(const ExplainerCall& call)>;
struct Explainer {
  std::string name;
  std::string summary;
  // May learn from texts before others are given.
  std::function<Weigh(const ExplainerCall& lessons)> prepare;
  bool all_words = false;  // whether it names every word that has weight, whatever the limit
};
// random, attention, selective, learned, cheating, all: those that are not of explain/.
const std::vector<Explainer>& explainers();

// The `most` words of highest weight, in the order of the text; of equal ones the first. 0: all.
Message message_of(std::span<const std::string> words, std::span<const double> weights,
                   std::int64_t most);

// A linear classifier of bags of words.
struct LaypersonOptions {
  std::int64_t epochs = 10;
  std::int64_t patience = 3;  // epochs without a better one on the tenth that is held out
  std::int64_t batch = 16;
  double learning_rate = 1e-2;
  std::uint64_t seed = 1;
};
class Layperson {
 public:
  // Learns to tell classes, numbers below `count`, by messages.
  Layperson(std::span<const Message> messages, std::span<const std::int32_t> classes,
            std::int64_t count, const LaypersonOptions& options = {});
  // What it makes of messages; words that it never heard say nothing.
  std::vector<std::int32_t> guess(std::span<const Message> messages) const;

 private:
  Ids bags(std::span<const Message> messages) const;  // [N,most], padded with 0
  Variable scores(const Ids& bags) const;

  std::vector<std::string> words_;  // sorted; word i has row i + 1
  Variable table_;                  // [V+1,C]
  Variable bias_;                   // [C]
};

struct HEED_EXPORTED CommunicationOptions {
  // Empty: random, attention, leave_one_out, gradient_input and all, as far as the classifier
  // has them.
  std::vector<std::string> explainers{};
  std::int64_t words = 3;
  std::size_t aspect = 0;
  double told = .2;
  LaypersonOptions layperson{};

  // --explainers, --words, --told, --seed, --epochs.
  void declare(Options& options);
};

struct Communication {
  std::string explainer;
  double success = 0;             // how often the layperson guesses what the classifier said
  double layperson_accuracy = 0;  // how often it guesses the truth
  double words = 0;               // of a message, on average
};
struct Communications {
  double classifier_accuracy = 0;
  std::vector<Communication> all{};
};

// The layperson learns from messages on `train` and is judged on `test`. UsageError for an
// explainer that there is not, and for attention of a model that has none.
HEED_EXPORTED Communications communicate(const Classifier& classifier,
                                         std::span<const text::LabelledText> train,
                                         std::span<const text::LabelledText> test,
                                         const CommunicationOptions& options);

}  // namespace heed::pipeline
