// SPDX-License-Identifier: Apache-2.0
// From the words of the command line to the options of pictures, which the terminal shares.
#include "cli/view_show.h"

#include <fmt/format.h>
#include <unistd.h>

#include "heed/base/error.h"
#include "heed/base/text.h"
#include "heed/insight/draw/canvas.h"
#include "heed/insight/terminal/shade.h"
#include "heed/insight/terminal/terminal_view.h"
#include "heed/insight/trace/label.h"

namespace heed::cli {
namespace {

// A number from 0 on that an int holds.
int whole(const std::string& text, std::string_view what) {
  const std::int64_t number = parse_integer(text, what);
  if (number < 0 || number > 1 << 30) {
    throw UsageError("{} is {}: they count from 0", what, number);
  }
  return static_cast<int>(number);
}

insight::MatrixViewOptions view_options_of(const ViewShow& show) {
  using Choice = ViewShow::Aggregate;
  insight::MatrixViewOptions view{.set = show.set,
                                  .normalise = show.normalise,
                                  .merge_words = show.merge_words,
                                  .hide_special = show.hide_special,
                                  .threshold = show.threshold};
  view.layer = show.layer == "last"  ? insight::kLastLayer
               : show.layer == "all" ? insight::kAllLayers
                                     : whole(show.layer, "--layer");
  if (!show.head.empty()) {
    view.head = whole(show.head, "--head");
    if (show.aggregate == Choice::mean || show.aggregate == Choice::max) {
      throw UsageError("--head {} is one head, and --aggregate {} is of several: give one of them",
                       show.head, show.aggregate == Choice::mean ? "mean" : "max");
    }
  }
  const bool one_head = show.aggregate == Choice::head || !show.head.empty();
  view.aggregate = show.aggregate == Choice::max ? insight::Aggregate::max
                   : one_head                    ? insight::Aggregate::head
                                                 : insight::Aggregate::mean;
  return view;
}

// Boxes in a picture are not what anyone meant to see.
void warn_of_missing_fonts(const insight::TracedExample& example, const std::string& title) {
  int missing = insight::characters_without_font(
      insight::label_of_line(title.empty() ? example.title : title));
  for (const insight::TokenStrip& strip : example.strips) {
    for (const std::string& label : insight::labels_of(strip.tokens)) {
      missing += insight::characters_without_font(label);
    }
  }
  if (missing == 0) return;
  fmt::print(
      stderr,
      "heed view: no font here has {} of the picture's characters, which are drawn as boxes; "
      "fonts-noto-core and fonts-noto-cjk have most\n",
      missing);
}

void write_picture(const std::string& path, const std::string& bytes, const OutputFiles& files) {
  files.write(path, bytes);
  fmt::print("{}: {}\n", path, human_bytes(bytes.size()));
}

}  // namespace

void ViewShow::declare(Options& list) {
  list.add("svg", svg, "draw it to this file as SVG");
  list.add("png", png, "draw it to this file as PNG");
  list.add("form", form, insight::picture_form_names(),
           "of picture and terminal: source across and target down; two rows of words and what "
           "joins them; the text on coloured ground; all layers and heads; where a text looks at "
           "itself, arcs from the head of each word; auto: text for pooling, else matrix");
  list.add("example", example, "which example, counted from 0").at_least(0);
  list.add("set", set, "kind of attention; empty: cross, else pooling, else the first there is");
  list.add("layer", layer, "its number from 0, last, or all of them with --aggregate");
  list.add("head", head, "its number from 0");
  list.add("aggregate", aggregate, {"auto", "head", "mean", "max"},
           "of the layer's heads; auto: the head that --head names, else the mean");
  list.add("normalise", normalise, insight::normalise_names(), "make these sum to one");
  list.add("merge-words", merge_words,
           "pieces of a word as one: of the source added, of the target averaged");
  list.add("hide-special", hide_special, "leave out ends and other tokens that are not words");
  list.add("threshold", threshold, "weights below it count as zero").range(0, 1);
  list.add("mass", mass, "links: the share of each word's weight that they hold")
      .above(0)
      .at_most(1);
  list.add("query", query,
           "text: whose weights, counted from 0, or mean; empty: each of up to four");
  list.add("theme", theme, {"auto", "light", "dark"},
           "auto: light pictures; in the terminal, what it reports");
  list.add("colours", colours, insight::ramp_names(),
           "gray is the classic one, 0 black to 1 white");
  list.add("scale", scale, "PNG: pixels to a point").range(.1, 16);
}

insight::PictureOptions ViewShow::options() const {
  insight::PictureOptions options{
      .form = form,
      .example = static_cast<std::size_t>(example),
      .view = view_options_of(*this),
      .style = {.theme = theme == Theme::dark ? insight::Theme::dark : insight::Theme::light,
                .colours = colours},
      .mass = mass,
      .scale = scale};
  if (!query.empty()) {
    options.query = query == "mean" ? insight::kMeanOfQueries : whole(query, "--query");
  }
  return options;
}

void ViewShow::write_pictures(const insight::TraceDocument& document, const std::string& title,
                              const OutputFiles& files) const {
  insight::PictureOptions chosen = options();
  chosen.title = title;
  warn_of_missing_fonts(insight::example_of(document, chosen.example), title);
  if (!svg.empty()) write_picture(svg, insight::svg_picture(document, chosen), files);
  if (!png.empty()) write_picture(png, insight::png_picture(document, chosen), files);
}

void ViewShow::print(const insight::TraceDocument& document) const {
  insight::Screen screen = insight::screen_of(STDOUT_FILENO);
  screen.colours = colours;
  if (theme == Theme::light) screen.theme = insight::Theme::light;
  if (theme == Theme::dark) screen.theme = insight::Theme::dark;
  fmt::print("{}", insight::terminal_view(document, options(), screen));
}

}  // namespace heed::cli
