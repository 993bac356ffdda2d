// SPDX-License-Identifier: Apache-2.0
// Questions on pictures answered by a trained model, and where each look went.
//
//   const PictureAnswerer model("questions");
//   model.look(image, "what colour is the cross ?").answers[0].text;  // "red"
#pragma once  // public header

#include <filesystem>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "heed/insight/draw/plane_density.h"
#include "heed/insight/trace/trace_document.h"
#include "heed/metrics/regions.h"
#include "heed/pipeline/model.h"
#include "heed/pipeline/visual/visual_options.h"

#pragma GCC visibility push(default)  // exported

namespace heed::pipeline {

inline constexpr const char* kPictureAnswersFile = "answers.txt";

// Picture by number, and question by number, of a set.
struct AskedPicture {
  std::size_t picture = 0;
  std::size_t question = 0;
};
std::vector<AskedPicture> all_questions(const corpora::PictureSet& set);
const corpora::PictureQuestion& question_of(const corpora::PictureSet& set,
                                            const AskedPicture& asked);

// A model with what its numbers mean.
struct PictureAnswering {
  std::shared_ptr<const text::Tokeniser> words{};
  std::vector<std::string> answers{};
  std::shared_ptr<models::PictureAsker> model{};

  // -1: not among the answers.
  int find(const std::string& answer) const;
  models::Sequences questions(const corpora::PictureSet& set,
                              std::span<const AskedPicture> asked) const;
  models::ImageTensors images(const corpora::PictureSet& set,
                              std::span<const AskedPicture> asked) const;
};

struct PictureQuality {
  struct Kind {
    std::int64_t asked = 0;
    std::int64_t right = 0;
  };
  std::map<std::string, Kind> kinds{};  // by name
  Kind all{};
  std::vector<bool> right{};
  double loss = 0;  // mean -log p of the answers that the model has
  // Of each hop, where the gold regions are known: of questions that were answered right, and of
  // the others.
  std::vector<metrics::RegionScore> looks_right{};
  std::vector<metrics::RegionScore> looks_wrong{};
};
PictureQuality picture_quality(const PictureAnswering& answering, const corpora::PictureSet& set,
                               bool looks);

struct LookedAnswer {
  std::string question{};
  std::vector<Answer> answers{};  // the likeliest first, with probabilities
  std::vector<Tensor> weights{};  // [L] of each hop
  std::vector<std::vector<insight::PlaneDensity>> densities{};  // of each hop; none: no density
  std::vector<std::string> unknown{};  // words that the model does not know
};

class PictureAnswerer final : public Model {
 public:
  // A folder that `heed train visual` wrote. DataError for one that is damaged or of another kind.
  explicit PictureAnswerer(const std::filesystem::path& folder);

  const VisualOptions& options() const { return options_; }
  const LearntPictures& form() const { return form_; }
  models::ImageGridShape grid() const { return answering_.model->encoder().grid(); }

  // UsageError for a question without words and an image in which there is nothing to see.
  LookedAnswer look(const images::Image& picture, const std::string& question) const;
  // Strips "hops" and "image", the cells, with the picture.
  insight::TracedExample traced(const images::Image& picture, const LookedAnswer& look) const;
  PictureQuality quality(const corpora::PictureSet& set) const {
    return picture_quality(answering_, set, true);
  }

  // As of every model; an input is the bytes of an image file in base64, the second text the
  // question.
  const ModelKind& kind() const override;
  std::int64_t length(std::string_view text) const override;
  std::int64_t parameter_count() const override;
  bool takes_second() const override { return true; }
  std::vector<std::vector<Answer>> run(std::span<const Input> inputs,
                                       const Settings& settings = {}) const override;
  std::vector<insight::TracedExample> trace(std::span<const Input> inputs,
                                            const Settings& settings = {}) const override;
  void measure(std::span<const std::string> files, ComparedModel& contestant) const override;

 private:
  images::Image parsed(const std::string& text) const;

  VisualOptions options_;
  LearntPictures form_;
  PictureAnswering answering_;
};

}  // namespace heed::pipeline

#pragma GCC visibility pop
