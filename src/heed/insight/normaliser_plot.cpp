// SPDX-License-Identifier: Apache-2.0
// Pictures of normalisers: curve and regions as SVG shapes.
#include "heed/insight/normaliser_plot.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <string_view>
#include <vector>

namespace heed::insight {
namespace {

using attention::Normaliser;

constexpr double kSide = 300;   // of each panel, in pixels
constexpr double kTop = 56;     // where the panels begin
constexpr double kCurveX = 64;  // left edges of the panels
constexpr double kPlaneX = 436;
constexpr double kReach = 3;  // scores of the curve run from -kReach to kReach
constexpr int kCurvePoints = 481;
constexpr int kCells = 120;  // of the plane, along each side
constexpr std::array kColours = {"#d9d9d9", "#08519c", "#6baed6", "#deebf7"};  // by support size

std::vector<double> weights_of(const Normaliser& normaliser, std::span<const double> scores) {
  std::vector<std::int32_t> keys(scores.size());
  std::iota(keys.begin(), keys.end(), 0);
  const std::vector<double> parameters = normaliser.first_parameters();
  std::vector<double> weights(scores.size());
  normaliser.forward(
      attention::Row<double>{
          .scores = scores, .keys = keys, .parameters = parameters, .random = {.seed = 1}},
      std::span<double>(weights));
  return weights;
}

std::string escaped(std::string_view text) {
  std::string safe;
  for (const char c : text) {
    if (c == '<') {
      safe += "&lt;";
    } else if (c == '&') {
      safe += "&amp;";
    } else {
      safe += c;
    }
  }
  return safe;
}

std::string text_at(double x, double y, std::string_view text, std::string_view anchor = "middle") {
  return fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"{}\">{}</text>\n", x, y, anchor,
                     escaped(text));
}

std::string line(double x1, double y1, double x2, double y2, std::string_view stroke) {
  return fmt::format(
      "<line x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\" stroke=\"{}\"/>\n", x1, y1, x2,
      y2, stroke);
}

// p1 of two keys with scores (t, 0).
std::string curve(const Normaliser& normaliser) {
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

  std::string svg = text_at(kCurveX + kSide / 2, kTop - 10, "weight of the first of two keys");
  for (int t = -static_cast<int>(kReach); t <= kReach; ++t) {
    svg += line(x_of(t), kTop, x_of(t), kTop + kSide, "#eeeeee");
    svg += text_at(x_of(t), kTop + kSide + 18, fmt::format("{}", t));
  }
  for (const double share : {0.0, 0.25, 0.5, 0.75, 1.0}) {
    const double p = low + share * (high - low);
    svg += line(kCurveX, y_of(p), kCurveX + kSide, y_of(p), "#eeeeee");
    svg += text_at(kCurveX - 8, y_of(p) + 4, fmt::format("{:.4g}", p), "end");
  }
  svg += text_at(kCurveX + kSide / 2, kTop + kSide + 38, "θ₁ − θ₂");
  svg += text_at(kCurveX - 40, kTop + 4, "p₁");
  svg += "<polyline class=\"curve\" fill=\"none\" stroke=\"#08519c\" stroke-width=\"2\" points=\"";
  for (int i = 0; i < kCurvePoints; ++i) {
    const double t = kReach * (2.0 * i / (kCurvePoints - 1) - 1);
    svg += fmt::format("{}{:.1f},{:.1f}", i == 0 ? "" : " ", x_of(t),
                       y_of(found[static_cast<std::size_t>(i)]));
  }
  return svg + "\"/>\n";
}

// The plane theta1 + theta2 + theta3 = 1, seen from above: corners of the simplex at these places
// of the unit square, so that a third of each side lies beside it.
struct Place {
  double x = 0;
  double y = 0;
};
constexpr std::array<Place, 3> kCorners = {{{0.5, 0.2113}, {0.25, 0.6443}, {0.75, 0.6443}}};

// Barycentric coordinates, which are the three scores.
std::array<double, 3> scores_at(const Place& place) {
  const auto& [a, b, c] = kCorners;
  const double area = (b.y - c.y) * (a.x - c.x) + (c.x - b.x) * (a.y - c.y);
  const double first = ((b.y - c.y) * (place.x - c.x) + (c.x - b.x) * (place.y - c.y)) / area;
  const double second = ((c.y - a.y) * (place.x - c.x) + (a.x - c.x) * (place.y - c.y)) / area;
  return {first, second, 1 - first - second};
}

// Cells of a row that share a colour become one rectangle.
std::string regions(const Normaliser& normaliser) {
  constexpr double kCell = kSide / kCells;
  std::string svg;
  std::array<bool, kColours.size()> seen{};
  for (int row = 0; row < kCells; ++row) {
    std::size_t before = 0;
    int begin = 0;
    for (int column = 0; column <= kCells; ++column) {
      std::size_t support = kColours.size();  // behind the last cell: like none
      if (column < kCells) {
        const auto scores = scores_at({(column + 0.5) / kCells, (row + 0.5) / kCells});
        const std::vector<double> weights = weights_of(normaliser, scores);
        support = weights.size() - static_cast<std::size_t>(std::ranges::count(weights, 0.0));
        seen[support] = true;
      }
      if (column > 0 && support != before) {
        svg += fmt::format(
            "<rect x=\"{:.2f}\" y=\"{:.2f}\" width=\"{:.2f}\" height=\"{:.2f}\" fill=\"{}\"/>\n",
            kPlaneX + begin * kCell, kTop + row * kCell, (column - begin) * kCell, kCell,
            kColours[before]);
        begin = column;
      }
      before = support;
    }
  }
  svg += "<polygon fill=\"none\" stroke=\"#222222\" stroke-width=\"1.5\" points=\"";
  for (std::size_t i = 0; i < kCorners.size(); ++i) {
    svg += fmt::format("{}{:.1f},{:.1f}", i == 0 ? "" : " ", kPlaneX + kSide * kCorners[i].x,
                       kTop + kSide * kCorners[i].y);
  }
  svg += "\"/>\n";
  constexpr std::array kNames = {"key 1", "key 2", "key 3"};
  for (std::size_t i = 0; i < kCorners.size(); ++i) {
    svg += text_at(kPlaneX + kSide * kCorners[i].x,
                   kTop + kSide * kCorners[i].y + (i == 0 ? -8 : 18), kNames[i]);
  }
  svg += text_at(kPlaneX + kSide / 2, kTop - 10, "keys with a weight, by the scores of three");
  double x = kPlaneX;
  for (std::size_t support = 0; support < kColours.size(); ++support) {
    if (!seen[support]) continue;
    svg += fmt::format(
        "<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"12\" height=\"12\" fill=\"{}\" "
        "stroke=\"#888888\"/>\n",
        x, kTop + kSide + 27, kColours[support]);
    svg += text_at(x + 18, kTop + kSide + 38, fmt::format("{}", support), "start");
    x += 48;
  }
  return svg;
}

}  // namespace

std::string normaliser_svg(const Normaliser& normaliser) {
  normaliser.check(2);
  normaliser.check(3);
  return fmt::format(
             "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"776\" height=\"412\" "
             "viewBox=\"0 0 776 412\" font-family=\"sans-serif\" font-size=\"12\">\n"
             "<title>{0}</title>\n<rect width=\"776\" height=\"412\" fill=\"white\"/>\n"
             "<text x=\"388\" y=\"22\" text-anchor=\"middle\" font-size=\"15\">{0}{1}</text>\n",
             escaped(normaliser.written()), normaliser.draws() ? ", one draw" : "") +
         curve(normaliser) + regions(normaliser) + "</svg>\n";
}

}  // namespace heed::insight
