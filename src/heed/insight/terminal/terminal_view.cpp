// SPDX-License-Identifier: Apache-2.0
// A title, the chosen form, and what one could look at instead.
#include "heed/insight/terminal/terminal_view.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <vector>

#include "heed/base/text.h"
#include "heed/insight/draw/arcs.h"
#include "heed/insight/draw/links_picture.h"
#include "heed/insight/terminal/arcs_view.h"
#include "heed/insight/terminal/heatmap.h"
#include "heed/insight/terminal/highlight.h"
#include "heed/insight/trace/head_codes.h"
#include "heed/insight/trace/label.h"

namespace heed::insight {
namespace {

std::string counted(std::size_t count, std::string_view what) {
  return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s");
}

std::string matrix_text(const MatrixView& view, const Screen& screen) {
  return fmt::format("{} down, {} across\n\n", view.query_strip, view.key_strip) +
         heatmap(view.weights,
                 {.rows = view.queries, .columns = view.keys, .screen = screen, .masks = true});
}

std::string highlighted_text(const MatrixView& view, const Screen& screen) {
  std::string text = view.chooses ? "words of at least one half underlined\n" : "";
  for (std::size_t q = 0; q < view.queries.size(); ++q) {
    const std::vector<Real> row = view.weights.select(0, static_cast<std::int64_t>(q)).values();
    const std::vector<double> weights(row.begin(), row.end());
    text += fmt::format("\n{}\n{}", view.queries[q],
                        view.chooses ? highlight_chosen(view.keys, weights, screen)
                                     : highlight(view.keys, weights, screen));
  }
  return text;
}

// A line for each query: "chat  cat .91, sat .05".
std::string links_text(const MatrixView& view, double mass, const Screen& screen) {
  std::size_t width = 0;
  for (const std::string& query : view.queries) width = std::max(width, display_width(query));
  const double largest = legend_of(view.weights, screen.colours).largest;
  std::vector<std::vector<std::string>> lines(view.queries.size());
  for (const ViewLink& link : links_of(view, mass)) {
    lines[static_cast<std::size_t>(link.query)].push_back(
        fmt::format("{} {}", view.keys[static_cast<std::size_t>(link.key)],
                    shaded(weight_text(link.weight), link.weight / largest, screen)));
  }
  std::string text =
      fmt::format("each {} token, and the {} tokens that hold {:.0f}% of its weight\n\n",
                  view.query_strip, view.key_strip, 100 * mass);
  for (std::size_t q = 0; q < lines.size(); ++q) {
    text += pad_right(view.queries[q], width + 2) +
            (lines[q].empty() ? "nothing" : join(lines[q], ", ")) + "\n";
  }
  return text;
}

// Layers down, heads across: mean entropy of a row, share of cells above zero.
std::string map_text(const AttentionSet& set) {
  constexpr std::size_t kCell = 15;
  std::set<int> heads;
  for (const TracedHead& head : set.heads) heads.insert(head.head);
  std::string text = fmt::format(
      "{}, all layers and heads\nmean entropy of a row, share of cells above zero\n\n", set.kind);
  std::string line(10, ' ');
  for (const int head : heads) line += pad_right(fmt::format("head {}", head), kCell);
  const auto end_line = [&] {
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + "\n";
  };
  int layer = -1;
  for (const TracedHead& head : set.heads) {
    if (head.layer != layer) {
      end_line();
      layer = head.layer;
      line = pad_right(fmt::format("layer {}", layer), 10);
    }
    const auto column =
        static_cast<std::size_t>(std::distance(heads.begin(), heads.find(head.head)));
    const HeadCodes codes = head_codes(head.weights, 8);
    line = pad_right(line, 10 + kCell * column) +
           fmt::format("{:.1f} bits {:.0f}%", codes.entropy, 100 * codes.density);
  }
  end_line();
  return text;
}

std::string set_text(const AttentionSet& set) {
  std::set<int> layers;
  for (const TracedHead& head : set.heads) layers.insert(head.layer);
  return fmt::format("{} ({}, {})", set.kind, counted(layers.size(), "layer"),
                     counted(set.heads.size(), "head"));
}

// What there is besides; empty when all of the trace was shown.
std::string rest_text(const TraceDocument& document, const TracedExample& example) {
  const bool one_head = example.attentions.size() == 1 && example.attentions[0].heads.size() == 1;
  if (one_head && document.examples.size() == 1) return "";
  std::vector<std::string> sets;
  for (const AttentionSet& set : example.attentions) sets.push_back(set_text(set));
  return fmt::format("\nin this trace: {}; {}\n", counted(document.examples.size(), "example"),
                     join(sets, ", "));
}

}  // namespace

std::string terminal_view(const TraceDocument& document, const PictureOptions& options,
                          const Screen& screen) {
  const TracedExample& example = example_of(document, options.example);
  std::string text;
  if (!example.title.empty()) text += label_of_line(example.title) + "\n";
  const PictureForm form = form_of(document, options);
  if (form == PictureForm::map) {
    text += map_text(set_of(example, options.view.set));
    return text + rest_text(document, example);
  }
  const MatrixView view = form == PictureForm::arcs ? arcs_view(example, options.view)
                                                    : matrix_view(example, options.view);
  text += view.title + (form == PictureForm::text ? "\n" : ": ");
  switch (form) {
    case PictureForm::links:
      text += links_text(view, options.mass, screen);
      break;
    case PictureForm::text:
      text += highlighted_text(text_view(view, options.query), screen);
      break;
    case PictureForm::arcs:
      text += fmt::format("an arrow to each {} token from its likeliest head, ● being the root\n\n",
                          view.query_strip) +
              arcs_text(view, screen);
      break;
    default:
      text += matrix_text(view, screen);
  }
  return text + rest_text(document, example);
}

}  // namespace heed::insight
