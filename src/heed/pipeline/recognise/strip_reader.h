// SPDX-License-Identifier: Apache-2.0
// A trained recogniser in use: strips in, labels out.
//
//   const StripReader reader("symbols");
//   reader.text(reader.read(strip).labels);  // "cafe"
#pragma once  // public header

#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "heed/insight/trace/trace_document.h"
#include "heed/pipeline/model.h"
#include "heed/pipeline/recognise/recognise_options.h"
#include "heed/pipeline/recognise/strip_quality.h"
#include "heed/pipeline/recognise/strip_search.h"

#pragma GCC visibility push(default)  // exported

namespace heed::pipeline {

class StripReader final : public Model {
 public:
  // A folder that `heed train recognise` wrote. DataError for one that is damaged or of another
  // kind.
  explicit StripReader(const std::filesystem::path& folder);

  const LearntStrips& learnt() const { return learnt_; }
  const RecogniseOptions& options() const { return options_; }
  bool is_ctc() const { return options_.model.writing == models::LabelWriting::ctc; }
  std::int64_t frames_of_state() const { return model_->encoder().frames_of_state(); }
  std::string text(std::span<const int> labels) const;

  // Why it cannot read this strip, or not give it its labels; empty: it can. "9 labels take 10
  // states at least, two equal ones one between them, and it has 8; ..."
  std::string problem_of(const corpora::Strip& strip) const;
  // UsageError for a strip with a problem.
  FoundLabels read(const corpora::Strip& strip, const StripSearch& search = {}) const;
  std::vector<FoundLabels> read(std::span<const corpora::Strip> strips,
                                const StripSearch& search = {}) const;
  // The same with where each label was found.
  LookedAt look(const corpora::Strip& strip, const StripSearch& search = {}) const;
  // Strips "source", its states, and "target", the labels.
  insight::TracedExample traced(const LookedAt& look) const;
  // How well it reads these; places are looked at in the first `placed` strips that are read right.
  StripQuality quality(std::span<const corpora::Strip> strips, const StripSearch& search = {},
                       std::int64_t placed = 100) const;

  // As of every model; an input is a strip on a line, its answer the labels with the
  // log-probability. Settings are those of StripSearch.
  const ModelKind& kind() const override;
  std::int64_t length(std::string_view text) const override;
  std::int64_t parameter_count() const override;
  std::vector<std::vector<Answer>> run(std::span<const Input> inputs,
                                       const Settings& settings = {}) const override;
  std::vector<insight::TracedExample> trace(std::span<const Input> inputs,
                                            const Settings& settings = {}) const override;
  void measure(std::span<const std::string> files, ComparedModel& contestant) const override;

 private:
  corpora::Strip parsed(const std::string& text) const;
  void check(const corpora::Strip& strip) const;

  RecogniseOptions options_;
  LearntStrips learnt_;
  std::shared_ptr<models::StripRecogniser> model_;
};

}  // namespace heed::pipeline

#pragma GCC visibility pop
