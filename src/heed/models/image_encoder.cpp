// SPDX-License-Identifier: Apache-2.0
// Pixels to cells.
#include "heed/models/image_encoder.h"

#include <cmath>

#include "heed/attention/positions.h"
#include "heed/autograd/ops.h"
#include "heed/base/error.h"
#include "heed/base/text.h"
#include "heed/nn/initialisers.h"

namespace heed::models {
namespace {

void check_stages(const ImageEncoderOptions& options) {
  if (options.stages.empty()) throw UsageError("image encoder: no stages; give one or more");
  std::int64_t height = options.height, width = options.width;
  for (const ImageStage& stage : options.stages) {
    if (stage.channels < 1 || stage.window < 1 || stage.window % 2 == 0 || stage.pool < 1) {
      throw UsageError(
          "image encoder: a stage of {} channels, window {}, pool {}; it takes 1 or more, and odd "
          "windows",
          stage.channels, stage.window, stage.pool);
    }
    height /= stage.pool;
    width /= stage.pool;
  }
  if (height < 1 || width < 1) {
    throw UsageError(
        "image encoder: nothing of {} x {} is left after its poolings; take fewer, or larger "
        "images",
        options.width, options.height);
  }
}

void check_patches(const ImageEncoderOptions& options) {
  if (options.patch < 1 || options.height % options.patch != 0 ||
      options.width % options.patch != 0) {
    throw UsageError(
        "image encoder: {} x {} does not cut into patches of {} x {}; choose a side that divides "
        "both, or another size",
        options.width, options.height, options.patch, options.patch);
  }
}

// [1,2,H,W]: how far right and how far down, from -1 to 1.
Tensor place_channels(std::int64_t height, std::int64_t width) {
  Tensor places({1, 2, height, width});
  Real* to = places.mutable_data();
  const auto share = [](std::int64_t i, std::int64_t n) {
    return n > 1 ? Real{2} * static_cast<Real>(i) / static_cast<Real>(n - 1) - 1 : Real{0};
  };
  for (const bool down : {false, true}) {
    for (std::int64_t y = 0; y < height; ++y) {
      for (std::int64_t x = 0; x < width; ++x) *to++ = down ? share(y, height) : share(x, width);
    }
  }
  return places;
}

}  // namespace

ImageTensors image_tensors(std::span<const images::Image> images) {
  if (images.empty()) throw UsageError("image tensors: no images");
  const images::Image& first = images.front();
  const auto count = std::ssize(images);
  Tensor pixels({count, first.channels, first.height, first.width});
  Real* to = pixels.mutable_data();
  const std::int64_t area = first.height * first.width;
  for (const images::Image& image : images) {
    if (image.height != first.height || image.width != first.width ||
        image.channels != first.channels) {
      throw UsageError("image tensors: an image of {} beside one of {}; resize them to one size",
                       image.size_text(), first.size_text());
    }
    for (std::int64_t c = 0; c < first.channels; ++c) {
      for (std::int64_t i = 0; i < area; ++i) {
        *to++ = static_cast<Real>(image.pixels[static_cast<std::size_t>(i * first.channels + c)]);
      }
    }
  }
  return {.pixels = pixels};
}

ImageStage ImageStage::parse(const std::string& written) {
  ImageStage stage;
  std::int64_t* const fields[] = {&stage.channels, &stage.window, &stage.pool};
  std::size_t field = 0;
  for (const std::string_view part : split(written, ':')) {
    if (field == 3)
      throw UsageError("stage \"{}\": give channels:window:pool, such as 16:5:2", written);
    *fields[field++] = parse_integer(std::string(part), fmt::format("stage \"{}\"", written));
  }
  if (stage.channels < 1 || stage.channels > 4096 || stage.window < 1 || stage.window > 31 ||
      stage.window % 2 == 0 || stage.pool < 1 || stage.pool > 64) {
    throw UsageError(
        "stage \"{}\": channels from 1 to 4096, odd windows up to 31, pools from 1 to 64, such as "
        "16:5:2",
        written);
  }
  return stage;
}

const std::vector<std::string>& image_reading_names() {
  static const std::vector<std::string> names = {"convolutions", "patches"};
  return names;
}

const std::vector<std::string>& cell_places_names() {
  static const std::vector<std::string> names = {"none", "sines", "channels"};
  return names;
}

ImageEncoder::ImageEncoder(const ImageEncoderOptions& options, Random& random) : options_(options) {
  if (options.height < 1 || options.width < 1 || options.channels < 1) {
    throw UsageError("image encoder: images of {} x {}, {} channels; all take 1 or more",
                     options.width, options.height, options.channels);
  }
  if (options.reading == ImageReading::patches) {
    check_patches(options);
    grid_ = {options.height / options.patch, options.width / options.patch};
    TransformerStackOptions& stack = options_.stack;
    stack.name = "image encoder";
    stack.site = kPatchSite;
    stack.longest = grid_.cells() + 1;
    patches_ = nn::Linear(options.channels * options.patch * options.patch, stack.width, random);
    token_ = nn::parameter(nn::normal({stack.width}, random, 0, Real(.02)));
    stack_ = TransformerStack(stack, random);
    return;
  }
  check_stages(options);
  if (options.normal && !(options.normal->deviation > 0)) {
    throw UsageError("image encoder: pixels of deviation {}; it takes more than 0",
                     options.normal->deviation);
  }
  grid_ = {options.height, options.width};
  const bool by_channels = options.places == CellPlaces::channels;
  std::int64_t in = options.channels + (by_channels ? 2 : 0);
  for (const ImageStage& stage : options.stages) {
    stages_.emplace_back(in, stage.channels, stage.window, random,
                         Sliding{.padding = stage.window / 2});
    if (options.normal) {
      nn::Convolution2d& made = stages_.back();
      made.weight = nn::parameter(nn::he_uniform(made.weight.shape(), random));
      made.bias = nn::parameter(Tensor::zeros({stage.channels}));
    }
    in = stage.channels;
    grid_ = {grid_.rows / stage.pool, grid_.columns / stage.pool};
  }
  if (by_channels) {
    places_ = place_channels(options.height, options.width);
  } else if (options.places == CellPlaces::sines) {
    places_ = attention::grid_positions(grid_.rows, grid_.columns, in);
  }
}

std::int64_t ImageEncoder::width() const {
  return has_token() ? options_.stack.width : options_.stages.back().channels;
}

void ImageEncoder::visit(nn::ParameterVisitor& visitor) {
  if (has_token()) {
    visitor("patches", patches_);
    visitor("token", token_);
    visitor("stack", stack_);
  } else {
    visitor("stages", stages_);
  }
}

Variable ImageEncoder::read_convolved(Variable x) const {
  if (options_.normal) {
    x = (x - options_.normal->mean) * (1 / options_.normal->deviation);
  }
  if (options_.places == CellPlaces::channels) {
    x = concat({x, Variable(places_.expand({x.size(0), 2, x.size(2), x.size(3)}))}, 1);
  }
  for (std::size_t i = 0; i < stages_.size(); ++i) {
    x = relu(stages_[i](x));
    const std::int64_t pool = options_.stages[i].pool;
    if (pool > 1) x = pool_2d(Pooling::maximum, x, pool, {.stride = pool});
  }
  x = transpose(reshape(x, {x.size(0), x.size(1), -1}), 1, 2);  // [B,L,D]
  return options_.places == CellPlaces::sines ? x + Variable(places_) : x;
}

// A patch is cut out by reshaping: [B,C,R,P,S,P] -> [B,R,S,C,P,P].
ImageEncoder::Read ImageEncoder::read_patches(const Variable& pixels, const Call& call) const {
  const std::int64_t batch = pixels.size(0), side = options_.patch, width = options_.stack.width;
  const Variable cut =
      permute(reshape(pixels, {batch, options_.channels, grid_.rows, side, grid_.columns, side}),
              {0, 2, 4, 1, 3, 5});
  Variable x = patches_(reshape(cut, {batch, grid_.cells(), -1}));
  x = concat({expand(token_, {batch, 1, width}), x}, 1);
  x = stack_.place(x, {.rows = grid_.rows, .columns = grid_.columns, .tokens = 1}, call);
  x = stack_(x, {}, call);
  return {.cells = slice(x, 1, 1, x.size(1)), .token = select(x, 1, 0)};
}

ImageEncoder::Read ImageEncoder::read_pixels(const Variable& pixels, const Call& call) const {
  if (pixels.rank() != 4 || pixels.size(1) != options_.channels ||
      pixels.size(2) != options_.height || pixels.size(3) != options_.width) {
    throw UsageError("image encoder: pixels {}; it takes [images, {}, {}, {}]",
                     pixels.shape().text(), options_.channels, options_.height, options_.width);
  }
  if (has_token()) return read_patches(pixels, call);
  return {.cells = read_convolved(pixels)};
}

}  // namespace heed::models
