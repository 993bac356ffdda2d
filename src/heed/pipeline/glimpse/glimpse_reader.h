// SPDX-License-Identifier: Apache-2.0
// A trained network that looks in glimpses, in use: images in, classes and the path out.
//
//   const GlimpseReader reader("digits");
//   reader.look(canvas).classes;  // {7}
#pragma once  // public header

#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "heed/insight/draw/overlay.h"
#include "heed/pipeline/glimpse/glimpse_quality.h"
#include "heed/pipeline/glimpse/glimpse_train_options.h"
#include "heed/pipeline/model.h"

#pragma GCC visibility push(default)  // exported

namespace heed::pipeline {

// What it saw and made of one image.
struct GlimpsePath {
  images::Image image{};
  std::vector<int> classes{};  // until the end
  double probability = 0;      // the product of theirs
  struct Step {
    double x = 0, y = 0;               // in [-1,1]
    std::vector<images::Box> boxes{};  // finest first
    std::vector<images::Image> patches{};
    std::vector<double> chances{};  // of the classes, and of the end where there is one
  };
  std::vector<Step> steps{};
};

class GlimpseReader final : public Model {
 public:
  // A folder that `heed train glimpse` wrote. DataError for one that is damaged or of another kind.
  explicit GlimpseReader(const std::filesystem::path& folder);

  const LearntCanvases& learnt() const { return learnt_; }
  const GlimpseTrainOptions& options() const { return options_; }
  const models::GlimpseNetwork& network() const { return *network_; }
  std::string text(std::span<const int> classes) const;  // "7", "3 9"

  // Of an image of its size. The seed is of the first place. UsageError for another size.
  GlimpsePath look(const images::Image& image, const GlimpseEpisodes& episodes = {}) const;
  // Any image, made as large and as grey as its own.
  images::Image fitted(const images::Image& image, const std::string& where) const;
  // The same of the bytes of a file in base64, after "data:image/png;base64," or without it.
  // UsageError for what is no image.
  images::Image parsed(const std::string& text) const;
  // An overlay: the whole path, then every glimpse with its patches and the chances after it.
  insight::OverlayScene scene(const GlimpsePath& path,
                              std::span<const images::Box> gold = {}) const;
  // Strips "image", its regions, and "glimpses", with the share of each region in each.
  insight::TracedExample traced(const GlimpsePath& path,
                                std::span<const images::Box> gold = {}) const;

  // As of every model; an input is the file of an image in base64, its answers the likeliest
  // classes. The setting is seed.
  const ModelKind& kind() const override;
  std::int64_t length(std::string_view text) const override;
  std::int64_t parameter_count() const override;
  std::vector<std::vector<Answer>> run(std::span<const Input> inputs,
                                       const Settings& settings = {}) const override;
  std::vector<insight::TracedExample> trace(std::span<const Input> inputs,
                                            const Settings& settings = {}) const override;
  void measure(std::span<const std::string> files, ComparedModel& contestant) const override;

 private:
  GlimpseTrainOptions options_;
  LearntCanvases learnt_;
  std::shared_ptr<models::GlimpseNetwork> network_;
};

}  // namespace heed::pipeline

#pragma GCC visibility pop
