// SPDX-License-Identifier: Apache-2.0
// A trained captioner in use: pictures in, captions out, and where it looked for each word.
//
//   const CaptionWriter writer("captions");
//   writer.look(image).caption;  // "a large red circle in the upper left"
#pragma once  // public header

#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "heed/insight/draw/plane_density.h"
#include "heed/insight/trace/trace_document.h"
#include "heed/metrics/regions.h"
#include "heed/pipeline/caption/caption_options.h"
#include "heed/pipeline/model.h"

#pragma GCC visibility push(default)  // exported

namespace heed::pipeline {

struct CaptionSearch {
  int beam = 1;  // outputs that are followed side by side

  void declare(Options& options);
};

struct WrittenCaption {
  std::string caption{};
  text::Tokens tokens{};  // without the end
  double log_probability = 0;
};

struct LookedCaption {
  WrittenCaption written{};
  std::vector<std::string> words{};
  Tensor weights{};             // [words,L], of the word it wrote; not defined: it does not attend
  std::vector<double> gates{};  // of each word, where there is a gate
  // Of each word, where attention is continuous.
  std::vector<std::vector<insight::PlaneDensity>> densities{};
};

struct CaptionQuality {
  std::int64_t pictures = 0;
  std::int64_t exact = 0;
  std::vector<bool> right{};  // of each picture
  std::vector<std::string> captions{};
  double bleu = 0;
  // Words of right captions that speak of regions: at the step that wrote the word, and the next.
  metrics::RegionScore at_word{};
  metrics::RegionScore after_word{};
};

// The likeliest captions by a search, in the order of the pictures.
std::vector<WrittenCaption> write_captions(const models::Captioner& model,
                                           const models::ImageTensors& images,
                                           const text::Tokeniser& tokeniser,
                                           const CaptionSearch& search = {});

class CaptionWriter final : public Model {
 public:
  // A folder that `heed train caption` wrote. DataError for one that is damaged or of another kind.
  explicit CaptionWriter(const std::filesystem::path& folder);

  const CaptionOptions& options() const { return options_; }
  const LearntPictures& form() const { return form_; }
  models::ImageGridShape grid() const { return model_->encoder().grid(); }
  bool attends() const { return options_.attention != "none"; }

  // UsageError for an image in which there is nothing to see.
  std::vector<WrittenCaption> write(std::span<const images::Image> pictures,
                                    const CaptionSearch& search = {}) const;
  LookedCaption look(const images::Image& picture, const CaptionSearch& search = {}) const;
  // Strips "source", the cells, with the picture, and "target", the words.
  insight::TracedExample traced(const images::Image& picture, const LookedCaption& look) const;
  CaptionQuality quality(const corpora::PictureSet& set, const CaptionSearch& search = {}) const;

  // As of every model; an input is the bytes of an image file in base64.
  const ModelKind& kind() const override;
  std::int64_t length(std::string_view text) const override;
  std::int64_t parameter_count() const override;
  std::vector<std::vector<Answer>> run(std::span<const Input> inputs,
                                       const Settings& settings = {}) const override;
  std::vector<insight::TracedExample> trace(std::span<const Input> inputs,
                                            const Settings& settings = {}) const override;
  void measure(std::span<const std::string> files, ComparedModel& contestant) const override;

 private:
  images::Image parsed(const std::string& text) const;
  // Words that were given, looked at as they are written.
  LookedCaption reread(const models::ImageTensors& image, WrittenCaption written) const;

  CaptionOptions options_;
  LearntPictures form_;
  std::shared_ptr<const text::Tokeniser> tokeniser_;
  std::shared_ptr<models::Captioner> model_;
};

}  // namespace heed::pipeline

#pragma GCC visibility pop
