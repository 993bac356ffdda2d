// SPDX-License-Identifier: Apache-2.0
// Model: the face of every model in use, whatever its kind. What is special to a kind is in its own
// class (Translator, LanguageGenerator, Classifier, Filler), which this is the base of.
//
//   const std::unique_ptr<Model> model = open_model("models/en-fr");
//   model->run(std::array{Input{"Where does it look?"}}, {{"beam", "8"}})[0][0].text;
#pragma once  // public header

#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "heed/insight/trace/trace_document.h"
#include "heed/pipeline/explained.h"
#include "heed/text/batch_size.h"
#include "heed/text/tokeniser.h"

#pragma GCC visibility push(default)  // exported

namespace heed {
class Options;
}

namespace heed::pipeline {

struct ModelKind;
struct ComparedModel;
struct WatchedData;
class Watched;

// What a model reads: a text, and where it takes one a second: a given translation, or the other
// text of a pair.
struct Input {
  std::string text{};
  std::string second{};
};

// One thing a model says of an input.
struct Answer {
  std::string text{};  // a translation, a continuation, "ASPECT = LABEL", a word for a gap
  double score = 0;    // a log-probability where it writes, a probability where it chooses
};

// Options of one run by name, as the flags of the kind's verb are called: {{"beam", "8"}}.
using Settings = std::vector<std::pair<std::string, std::string>>;

// How likely a model finds an input.
struct InputScore {
  double log_probability = 0;
  std::vector<std::string> pieces{};             // of what is scored, with its end where it has one
  std::vector<float> token_log_probabilities{};  // of these
  insight::TracedExample trace{};                // when asked for
};

struct InputScoreOptions {
  text::BatchSize batch{.tokens = 2048};
  std::int64_t longest = 0;  // most tokens of a text; 0: 1024, or the longest of training
  bool trace = false;
};

class Model {
 public:
  virtual ~Model() = default;

  virtual const ModelKind& kind() const = 0;
  // How long a text is to it, its end included: in tokens, in points, in what it reads one by one.
  virtual std::int64_t length(std::string_view text) const = 0;
  virtual std::int64_t parameter_count() const = 0;
  // Whether each input must have a second text.
  virtual bool takes_second() const { return false; }
  // Whether an input is read with those before it, so that it cannot be read among foreign ones.
  virtual bool reads_documents() const { return false; }

  // What it makes of each input, the best first. UsageError for an input that it cannot read, and
  // for a setting that its kind does not have or allow.
  virtual std::vector<std::vector<Answer>> run(std::span<const Input> inputs,
                                               const Settings& settings = {}) const = 0;
  // What it looks at in each input: traced examples, which are empty for a model without attention.
  // The settings are those of run().
  virtual std::vector<insight::TracedExample> trace(std::span<const Input> inputs,
                                                    const Settings& settings = {}) const = 0;
  // Of kinds that score. UsageError of the others.
  virtual std::vector<InputScore> score_inputs(std::span<const Input> inputs,
                                               const InputScoreOptions& options) const;
  // Runs over the files and says how good and how fast it was. UsageError for a wrong number of
  // files.
  virtual void measure(std::span<const std::string> files, ComparedModel& contestant) const = 0;
  // What explainers may ask of an input. UsageError of kinds that are not explained, and for a
  // target that the model has not. Not while another thread uses the model.
  virtual Explained explained(const Input& input, const ExplainedTarget& target = {}) const;
  // Data to be run under observers, not to outlive the model. UsageError of kinds that are not
  // watched, and for files and texts that it cannot read. Not while another thread uses the model.
  virtual std::unique_ptr<Watched> watched(const WatchedData& data) const;

 protected:
  Model() = default;
  Model(const Model&) = default;
  Model& operator=(const Model&) = default;

  // The length of a text that is read as tokens.
  static std::int64_t token_count(const text::Tokeniser& tokeniser, std::string_view text);
  // Sets the options of a run, which `list` has. UsageError for a name that it does not have.
  void set(Options& list, const Settings& settings) const;
};

// The model of a folder of any kind. DataError naming the file for one that is not whole, damaged,
// of a newer format, or of a kind that this version does not know.
std::unique_ptr<Model> open_model(const std::filesystem::path& folder);

}  // namespace heed::pipeline

#pragma GCC visibility pop
