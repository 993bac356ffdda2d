// SPDX-License-Identifier: Apache-2.0
// Curves that wind at random, cut into dashes, kept apart from each other.
#include "heed/corpora/long_range/pathfinder.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <unordered_set>
#include <utility>
#include <vector>

#include "heed/base/error.h"
#include "heed/corpora/choose.h"
#include "heed/corpora/corpus_files.h"
#include "heed/corpora/file_corpus.h"
#include "heed/images/idx.h"

namespace heed::corpora {
namespace {

constexpr double kDash = 3, kGap = 2, kStep = .5;  // pixels along the curve
constexpr double kWinding = .12;                   // deviation of the turn of a step
constexpr double kMostTurn = .18;
constexpr std::int64_t kDotRadius = 1;
constexpr std::int64_t kMargin = 2;  // between curves and the edge: room for the dots

struct PathPixel {
  std::int64_t row = 0, column = 0;
  bool operator==(const PathPixel&) const = default;
};

double distance(const PathPixel& a, const PathPixel& b) {
  return std::hypot(static_cast<double>(a.row - b.row), static_cast<double>(a.column - b.column));
}

class PathCanvas {
 public:
  PathCanvas(Random& random, std::int64_t side) : random_(random), side_(side) {}

  // Pixels of a curve in its order, none where chance led it out of the image or near another.
  std::vector<PathPixel> try_curve(std::int64_t dashes) {
    const auto edge = static_cast<double>(side_ - 1 - 2 * kMargin);
    double x = kMargin + random_.uniform() * edge, y = kMargin + random_.uniform() * edge;
    double angle = random_.uniform() * 2 * std::numbers::pi, turn = 0;
    const double length =
        static_cast<double>(dashes) * kDash + static_cast<double>(dashes - 1) * kGap;
    std::vector<PathPixel> curve;
    for (std::int64_t step = 0; step <= std::llround(length / kStep); ++step) {
      const double at = static_cast<double>(step) * kStep;
      const PathPixel pixel{std::llround(y), std::llround(x)};
      if (!inside(pixel) || near_others(pixel)) return {};
      if (std::fmod(at, kDash + kGap) <= kDash && (curve.empty() || curve.back() != pixel)) {
        curve.push_back(pixel);
      }
      turn = std::clamp(turn + random_.normal() * kWinding * kStep, -kMostTurn, kMostTurn);
      angle += turn;
      x += kStep * std::cos(angle);
      y += kStep * std::sin(angle);
    }
    // One that winds back upon itself has its ends side by side.
    return distance(curve.front(), curve.back()) < length / 2 ? std::vector<PathPixel>{} : curve;
  }

  void keep(const std::vector<PathPixel>& curve) {
    others_.insert(others_.end(), curve.begin(), curve.end());
  }

 private:
  bool inside(const PathPixel& pixel) const {
    const auto within = [this](std::int64_t at) { return at >= kMargin && at < side_ - kMargin; };
    return within(pixel.row) && within(pixel.column);
  }
  bool near_others(const PathPixel& pixel) const {
    return std::ranges::any_of(
        others_, [&](const PathPixel& other) { return distance(pixel, other) < kPathfinderApart; });
  }

