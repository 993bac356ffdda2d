// SPDX-License-Identifier: Apache-2.0
// A trained classifier in use: texts in, labels with their probabilities out, and what each aspect
// looked at.
//
//   const Classifier classifier("model");
//   classifier.classify("a gorgeous, witty film").aspects[0].label;  // "positive"
#pragma once  // public header

#include <filesystem>
#include <initializer_list>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "heed/insight/trace/trace_document.h"
#include "heed/models/classifier.h"
#include "heed/pipeline/classify/classification_trace.h"
#include "heed/pipeline/model.h"
#include "heed/pipeline/position_limit.h"
#include "heed/pipeline/vocabulary_options.h"
#include "heed/text/batch_plan.h"
#include "heed/text/labelled.h"

#pragma GCC visibility push(default)  // exported

namespace heed {
class Options;
}

namespace heed::pipeline {

// What is written in the place of a label that is less probable than asked for.
inline constexpr const char* kUnknownLabel = "unknown";

struct Prediction {
  std::string aspect{};
  std::string label{};                  // empty, with probabilities of 0, for an empty text
  double probability = 0;               // of this label, calibrated where its training did so
  bool unknown = false;                 // it is less probable than the threshold of the call
  std::vector<double> probabilities{};  // of every class, in the order of Labels
  std::vector<double> attention{};      // of every word of the text; empty without attention
};

struct Classification {
  std::vector<Prediction> aspects{};
  std::vector<std::string> words{};  // of the text, between white space
  std::size_t left_out = 0;          // tokens at its end that were not read: it is too long
  // When asked for, of a model with syntactic attention: the word that each word hangs on in the
  // likeliest tree, from 0; itself for the root.
  std::vector<std::int32_t> heads{};
  insight::TracedExample trace{};  // when asked for, see classification_trace.h
};

struct ClassifyCall {
  bool attention = false;
  bool trace = false;
  bool heads = false;
  text::BatchSize batch = {.tokens = 4096};
  // Most tokens of a text that are read, from its first on; 0: 1024, or the longest text of
  // training where that is longer.
  std::int64_t longest = 0;
  // Predictions less probable than this are marked unknown; 0: none is, unless `unknown` asks for
  // the thresholds that validation chose. UsageError where the folder keeps none.
  double threshold = 0;
  bool unknown = false;

  // --unknown and --threshold, as verbs, settings and requests have them.
  void declare_threshold(Options& options);
};

// How sure a classifier may be in one aspect, as validation showed when training ended.
struct Confidence {
  double temperature = 1;  // what scores are divided by (Guo 2017)
  double threshold = 0;    // of calibrated probabilities; 0: none was chosen
};

class Classifier final : public Model {
 public:
  // A folder that `heed train classify` wrote. DataError for one that is damaged or of another
  // task.
  explicit Classifier(const std::filesystem::path& folder);

  struct Parts {
    TokeniserPointer tokeniser;
    text::Labels labels;
    std::shared_ptr<models::Classifier> model;
    bool second = false;
    text::TextShape shape = text::TextShape::line;
    PositionLimit room{};
    text::LabelledOptions labelled{};      // how the files it learnt from are written
    std::int64_t longest = 0;              // tokens of the longest training text; 0: unknown
    std::vector<Confidence> confidence{};  // of each aspect; empty: as the model says
  };
  explicit Classifier(Parts parts) : parts_(std::move(parts)) {}

  Classification classify(std::string_view text, std::string_view second = {}) const;
  // Two literals in braces would be the two ends of one text.
  Classification classify(std::initializer_list<std::string>) const = delete;
  // Labels of the texts are not read. UsageError for a second text that the model does not take, or
  // one that it misses; BadText for one that is too long for its positions, or no text.
  std::vector<Classification> classify(std::span<const text::LabelledText> texts,
                                       const ClassifyCall& call = {}) const;

  // What to say of a text that has no room in the model's positions, or is no text; empty: it can
  // be read, as far as `longest` of a call goes.
  std::string unreadable(const text::LabelledText& text, std::int64_t longest = 0) const;
  // What it is made of, for what runs it on tokens.
  const models::Classifier& network() const { return *parts_.model; }
  bool attends() const { return parts_.model->attends(); }
  // Whether it keeps some words and knows no others: its attention is what it kept.
  bool selects() const { return parts_.model->selects(); }
  // Whether its scores are linear in the weights of one look at the words, so that an audit of its
  // attention is exact.
  bool looks_once() const { return parts_.model->looks_once(); }
  bool has_word_gradients() const { return parts_.model->shows_words(); }
  // Whether it has syntactic attention, so that a call may ask for heads.
  bool parses() const { return parts_.model->syntax() != nullptr; }
  // Whether validation chose a threshold for every aspect, so that a call may ask for `unknown`.
  bool keeps_thresholds() const;
  // What validation chose for each aspect when training ended; empty: nothing.
  const std::vector<Confidence>& confidence() const { return parts_.confidence; }

  const text::Labels& labels() const { return parts_.labels; }
  // The number of an aspect; the first without a name. UsageError naming the nearest for another.
  std::size_t aspect_called(const std::string& name) const;
  // How a file of labelled texts for it is written, by what training was told of its own files and
  // by the head of this one; `said` counts where it says something.
  text::LabelledForm form(const std::filesystem::path& file,
                          const text::LabelledOptions& said = {}) const;
  // The same of a table of texts without labels. UsageError for a format of labelled lines.
  text::LabelledForm form_of_texts(const std::filesystem::path& file,
                                   const text::LabelledOptions& said = {}) const;

  // As of every model; its answers are the labels of all aspects, its settings --unknown and
  // --threshold.
  const ModelKind& kind() const override;
  const text::Tokeniser& tokeniser() const { return *parts_.tokeniser; }  // of what it reads
  std::int64_t length(std::string_view text) const override {
    return token_count(tokeniser(), text);
  }
  std::int64_t parameter_count() const override;
  bool takes_second() const override { return parts_.second; }
  std::vector<std::vector<Answer>> run(std::span<const Input> inputs,
                                       const Settings& settings = {}) const override;
  std::vector<insight::TracedExample> trace(std::span<const Input> inputs,
                                            const Settings& settings = {}) const override;
  void measure(std::span<const std::string> files, ComparedModel& contestant) const override;
  // The score of a class before softmax, by the words of the text.
  Explained explained(const Input& input, const ExplainedTarget& target = {}) const override;
  std::unique_ptr<Watched> watched(const WatchedData& data) const override;

 private:
  // The thresholds of a call, one for each aspect. UsageError where it asks for some that are not.
  std::vector<double> thresholds(const ClassifyCall& call) const;
  // The tokens of one side, at most `most` and an end.
  text::Encoding read(const std::string& text, text::TextShape shape, std::int64_t most,
                      std::size_t* left_out = nullptr) const;
  TracedPrediction predicted(const text::LabelledText& text, const Classification& classification,
                             std::int64_t most) const;

  Parts parts_;
};

}  // namespace heed::pipeline

#pragma GCC visibility pop
