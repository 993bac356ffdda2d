// SPDX-License-Identifier: Apache-2.0
// States in a row, energies under them, weights as a matrix of patterns by steps in line with them.
#include "heed/insight/draw/recall_picture.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "heed/base/error.h"

namespace heed::insight {
namespace {

constexpr double kPicture = 96;  // the longer side of a state
constexpr double kGap = 16;
constexpr double kRow = 14;  // of the matrix
constexpr double kText = 11;
constexpr double kNames = 92;
constexpr std::size_t kMostPatterns = 40;

void check(const RecallScene& scene) {
  if (scene.states.empty() || scene.columns < 1) {
    throw UsageError("a picture of a recall: there is no state to draw");
  }
  const std::size_t units = scene.states.front().size();
  bool fits = units > 0 && units % static_cast<std::size_t>(scene.columns) == 0 &&
              scene.energies.size() == scene.states.size() &&
              scene.weights.size() == scene.states.size() &&
              (scene.known.empty() || scene.known.size() == units);
  for (const auto& state : scene.states) fits = fits && state.size() == units;
  for (const auto& row : scene.weights) fits = fits && row.size() == scene.names.size();
  if (!fits) {
    throw UsageError(
        "a picture of a recall: {} states of {} units in {} columns, {} energies, {} rows of "
        "weights of {} patterns; these do not fit each other",
        scene.states.size(), units, scene.columns, scene.energies.size(), scene.weights.size(),
        scene.names.size());
  }
}

class RecallDrawing {
 public:
  RecallDrawing(const RecallScene& scene, const PictureStyle& style)
      : scene_(scene), style_(style), palette_(palette_of(style.theme)) {
    const double columns = static_cast<double>(scene.columns);
    const double rows = static_cast<double>(scene.states.front().size()) / columns;
    pixel_ = kPicture / std::max(rows, columns);
    wide_ = std::max(pixel_ * columns, 40.);
    tall_ = pixel_ * rows;
    // The heaviest patterns, in the order they are stored in.
    std::vector<double> heaviest(scene.names.size(), 0);
    for (const auto& row : scene.weights) {
      for (std::size_t i = 0; i < row.size(); ++i) {
        heaviest[i] = std::max(heaviest[i], std::abs(row[i]));
        largest_ = std::max(largest_, std::abs(row[i]));
      }
    }
    shown_.resize(scene.names.size());
    std::iota(shown_.begin(), shown_.end(), 0);
    std::ranges::stable_sort(shown_, std::greater(), [&](std::size_t i) { return heaviest[i]; });
    shown_.resize(std::min(shown_.size(), kMostPatterns));
    std::ranges::sort(shown_);
  }

  double largest() const { return largest_; }

  Size size() const {
    const double pictures =
        static_cast<double>(scene_.states.size() + (scene_.known.empty() ? 0 : 1));
    return {kNames + pictures * (wide_ + kGap),
            matrix_top() + kRow * static_cast<double>(shown_.size()) + 2};
  }

  void draw(Canvas& canvas) const {
    for (std::size_t i = 0; i < scene_.states.size(); ++i) {
      label(canvas, i, 6, i == 0 ? "query" : fmt::format("step {}", i));
      draw_state(canvas, i, scene_.states[i]);
      label(canvas, i, energy_line(), fmt::format("{:.4g}", scene_.energies[i]));
    }
    if (!scene_.known.empty()) {
      label(canvas, scene_.states.size(), 6, "stored");
      draw_state(canvas, scene_.states.size(), scene_.known);
    }
    name(canvas, energy_line(), "energy", palette_.dim);
    draw_weights(canvas);
  }

 private:
  double left(std::size_t i) const { return kNames + static_cast<double>(i) * (wide_ + kGap); }
  double energy_line() const { return 16 + tall_ + 12; }
  double matrix_top() const { return energy_line() + 14; }

  void label(Canvas& canvas, std::size_t i, double y, const std::string& text) const {
    canvas.text({left(i) + wide_ / 2, y}, text,
                {.size = kText, .colour = palette_.ink, .align = Align::middle});
  }
  void name(Canvas& canvas, double y, const std::string& text, const Rgb& colour) const {
    canvas.text({kNames - 8, y}, text,
                {.size = kText, .colour = colour, .align = Align::end, .room = kNames - 10});
  }

  // Ink is dark on light and light on dark; what is between the two is between them.
  void draw_state(Canvas& canvas, std::size_t i, const std::vector<double>& state) const {
    std::vector<Rgb> colours;
    colours.reserve(state.size());
    for (const double value : state) {
      const double share = (std::clamp(value, -1., 1.) + 1) / 2;
      const auto mix = [share](double ground, double ink) {
        return ground + share * (ink - ground);
      };
      colours.push_back({mix(palette_.ground.red, palette_.ink.red),
                         mix(palette_.ground.green, palette_.ink.green),
                         mix(palette_.ground.blue, palette_.ink.blue)});
    }
    const double across = pixel_ * static_cast<double>(scene_.columns);
    const Box box{left(i) + (wide_ - across) / 2, 16, across, tall_};
    canvas.cells(box, scene_.columns, colours);
    canvas.outline(box, {.colour = palette_.faint});
  }

  void draw_weights(Canvas& canvas) const {
    const ColourMap colours(style_.colours, style_.theme);
    const double scale = colours.largest(largest_) > 0 ? colours.largest(largest_) : 1;
    for (std::size_t row = 0; row < shown_.size(); ++row) {
      const double y = matrix_top() + kRow * static_cast<double>(row);
      name(canvas, y + kRow / 2, scene_.names[shown_[row]], palette_.ink);
      for (std::size_t i = 0; i < scene_.weights.size(); ++i) {
        const double weight = scene_.weights[i][shown_[row]];
        const Rgb colour = colours.of(weight / scale);
        canvas.fill({left(i), y, wide_, kRow}, colour);
        if (std::abs(weight) < kLeastNumber) continue;
        canvas.text({left(i) + wide_ / 2, y + kRow / 2}, fmt::format("{:.2f}", weight),
                    {.size = kText - 2, .colour = ink_on(colour), .align = Align::middle});
      }
    }
    for (std::size_t i = 0; i < scene_.weights.size(); ++i) {
      canvas.outline({left(i), matrix_top(), wide_, kRow * static_cast<double>(shown_.size())},
                     {.colour = palette_.faint});
    }
  }

  RecallScene scene_;
  PictureStyle style_;
  Palette palette_;
  std::vector<std::size_t> shown_;
  double pixel_ = 0, wide_ = 0, tall_ = 0, largest_ = 0;
};

Drawing drawing_of_recall(const RecallScene& scene, const PictureStyle& style) {
  check(scene);
  const RecallDrawing recall(scene, style);
  Drawing content{.size = recall.size(),
                  .ground = palette_of(style.theme).ground,
                  .title = scene.title,
                  .draw = [recall](Canvas& canvas) { recall.draw(canvas); }};
  return framed(
      std::move(content),
      {.style = style,
       .title = scene.title,
       .subtitle = scene.subtitle,
       .caption = "below each state the weights of the patterns by which the next is made",
       .legend = {.largest = recall.largest()}});
}

}  // namespace

std::string recall_svg(const RecallScene& scene, const PictureStyle& style) {
  return svg_of(drawing_of_recall(scene, style));
}

std::string recall_png(const RecallScene& scene, const PictureStyle& style, double scale) {
  return png_of(drawing_of_recall(scene, style), scale);
}

}  // namespace heed::insight
