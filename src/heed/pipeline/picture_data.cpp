// SPDX-License-Identifier: Apache-2.0
// Built-in scenes in memory, or files read whole.
#include "heed/pipeline/picture_data.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "heed/base/error.h"
#include "heed/base/file.h"
#include "heed/corpora/scenes/picture_files.h"
#include "heed/corpora/scenes/scene_set.h"

namespace heed::pipeline {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kPictureOrderStream = 0x50494354;  // "PICT": no other stream of the seed
constexpr double kLeastVariance = 1e-4;  // of pixels: pictures of one grey are left as they are
constexpr const char* kTables[] = {"captions", "questions", "regions"};

std::vector<std::string> tables_of(const fs::path& folder, const std::string& part) {
  std::vector<std::string> files;
  std::error_code ignored;
  for (const char* table : kTables) {
    const fs::path path = folder / fmt::format("{}.{}.tsv", part, table);
    if (fs::exists(path, ignored)) files.push_back(path.string());
  }
  return files;
}

}  // namespace

void PictureDataOptions::declare(Options& options) {
  options
      .add("data", data,
           "a folder of pictures with tables train.captions.tsv and so on, as heed corpus scenes "
           "writes them; otherwise the built-in scenes, drawn anew by the seed")
      .kind("FOLDER");
  options.add("scenes", scenes, "built-in scenes to learn from").range(1, 1'000'000);
  options.add("valid-scenes", valid_scenes, "built-in scenes of validation; 0: none")
      .range(0, 1'000'000);
}

std::vector<std::string> PictureDataOptions::files() const {
  if (data.empty()) return {};
  std::vector<std::string> all = tables_of(data, "train");
  for (std::string& file : tables_of(data, "valid")) all.push_back(std::move(file));
  return all;
}

void LearntPictures::declare(Options& options) {
  options.add("height", height, "pixels of a picture from top to bottom").range(1, 1 << 14);
  options.add("width", width, "from left to right").range(1, 1 << 14);
  options.add("channels", channels, "1: grey, 3: colour").range(1, 3);
  options.add("scenes", scenes, "whether it learnt from the built-in scenes");
  options.add("mean", mean, "of the pixels it learnt from").range(0, 1);
  options.add("deviation", deviation, "of these").range(1e-3, 1);
}

void LearntPictures::write(const fs::path& file) const {
  LearntPictures copy = *this;
  Options list;
  copy.declare(list);
  write_atomically(file, list.to_toml());
}

LearntPictures LearntPictures::read(const fs::path& file) {
  LearntPictures pictures;
  Options list;
  pictures.declare(list);
  const std::string text = read_file(file);
  try {
    list.read_toml_text(text, file.string());
  } catch (const UsageError& error) {
    throw DataError("{}; the file is damaged or was changed", error.what());
  }
  return pictures;
}

corpora::PictureSet training_pictures(const PictureDataOptions& options, std::uint64_t seed) {
  if (!options.data.empty()) return corpora::read_pictures(options.data, "train");
  return corpora::make_scenes(corpora::ScenePart::train, {.seed = seed, .size = options.scenes});
}

corpora::PictureSet validation_pictures(const PictureDataOptions& options, std::uint64_t seed) {
  if (!options.data.empty()) {
    if (tables_of(options.data, "valid").empty()) return {};
    return corpora::read_pictures(options.data, "valid");
  }
  if (options.valid_scenes == 0) return {};
  return corpora::make_scenes(corpora::ScenePart::valid,
                              {.seed = seed, .size = options.valid_scenes});
}

