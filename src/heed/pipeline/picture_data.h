// SPDX-License-Identifier: Apache-2.0
// Pictures with captions and questions that a training learns from: the built-in scenes, or files;
// the order in which an epoch has them; and what a model remembers of their form.
#pragma once  // public header

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "heed/base/options.h"
#include "heed/corpora/scenes/pictured.h"
#include "heed/metrics/regions.h"
#include "heed/models/image_encoder.h"

#pragma GCC visibility push(default)  // exported

namespace heed::pipeline {

struct PictureDataOptions {
  std::string data;  // a folder with files of picture_files.h; empty: the built-in scenes
  std::int64_t scenes = 20'000;
  std::int64_t valid_scenes = 300;

  void declare(Options& options);
  // The tables that there are, of training and validation.
  std::vector<std::string> files() const;
};

// What a model reads, as its folder keeps it.
struct LearntPictures {
  std::int64_t height = 48;
  std::int64_t width = 48;
  std::int64_t channels = 3;
  bool scenes = true;  // whether it learnt from the built-in ones
  double mean = 0;     // of the pixels it learnt from, of all channels together
  double deviation = 1;

  void declare(Options& options);
  void write(const std::filesystem::path& file) const;
  // DataError that names the file.
  static LearntPictures read(const std::filesystem::path& file);

  models::PixelNormal normal() const {
    return {static_cast<Real>(mean), static_cast<Real>(deviation)};
  }
};
inline constexpr const char* kLearntPicturesFile = "pictures.toml";

// DataError as of picture_files.h.
corpora::PictureSet training_pictures(const PictureDataOptions& options, std::uint64_t seed);
// None where there is no such part, or none is wanted.
corpora::PictureSet validation_pictures(const PictureDataOptions& options, std::uint64_t seed);

// What a model of these pictures is to remember. One that goes on from another's weights, in the
// folder `from`, sees pixels as that did.
LearntPictures learnt_from(const corpora::PictureSet& pictures, const PictureDataOptions& options,
                           const std::filesystem::path& from);

// "scenes/test.captions.tsv", or another table of a part: all of that part, in this form.
// UsageError for a name that is not of a table.
corpora::PictureSet pictures_of_table(const std::string& table, const LearntPictures& form);

// Some regions of a picture of this set as cells: covered by their masks, centred in their boxes.
metrics::GoldCells gold_cells(const corpora::PictureSet& set, std::size_t picture,
                              std::span<const int> regions, const models::ImageGridShape& grid);

// [B,C,H,W] of these pictures.
models::ImageTensors picture_tensors(const images::ImageSet& set,
                                     std::span<const std::size_t> which);
// Images of any size in the form that a model reads. UsageError that opens with `where`.
images::Image picture_in_form(const images::Image& image, const LearntPictures& form,
                              const std::string& where);

// All examples again and again, each epoch in an order of its own; batches take no notice of where
// one ends.
class PictureOrder {
 public:
  PictureOrder(std::size_t examples, std::uint64_t seed) : seed_(seed), order_(examples) {}

  std::vector<std::size_t> next(std::int64_t count);
  std::uint64_t place() const { return place_; }
  void seek(std::uint64_t place) { place_ = place; }
  bool ended_epoch() const { return ended_epoch_; }
  std::uint64_t epoch_batches(std::int64_t batch) const;

 private:
  std::uint64_t seed_;
  std::vector<std::size_t> order_;
  std::uint64_t shuffled_ = 0;  // the epoch that the order is of, plus one
  std::uint64_t place_ = 0;
  bool ended_epoch_ = false;
};

}  // namespace heed::pipeline

#pragma GCC visibility pop
