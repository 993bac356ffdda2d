// SPDX-License-Identifier: Apache-2.0
// A trained memory network in use: a story and a question in, the answer out, with the sentences
// that each hop looked at.
//
//   const Asker asker("model");
//   asker.ask({"Mary went to the kitchen.", "John left."}, "Where is Mary?").answers[0].text;
#pragma once  // public header

#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "heed/insight/trace/trace_document.h"
#include "heed/models/memory_network.h"
#include "heed/pipeline/memory/memory_options.h"
#include "heed/pipeline/model.h"
#include "heed/text/stories.h"

#pragma GCC visibility push(default)  // exported

namespace heed::pipeline {

struct AskOptions {
  std::int64_t top = 5;  // answers shown

  void declare(Options& options);
};

// A sentence of the story, and how much each hop looked at it.
struct RememberedSentence {
  std::string text{};
  std::vector<double> weights{};  // of each hop; empty: not in the memory
  bool supports = false;          // whether the file says that it decides
};

struct StoryAnswer {
  std::string question{};
  std::vector<Answer> answers{};  // the best first, with probabilities
  std::vector<RememberedSentence> sentences{};
  std::vector<double> nothing{};       // of each hop, the weight of empty slots together
  std::vector<std::string> unknown{};  // words that the model does not know
};

struct StoryQuality;

class Asker final : public Model {
 public:
  // A folder that `heed train memory` wrote. DataError for one that is damaged or of another task.
  explicit Asker(const std::filesystem::path& folder);

  // UsageError for a question or a sentence that has no words or more than the model has places
  // for.
  StoryAnswer ask(std::span<const std::string> sentences, const std::string& question,
                  const AskOptions& options = {}) const;
  // A question of a file, which may name its supporting facts; `name` is the file's, for errors.
  StoryAnswer ask(const text::Story& story, const text::StoryQuestion& question,
                  const AskOptions& options, const std::string& name) const;
  // Strips "hops" and "story", whose last token stands for the empty slots and whose supporting
  // facts have a mark.
  static insight::TracedExample traced(const StoryAnswer& answer);
  // All questions of a file answered.
  StoryQuality judge(const std::string& file) const;

  std::int64_t hops() const { return options_.hops; }
  const MemorySizes& sizes() const { return sizes_; }

  // As of every model: the text is the story, the second text the question; settings are those of
  // AskOptions.
  const ModelKind& kind() const override;
  const text::Tokeniser& tokeniser() const { return *tokeniser_; }  // of what it reads
  std::int64_t length(std::string_view text) const override {
    return token_count(tokeniser(), text);
  }
  std::int64_t parameter_count() const override;
  bool takes_second() const override { return true; }
  std::vector<std::vector<Answer>> run(std::span<const Input> inputs,
                                       const Settings& settings = {}) const override;
  std::vector<insight::TracedExample> trace(std::span<const Input> inputs,
                                            const Settings& settings = {}) const override;
  void measure(std::span<const std::string> files, ComparedModel& contestant) const override;

 private:
  StoryAnswer ask_input(const Input& input, const AskOptions& options) const;

  MemoryOptions options_;
  MemorySizes sizes_;
  std::shared_ptr<const text::Tokeniser> tokeniser_;
  std::shared_ptr<models::MemoryNetwork> model_;
};

}  // namespace heed::pipeline

#pragma GCC visibility pop