  Random& random_;
  std::int64_t side_;
  std::vector<PathPixel> others_{};
};

// Whether dots at the ends of the long curves, wherever they will be, keep away from other curves
// and from dots there. It does not depend on the label, which distances would tell otherwise.
bool has_room_for_dots(const std::vector<std::vector<PathPixel>>& curves) {
  constexpr double kReach = kDotRadius * std::numbers::sqrt2;
  for (std::size_t i = 0; i < 2; ++i) {
    for (const PathPixel& dot : {curves[i].front(), curves[i].back()}) {
      for (std::size_t j = 0; j < curves.size(); ++j) {
        for (const PathPixel& pixel : curves[j]) {
          const bool end = j < 2 && (pixel == curves[j].front() || pixel == curves[j].back());
          const double least = kPathfinderApart + (end ? 2 : 1) * kReach;
          if (i != j && distance(dot, pixel) < least) return false;
        }
      }
    }
  }
  return true;
}

// The curves of an image, the two long ones first; fewer than asked for where there was no room.
std::vector<std::vector<PathPixel>> try_curves(Random& random, const PathfinderOptions& options) {
  constexpr int kTries = 200;  // of one curve
  PathCanvas canvas(random, options.side);
  std::vector<std::vector<PathPixel>> curves;
  for (std::int64_t i = 0; i < 2 + options.distractors; ++i) {
    const std::int64_t dashes =
        i < 2 ? options.dashes : std::max<std::int64_t>(1, options.dashes / 2);
    std::vector<PathPixel> curve;
    for (int tries = 0; tries < kTries && curve.empty(); ++tries) curve = canvas.try_curve(dashes);
    if (curve.empty()) return curves;
    canvas.keep(curve);
    curves.push_back(std::move(curve));
  }
  if (!has_room_for_dots(curves)) curves.clear();
  return curves;
}

}  // namespace

std::vector<std::uint8_t> draw_pathfinder(Random& random, const PathfinderOptions& options,
                                          bool connected) {
  constexpr int kTries = 500;  // of all curves together
  if (options.side < 8 || options.side > 512 || options.dashes < 1 || options.distractors < 0) {
    throw UsageError(
        "pathfinder: a side of {}, {} dashes and {} distractors; it takes a side of 8 to 512 and a "
        "dash or more",
        options.side, options.dashes, options.distractors);
  }
  std::vector<std::vector<PathPixel>> curves;
  for (int tries = 0; std::ssize(curves) < 2 + options.distractors; ++tries) {
    if (tries == kTries) {
      throw UsageError(
          "pathfinder: {} x {} pixels have no room for two curves of {} dashes and {} distractors; "
          "give a larger side, or fewer of them",
          options.side, options.side, options.dashes, options.distractors);
    }
    curves = try_curves(random, options);
  }
  std::vector<std::uint8_t> image(static_cast<std::size_t>(options.side * options.side));
  const auto mark = [&](std::int64_t row, std::int64_t column) {
    image[static_cast<std::size_t>(row * options.side + column)] = 255;
  };
  for (const auto& curve : curves) {
    for (const PathPixel& pixel : curve) mark(pixel.row, pixel.column);
  }
  const bool turned = chance(random, .5);
  const auto end_of = [](const std::vector<PathPixel>& curve, bool last) {
    return last ? curve.back() : curve.front();
  };
  const PathPixel dots[] = {end_of(curves[0], turned), connected
                                                           ? end_of(curves[0], !turned)
                                                           : end_of(curves[1], chance(random, .5))};
  for (const PathPixel& dot : dots) {
    for (std::int64_t row = -kDotRadius; row <= kDotRadius; ++row) {
      for (std::int64_t column = -kDotRadius; column <= kDotRadius; ++column) {
        mark(dot.row + row, dot.column + column);
      }
    }
  }
  return image;
}

images::ImageSet make_pathfinder(const PathfinderSet& wanted) {
  Random random(wanted.seed, wanted.part);
  images::ImageSet set{
      .rows = wanted.drawing.side, .columns = wanted.drawing.side, .names = {"apart", "connected"}};
  for (std::int64_t i = 0; i < wanted.size; ++i) set.labels.push_back(static_cast<int>(i % 2));
  random.shuffle(set.labels);
  std::unordered_set<std::string> seen;
  for (const int label : set.labels) {
    std::vector<std::uint8_t> image;
    do {
      image = draw_pathfinder(random, wanted.drawing, label == 1);
    } while (!seen.emplace(image.begin(), image.end()).second);
    set.pixels.insert(set.pixels.end(), image.begin(), image.end());
  }
  return set;
}

namespace {

constexpr std::array<std::string_view, 3> kPathfinderParts = {"train", "valid", "test"};

std::string example_pathfinder() {
  return fmt::format("two dots and dashed curves on 32 x 32 pixels\nconnected");
}

std::string write_pathfinder(const std::filesystem::path& folder, const CorpusOptions& options,
                             Existing existing);

const ListedFileCorpus kPathfinder(
    {.name = "pathfinder",
     .description = "Images of dashed curves: are two dots the ends of the same one",
     .size = 10'000,
     .units = "images",
     .example = example_pathfinder,
     .write = write_pathfinder,
     .settings = {{"side", 32, 8, 512, "of an image, in pixels"},
                  {"dashes", 4, 1, 1'000, "of each of the two long curves"},
                  {"distractors", 2, 0, 1'000, "curves of half as many dashes, without dots"}}});

std::string write_pathfinder(const std::filesystem::path& folder, const CorpusOptions& options,
                             Existing existing) {
  if (options.min_length != 0 || options.max_length != 0) {
    throw UsageError("corpus pathfinder: images have a side, not a length; --set side=64");
  }
  const FileCorpus& card = *find_file_corpus("pathfinder");
  const auto settings = chosen_settings(card.name, card.settings, options.settings);
  const std::int64_t size = options.size == 0 ? card.size : options.size;
  if (size < 3) throw UsageError("corpus pathfinder: {} images; it takes at least 3", size);
  const std::int64_t test = std::max<std::int64_t>(1, size / 25);
  const std::int64_t valid = std::max<std::int64_t>(1, size / 50);
  const std::int64_t sizes[] = {size - test - valid, valid, test};
  FileContents contents;
  std::string text;
  for (std::size_t i = 0; i < kPathfinderParts.size(); ++i) {
    const images::ImageSet set = make_pathfinder(
        {.seed = options.seed,
         .part = i,
         .size = sizes[i],
         .drawing = {.side = settings[0], .dashes = settings[1], .distractors = settings[2]}});
    const std::string part(kPathfinderParts[i]);
    contents[folder / (part + "-images.idx")] = images::idx_of_images(set);
    contents[folder / (part + "-labels.idx")] = images::idx_of_labels(set);
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", part, set.size());
  }
  write_new_files(contents, folder, existing);
  return text + " images as -images.idx and -labels.idx";
}

}  // namespace
}  // namespace heed::corpora
