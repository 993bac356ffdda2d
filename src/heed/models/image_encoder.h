// SPDX-License-Identifier: Apache-2.0
// Encoders of images: pixels become the cells of a grid, each a state that anything may attend to
// as to a word. By convolutions, or by patches that a Transformer reads (ViT; Dosovitskiy 2021).
//
// Letters: B images, C channels, H height, W width, L cells of a grid row by row, D features.
#pragma once  // public header

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "heed/images/image.h"
#include "heed/models/encoder.h"
#include "heed/models/transformer_stack.h"
#include "heed/nn/convolution.h"
#include "heed/nn/linear.h"

#pragma GCC visibility push(default)  // exported

namespace heed::models {

struct ImageTensors {
  Tensor pixels;  // [B,C,H,W], 0 to 1
};
// Images of one size. UsageError otherwise, and for none.
ImageTensors image_tensors(std::span<const images::Image> images);

struct ImageGridShape {
  std::int64_t rows = 0;
  std::int64_t columns = 0;

  std::int64_t cells() const { return rows * columns; }
  bool operator==(const ImageGridShape&) const = default;
};

// One convolution that keeps the size, ReLU, and the largest of each `pool` by `pool` cells.
struct ImageStage {
  std::int64_t channels = 16;
  std::int64_t window = 3;  // odd
  std::int64_t pool = 1;

  // "16:5:2": channels, window and pool, of which the last one or two may be left out. UsageError.
  static ImageStage parse(const std::string& written);
  bool operator==(const ImageStage&) const = default;
};

enum class ImageReading { convolutions, patches };
const std::vector<std::string>& image_reading_names();
// What cells are told of their place: nothing, or sines of row and column (added to patches, beside
// the features of convolutions as two channels of the image otherwise).
enum class CellPlaces { none, sines, channels };
const std::vector<std::string>& cell_places_names();

// Of the pixels that a model is to learn from: less the mean, by the deviation they are what its
// first convolution reads.
struct PixelNormal {
  Real mean = 0;
  Real deviation = 1;
};

struct ImageEncoderOptions {
  std::int64_t height = 28;
  std::int64_t width = 28;
  std::int64_t channels = 1;
  ImageReading reading = ImageReading::convolutions;
  // Convolutions.
  std::vector<ImageStage> stages = {{16, 3, 2}, {32, 3, 2}, {64, 3, 1}};
  CellPlaces places = CellPlaces::none;
  // With it convolutions keep the size of what they read from the first update on: weights start by
  // He 2015 and biases at 0, where otherwise they start within 1 / sqrt(fan-in) and each layer
  // leaves .4 of it. Questions on scenes were .53 instead of .44 right after 800 updates.
  std::optional<PixelNormal> normal{};
  // Patches: their side, and the stack that reads them. Its positions mean: sinusoidal, sines of
  // row and column; learned, a vector for each patch; the others as everywhere, in reading order.
  std::int64_t patch = 7;
  TransformerStackOptions stack{};
};

class ImageEncoder final : public Encoder<ImageTensors> {
 public:
  ImageEncoder() = default;
  // UsageError for sizes that cannot be: pooled away, or not cut into patches.
  ImageEncoder(const ImageEncoderOptions& options, Random& random);

  struct Read {
    Variable cells{};  // [B,L,D]
    Variable token{};  // [B,D], of patches: the class token, which is no part of the image
  };
  // UsageError for images of another size. Of pixels [B,C,H,W] that are variables there are
  // gradients.
  Read read_pixels(const Variable& pixels, const Call& call) const;
  Read read(const ImageTensors& images, const Call& call) const {
    return read_pixels(Variable(images.pixels), call);
  }
  EncoderStates operator()(const ImageTensors& images, const Call& call) const override {
    return {.states = read(images, call).cells};
  }
  std::int64_t width() const override;
  ImageGridShape grid() const { return grid_; }
  const ImageEncoderOptions& options() const { return options_; }
  bool has_token() const { return options_.reading == ImageReading::patches; }
  void visit(nn::ParameterVisitor& visitor) override;

  // What observers are told of the self-attention over patches: the class token is in front.
  static constexpr attention::Site kPatchSite{.role = attention::Role::self,
                                              .set = "patches self",
                                              .queries = "patches",
                                              .keys = "patches"};

 private:
  Read read_patches(const Variable& pixels, const Call& call) const;
  Variable read_convolved(Variable x) const;

  ImageEncoderOptions options_;
  ImageGridShape grid_;
  std::vector<nn::Convolution2d> stages_;
  Tensor places_;  // of convolutions: [L,D] or [1,2,H,W]
  nn::Linear patches_;
  Variable token_;  // [D]
  TransformerStack stack_;
};

}  // namespace heed::models

#pragma GCC visibility pop
