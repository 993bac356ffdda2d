// SPDX-License-Identifier: Apache-2.0
// Batch after batch: which classes were right, and where the glimpses lay.
#include "heed/pipeline/glimpse/glimpse_quality.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "heed/base/error.h"
#include "heed/pipeline/glimpse/canvas_batches.h"

namespace heed::pipeline {
namespace {

using corpora::Canvas;

constexpr std::size_t kTogether = 250;

// Whether a place lies in one of the boxes of a canvas.
bool in_gold(const Canvas& canvas, double x, double y) {
  const auto pixel = [](double place, std::int64_t length) {
    return std::clamp(
        static_cast<std::int64_t>(std::floor((place + 1) / 2 * static_cast<double>(length))),
        std::int64_t{0}, length - 1);
  };
  return std::ranges::any_of(canvas.boxes, [&](const images::Box& box) {
    return box.contains(pixel(y, canvas.image.height), pixel(x, canvas.image.width));
  });
}

std::int64_t likeliest(const Tensor& chances, std::int64_t row) {
  std::int64_t best = 0;
  for (std::int64_t c = 1; c < chances.size(1); ++c) {
    if (chances.at({row, c}) > chances.at({row, best})) best = c;
  }
  return best;
}

// One batch: the mean chances of each target, and where the episodes looked.
std::vector<Tensor> mean_chances(const models::GlimpseNetwork& network,
                                 std::span<const Canvas> part, const GlimpseEpisodes& episodes,
                                 Random& random, GlimpseQuality& quality) {
  const Tensor images = canvas_tensor(part);
  const std::size_t first = quality.pointings.size();
  quality.pointings.resize(first + part.size());
  std::vector<Tensor> chances;
  for (int e = 0; e < episodes.episodes; ++e) {
    const models::GlimpseRun run =
        network(images, {.random = &random, .draw = episodes.draw, .anywhere = episodes.random});
    for (std::size_t u = 0; u < run.logits.size(); ++u) {
      const Tensor one =
          softmax(run.logits[u]).value() * (Real(1) / static_cast<Real>(episodes.episodes));
      if (e == 0) {
        chances.push_back(one);
      } else {
        chances[u] = chances[u] + one;
      }
    }
    quality.in_box.resize(run.places.size());
    for (std::size_t t = 0; t < run.places.size(); ++t) {
      for (std::size_t b = 0; b < part.size(); ++b) {
        const auto row = static_cast<std::int64_t>(b);
        const bool inside = in_gold(part[b], static_cast<double>(run.places[t].at({row, 0})),
                                    static_cast<double>(run.places[t].at({row, 1})));
        const double hit = (inside ? 1. : 0.) / episodes.episodes;
        quality.in_box[t] += hit;
        quality.pointings[first + b] += hit / static_cast<double>(run.places.size());
      }
    }
  }
  return chances;
}

}  // namespace

double GlimpseQuality::error() const {
  return canvases > 0 ? static_cast<double>(wrong) / static_cast<double>(canvases) : 0;
}

double GlimpseQuality::mean_loss() const {
  return canvases > 0 ? loss / static_cast<double>(canvases) : 0;
}

double GlimpseQuality::pointing(std::size_t from) const {
  if (canvases == 0 || from >= in_box.size()) return 0;
  const double hits =
      std::accumulate(in_box.begin() + static_cast<std::ptrdiff_t>(from), in_box.end(), 0.);
  return hits / static_cast<double>(in_box.size() - from) / static_cast<double>(canvases);
}

GlimpseQuality glimpse_quality(const models::GlimpseNetwork& network,
                               std::span<const Canvas> canvases, const GlimpseEpisodes& episodes) {
  if (episodes.episodes < 1) throw UsageError("glimpses: {} episodes", episodes.episodes);
  GlimpseQuality quality;
  Random random(episodes.seed);
  for (std::size_t begin = 0; begin < canvases.size(); begin += kTogether) {
    const auto part = canvases.subspan(begin, std::min(kTogether, canvases.size() - begin));
    const std::vector<Tensor> chances = mean_chances(network, part, episodes, random, quality);
    for (std::size_t b = 0; b < part.size(); ++b) {
      const auto row = static_cast<std::int64_t>(b);
      bool right = true;
      for (std::size_t u = 0; u < part[b].labels.size(); ++u) {
        const int label = part[b].labels[u];
        const bool found = likeliest(chances[u], row) == label;
        quality.loss -= std::log(std::max(static_cast<double>(chances[u].at({row, label})), 1e-30));
        quality.wrong_targets += found ? 0 : 1;
        ++quality.targets;
        right = right && found;
      }
      quality.wrong += right ? 0 : 1;
      quality.wrongs.push_back(right ? 0 : 1);
      ++quality.canvases;
      double area = 0;
      for (const images::Box& box : part[b].boxes) area += static_cast<double>(box.area());
      quality.box_share += area / static_cast<double>(part[b].image.height * part[b].image.width);
    }
  }
  if (quality.canvases > 0) quality.box_share /= static_cast<double>(quality.canvases);
  return quality;
}

std::string PlaceReport::text() const {
  return fmt::format("mean |mu| {:.2f}, spread {:.2f}, {:.0f}% of draws beyond the edge", mean_size,
                     spread, 100 * held);
}

std::string PlaceReport::warning() const {
  if (mean_size > .9 || held > .5) {
    return "places have gone to the edge, where draws are held and teach nothing: lower "
           "--reinforce "
           "or --learning-rate, or begin with --policy random and go on from it by --init-from";
  }
  if (spread < .01) {
    return "it looks at the same places whatever the image: raise --deviation, so that rewards "
           "differ, or lower --learning-rate, so that the classifier does not fit the images "
           "before "
           "places are learnt";
  }
  return {};
}

PlaceReport place_report(const models::GlimpseNetwork& network, std::span<const Canvas> canvases,
                         std::uint64_t seed) {
  PlaceReport report;
  if (canvases.empty()) return report;
  Random random(seed);
  const models::GlimpseRun run =
      network(canvas_tensor(canvases), {.random = &random, .draw = true});
  double numbers = 0, columns = 0;
  for (std::size_t t = 0; t < run.means.size(); ++t) {
    const Tensor& means = run.means[t].value();
    for (std::int64_t axis = 0; axis < 2; ++axis) {
      double sum = 0, squares = 0;
      for (std::int64_t b = 0; b < means.size(0); ++b) {
        const auto mean = static_cast<double>(means.at({b, axis}));
        sum += mean;
        squares += mean * mean;
        report.mean_size += std::abs(mean);
        report.held += std::abs(run.drawn[t].at({b, axis})) > 1 ? 1 : 0;
        ++numbers;
      }
      const auto count = static_cast<double>(means.size(0));
      report.spread += std::sqrt(std::max(0., squares / count - sum / count * (sum / count)));
      ++columns;
    }
  }
  if (columns == 0) return report;
  report.mean_size /= numbers;
  report.held /= numbers;
  report.spread /= columns;
  return report;
}

}  // namespace heed::pipeline
