// SPDX-License-Identifier: Apache-2.0
// Pictures of normalisers: curve and regions as SVG shapes.
#include "heed/insight/draw/normaliser_plot.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <numbers>
#include <numeric>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "heed/base/error.h"
#include "heed/base/svg.h"

namespace heed::insight {
namespace {

using attention::RowNormaliser;

constexpr double kSide = 300;   // of each panel, in pixels
constexpr double kTop = 56;     // where the panels begin
constexpr double kCurveX = 64;  // left edges of the panels
constexpr double kPlaneX = 436;
constexpr double kReach = 3;  // scores of the curve run from -kReach to kReach
constexpr int kCurvePoints = 481;
constexpr int kCells = 300;  // of the plane, along each side: one per pixel
constexpr std::array kColours = {"#d9d9d9", "#08519c", "#6baed6", "#deebf7"};  // by support size

// Of a part that was not built, what it would start with.
std::vector<double> first_parameters(const RowNormaliser& normaliser) {
  const auto fresh = normaliser.clone();
  Random random(0);
  fresh->build({.heads = 1}, random);
  const Variable parameters = fresh->parameters();
  if (!parameters.defined()) return {};
  const std::vector<Real> values = parameters.value().values();
  return {values.begin(), values.end()};
}

std::vector<double> weights_of(const RowNormaliser& normaliser, std::span<const double> scores) {
  std::vector<std::int32_t> keys(scores.size());
  std::iota(keys.begin(), keys.end(), 0);
  const std::vector<double> parameters = first_parameters(normaliser);
  std::vector<double> weights(scores.size());
  normaliser.forward(
      attention::Row<double>{
          .scores = scores, .keys = keys, .parameters = parameters, .random = {.seed = 1}},
      std::span<double>(weights));
  return weights;
}

std::string line(double x1, double y1, double x2, double y2, std::string_view stroke) {
  return fmt::format(
      "<line x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\" stroke=\"{}\"/>\n", x1, y1, x2,
      y2, stroke);
}

// p1 of two keys with scores (t, 0).
std::string curve(const RowNormaliser& normaliser) {
  std::vector<double> found;
  double low = 0;
  double high = 1;
  for (int i = 0; i < kCurvePoints; ++i) {
    const std::array scores = {kReach * (2.0 * i / (kCurvePoints - 1) - 1), 0.0};
    found.push_back(weights_of(normaliser, scores)[0]);
    low = std::min(low, found.back());
    high = std::max(high, found.back());
  }
  const auto y_of = [&](double p) { return kTop + kSide * (high - p) / (high - low); };
  const auto x_of = [&](double t) { return kCurveX + kSide * (t + kReach) / (2 * kReach); };

  std::string svg = svg_text(kCurveX + kSide / 2, kTop - 10, "weight of the first of two keys");
  for (int t = -static_cast<int>(kReach); t <= kReach; ++t) {
    svg += line(x_of(t), kTop, x_of(t), kTop + kSide, "#eeeeee");
    svg += svg_text(x_of(t), kTop + kSide + 18, fmt::format("{}", t));
  }
  for (const double share : {0.0, 0.25, 0.5, 0.75, 1.0}) {
    const double p = low + share * (high - low);
    svg += line(kCurveX, y_of(p), kCurveX + kSide, y_of(p), "#eeeeee");
    svg += svg_text(kCurveX - 8, y_of(p) + 4, fmt::format("{:.4g}", p), "end");
  }
  svg += svg_text(kCurveX + kSide / 2, kTop + kSide + 38, "θ₁ − θ₂");
  svg += svg_text(kCurveX - 40, kTop + 4, "p₁");
  svg += "<polyline class=\"curve\" fill=\"none\" stroke=\"#08519c\" stroke-width=\"2\" points=\"";
  for (int i = 0; i < kCurvePoints; ++i) {
    const double t = kReach * (2.0 * i / (kCurvePoints - 1) - 1);
    svg += fmt::format("{}{:.1f},{:.1f}", i == 0 ? "" : " ", x_of(t),
                       y_of(found[static_cast<std::size_t>(i)]));
  }
  return svg + "\"/>\n";
}

// The plane theta1 + theta2 + theta3 = 1, seen from above: corners of the simplex at these places
// of the unit square, so that scores up to 3.1 apart find room above it.
struct Place {
  double x = 0;
  double y = 0;
};
constexpr double kEdge = 0.28;  // of the simplex
constexpr double kRoot3 = std::numbers::sqrt3;
constexpr std::array<Place, 3> kCorners = {{{0.5, 0.5 - kEdge / kRoot3},
                                            {0.5 - kEdge / 2, 0.5 + kEdge / (2 * kRoot3)},
                                            {0.5 + kEdge / 2, 0.5 + kEdge / (2 * kRoot3)}}};

// Barycentric coordinates, which are the three scores.
std::array<double, 3> scores_at(const Place& place) {
  const auto& [a, b, c] = kCorners;
  const double area = (b.y - c.y) * (a.x - c.x) + (c.x - b.x) * (a.y - c.y);
  const double first = ((b.y - c.y) * (place.x - c.x) + (c.x - b.x) * (place.y - c.y)) / area;
  const double second = ((c.y - a.y) * (place.x - c.x) + (a.x - c.x) * (place.y - c.y)) / area;
  return {first, second, 1 - first - second};
}

// The keys that get a weight at these scores, one bit each. Less than this is rounding: budget
// gives 1e-17 to a key just left out.
using Support = unsigned;
constexpr double kNoWeight = 1e-12;
Support support_of(const RowNormaliser& normaliser, std::span<const double> scores) {
  const std::vector<double> weights = weights_of(normaliser, scores);
  Support support = 0;
  for (std::size_t i = 0; i < weights.size(); ++i) {
    support |= Support{std::abs(weights[i]) > kNoWeight} << i;
  }
  return support;
}
std::string_view colour_of(Support support) {
  return kColours[static_cast<std::size_t>(std::popcount(support))];
}

// Where the plane has one support.
struct Region {
  std::string path = {};  // its cells, those of a row that lie side by side as one rectangle
  double cells = 0;
  Place sum = {};  // of the cells' centres, in pixels
};

// A cell whose neighbour above or to the left has another support stays white: the border.
std::array<Region, 8> find_regions(const RowNormaliser& normaliser) {
  constexpr double kCell = kSide / kCells;
  constexpr Support kBorder = 8;
  std::array<Region, 8> regions;
  std::array<Support, kCells> above{};
  for (int row = 0; row < kCells; ++row) {
    std::array<Support, kCells> here{};
    std::array<Support, kCells> drawn{};
    for (std::size_t column = 0; column < kCells; ++column) {
      const double x = (static_cast<double>(column) + 0.5) / kCells;
      here[column] = support_of(normaliser, scores_at({x, (row + 0.5) / kCells}));
      const bool border = (column > 0 && here[column] != here[column - 1]) ||
                          (row > 0 && here[column] != above[column]);
      drawn[column] = border ? kBorder : here[column];
    }
    for (auto begin = drawn.begin(); begin != drawn.end();) {
      const auto end = std::find_if(begin, drawn.end(), [&](auto s) { return s != *begin; });
      if (*begin != kBorder) {
        const double x = kPlaneX + kCell * static_cast<double>(begin - drawn.begin());
        const double y = kTop + kCell * row;
        const double cells = static_cast<double>(end - begin);
        Region& region = regions[*begin];
        region.path +=
            fmt::format("M{:g} {:g}h{:g}v{:g}h{:g}z", x, y, cells * kCell, kCell, -cells * kCell);
        region.cells += cells;
        region.sum.x += cells * (x + cells * kCell / 2);
        region.sum.y += cells * (y + kCell / 2);
      }
      begin = end;
    }
    above = here;
  }
  return regions;
}

std::string regions(const RowNormaliser& normaliser) {
  std::string svg = "<g shape-rendering=\"crispEdges\">\n";  // or seams show between the cells
  std::string names;
  const std::array<Region, 8> found = find_regions(normaliser);
  for (Support support = 0; support < found.size(); ++support) {
    const Region& region = found[support];
    if (region.cells == 0) continue;
    svg += fmt::format("<path d=\"{}\" fill=\"{}\"/>\n", region.path, colour_of(support));
    // Named in its middle, but for that of all keys, where the simplex is, and slivers.
    if (support == 7 || 100 * region.cells < kCells * kCells) continue;
    std::string keys;
    for (int key = 0; key < 3; ++key) {
      if ((support >> key & 1) != 0) keys += fmt::format("{}{}", keys.empty() ? "" : " ", key + 1);
    }
    names +=
        fmt::format("<g fill=\"{}\">{}</g>\n", std::popcount(support) == 1 ? "white" : "black",
                    svg_text(region.sum.x / region.cells, region.sum.y / region.cells + 4, keys));
  }
  svg += "</g>\n" + names;
  std::string corners;
  for (const Place& corner : kCorners) {
    corners += fmt::format("{}{:.1f},{:.1f}", corners.empty() ? "" : " ",
                           kPlaneX + kSide * corner.x, kTop + kSide * corner.y);
  }
  // A white rim keeps simplex and names readable where the regions are dark.
  for (const auto& [colour, width] : {std::pair{"white", 4.0}, std::pair{"#222222", 1.5}}) {
    svg += fmt::format("<polygon fill=\"none\" stroke=\"{}\" stroke-width=\"{}\" points=\"{}\"/>\n",
                       colour, width, corners);
  }
  svg += "<g stroke=\"white\" stroke-width=\"3\" paint-order=\"stroke\">\n";
  constexpr std::array kNames = {"key 1", "key 2", "key 3"};
  for (std::size_t i = 0; i < kCorners.size(); ++i) {
    svg += svg_text(kPlaneX + kSide * kCorners[i].x,
                    kTop + kSide * kCorners[i].y + (i == 0 ? -8 : 18), kNames[i]);
  }
  svg += "</g>\n";
  svg += svg_text(kPlaneX + kSide / 2, kTop - 10, "keys with a weight, by the scores of three");
  double x = kPlaneX;
  for (std::size_t size = 0; size < kColours.size(); ++size) {
    bool seen = false;
    for (Support support = 0; support < found.size(); ++support) {
      seen |= found[support].cells > 0 && std::popcount(support) == static_cast<int>(size);
    }
    if (!seen) continue;
    svg += fmt::format(
        "<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"12\" height=\"12\" fill=\"{}\" "
        "stroke=\"#888888\"/>\n",
        x, kTop + kSide + 27, kColours[size]);
    svg += svg_text(x + 18, kTop + kSide + 38, fmt::format("{} key{}", size, size == 1 ? "" : "s"),
                    "start");
    x += 76;
  }
  return svg;
}

}  // namespace

std::string normaliser_svg(const attention::Normaliser& part) {
  const auto* rows = dynamic_cast<const RowNormaliser*>(&part);
  if (rows == nullptr) {
    throw UsageError("{} weighs all queries at once; a curve shows one that weighs each alone",
                     part.card().name);
  }
  const RowNormaliser& normaliser = *rows;
  normaliser.check(2);
  normaliser.check(3);
  return fmt::format(
             "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"776\" height=\"412\" "
             "viewBox=\"0 0 776 412\" font-family=\"sans-serif\" font-size=\"12\">\n"
             "<title>{0}</title>\n<rect width=\"776\" height=\"412\" fill=\"white\"/>\n"
             "<text x=\"388\" y=\"22\" text-anchor=\"middle\" font-size=\"15\">{0}{1}</text>\n",
             svg_escaped(normaliser.written()), normaliser.draws() ? ", one draw" : "") +
         curve(normaliser) + regions(normaliser) + "</svg>\n";
}

}  // namespace heed::insight