LearntPictures learnt_from(const corpora::PictureSet& pictures, const PictureDataOptions& options,
                           const fs::path& from) {
  const images::ImageSet& set = pictures.images;
  LearntPictures learnt{.height = set.rows,
                        .width = set.columns,
                        .channels = set.channels,
                        .scenes = options.data.empty()};
  if (!from.empty()) {
    const LearntPictures other = LearntPictures::read(from / kLearntPicturesFile);
    learnt.mean = other.mean;
    learnt.deviation = other.deviation;
    return learnt;
  }
  std::uint64_t sum = 0, squares = 0;
  for (const std::uint8_t byte : set.pixels) {
    sum += byte;
    squares += static_cast<std::uint64_t>(byte) * byte;
  }
  const double count = 255.0 * static_cast<double>(std::max<std::size_t>(1, set.pixels.size()));
  learnt.mean = static_cast<double>(sum) / count;
  const double variance = static_cast<double>(squares) / (255 * count) - learnt.mean * learnt.mean;
  learnt.deviation = std::sqrt(std::max(variance, kLeastVariance));
  return learnt;
}

corpora::PictureSet pictures_of_table(const std::string& table, const LearntPictures& form) {
  const fs::path path(table);
  const std::string name = path.filename().string();
  for (const char* kind : kTables) {
    const std::string ending = fmt::format(".{}.tsv", kind);
    if (!name.ends_with(ending) || name.size() == ending.size()) continue;
    return corpora::read_pictures(path.parent_path(), name.substr(0, name.size() - ending.size()),
                                  {form.height, form.width, form.channels});
  }
  throw UsageError("{}: no table of pictures; name one such as scenes/test.captions.tsv", table);
}

metrics::GoldCells gold_cells(const corpora::PictureSet& set, std::size_t picture,
                              std::span<const int> regions, const models::ImageGridShape& grid) {
  metrics::GoldMask mask = metrics::GoldMask::empty(set.images.rows, set.images.columns);
  metrics::GoldMask boxes = mask;
  for (const int number : regions) {
    const corpora::Region& region = set.of[picture].regions[static_cast<std::size_t>(number)];
    for (const corpora::PixelRun& run : region.mask) {
      std::fill(mask.inside.begin() + run.begin, mask.inside.begin() + run.end, std::uint8_t{1});
    }
    boxes.add_box(region.box.left, region.box.top, region.box.right, region.box.bottom);
  }
  metrics::GoldCells cells = metrics::GoldCells::of(mask, grid.rows, grid.columns);
  cells.centred = metrics::GoldCells::of(boxes, grid.rows, grid.columns).centred;
  return cells;
}

models::ImageTensors picture_tensors(const images::ImageSet& set,
                                     std::span<const std::size_t> which) {
  const std::int64_t pixels = set.rows * set.columns;
  Tensor all({std::ssize(which), set.channels, set.rows, set.columns});
  Real* out = all.mutable_data();
  for (const std::size_t one : which) {
    const std::uint8_t* const bytes = set.image_data(static_cast<std::int64_t>(one));
    for (std::int64_t c = 0; c < set.channels; ++c) {
      for (std::int64_t i = 0; i < pixels; ++i) {
        *out++ = static_cast<Real>(bytes[i * set.channels + c]) / 255;
      }
    }
  }
  return {all};
}

images::Image picture_in_form(const images::Image& image, const LearntPictures& form,
                              const std::string& where) {
  try {
    return images::in_form(image, {form.height, form.width, form.channels}, where);
  } catch (const DataError& error) {
    throw UsageError("{}", error.what());
  }
}

std::vector<std::size_t> PictureOrder::next(std::int64_t count) {
  std::vector<std::size_t> chosen;
  const std::uint64_t before = place_ / order_.size();
  for (std::int64_t i = 0; i < count; ++i, ++place_) {
    const std::uint64_t epoch = place_ / order_.size();
    if (epoch + 1 != shuffled_) {
      std::iota(order_.begin(), order_.end(), std::size_t{0});
      Random random(seed_, kPictureOrderStream + (epoch << 32));
      random.shuffle(order_);
      shuffled_ = epoch + 1;
    }
    chosen.push_back(order_[place_ % order_.size()]);
  }
  ended_epoch_ = place_ / order_.size() > before;
  return chosen;
}

std::uint64_t PictureOrder::epoch_batches(std::int64_t batch) const {
  const auto each = static_cast<std::uint64_t>(batch);
  return (order_.size() + each - 1) / each;
}

}  // namespace heed::pipeline
