// SPDX-License-Identifier: Apache-2.0
// `heed glimpse`: what a model makes of an image or a canvas, with the path of its glimpses; or how
// well it does on many.
#include <fmt/format.h>
#include <unistd.h>

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "cli/glimpse/glimpse_report.h"
#include "cli/trace_cli.h"
#include "cli/verb.h"
#include "heed/base/error.h"
#include "heed/base/text.h"
#include "heed/base/threads.h"
#include "heed/images/image_file.h"
#include "heed/insight/draw/overlay_picture.h"
#include "heed/insight/terminal/overlay_view.h"
#include "heed/pipeline/glimpse/canvas_batches.h"

namespace heed::cli {
namespace {

using corpora::Canvas;
using pipeline::GlimpseReader;

// Canvases that no training with a usual seed has seen.
constexpr std::uint64_t kFreshSeed = 1'000'003;
constexpr int kEpisodes = 10;

struct GlimpseVerb {
  std::string model;
  std::vector<std::string> input;
  std::int64_t number = -1;
  std::int64_t measure = 0;
  std::string images;
  std::string labels;
  std::uint64_t seed = kFreshSeed;
  bool draws = false;
  bool show = false;
  std::string draw;
  bool dark = false;
  bool json = false;
  int threads = 0;
  TraceOutput trace;
  Options list;

  GlimpseVerb() {
    list.add("input", input, "images: PNG, JPEG, PBM, PGM or PPM; made as large as the model's own")
        .letter('i')
        .kind("FILE");
    list.add("number", number,
             "instead of --input: the canvas of this number, from 0 on, made of --images");
    list.add(
            "measure", measure,
            "instead: so many canvases; says how many are wrong by the policy's means, one episode "
            "and ten averaged, with drawn places and with random ones, and where it looked")
        .range(0, 1'000'000);
    list.add("images", images,
             "what canvases are made of, an IDX file, a folder or a TSV; otherwise what training "
             "kept for validation")
        .kind("FILE");
    list.add("labels", labels, "of an IDX file of images: what they are").kind("FILE");
    list.add("seed", seed, "of canvases, first places and draws");
    list.add("drawn", draws, "places are drawn from the policy, as in training, not its means");
    list.add("show", show, "print the path over the image");
    list.add("draw", draw, "draw the path with what each glimpse saw to this file, .svg or .png")
        .kind("FILE");
    list.add("dark", dark, "draw on a dark ground");
    list.add("json", json, "print JSON");
    list.add("threads", threads, "threads to compute with; 0: one per core").range(0, 1024);
    trace.declare(list);
  }
};

void check(const GlimpseVerb& verb) {
  const int given =
      (verb.input.empty() ? 0 : 1) + (verb.number >= 0 ? 1 : 0) + (verb.measure > 0 ? 1 : 0);
  if (given != 1) {
    throw UsageError(
        "{}: give --input with images, --number with that of a canvas, or --measure with how many "
        "canvases",
        given == 0 ? "nothing to look at" : "--input, --number and --measure");
  }
  if (verb.images.empty() && !verb.labels.empty()) {
    throw UsageError("--labels {}: give --images as well", verb.labels);
  }
  if (!verb.input.empty() && !verb.images.empty()) {
    throw UsageError("--images {}: canvases are made of them; it goes with --number and --measure",
                     verb.images);
  }
  const std::string ending = lower(std::filesystem::path(verb.draw).extension().string());
  if (!verb.draw.empty() && ending != ".svg" && ending != ".png") {
    throw UsageError("--draw {}: give a name that ends in .svg or .png", verb.draw);
  }
  if (verb.measure > 0 && (!verb.draw.empty() || verb.show || verb.trace.wanted())) {
    throw UsageError(
        "--draw, --show and --trace take --input or --number; --measure prints numbers "
        "only");
  }
  if (!verb.draw.empty() && verb.input.size() > 1) {
    throw UsageError("--draw {}: one picture for {} images; give one of them", verb.draw,
                     verb.input.size());
  }
}

images::ImageSet images_of(const GlimpseVerb& verb, const GlimpseReader& reader) {
  if (verb.images.empty()) return pipeline::held_out_images(reader.options());
  const pipeline::LearntCanvases& learnt = reader.learnt();
  pipeline::ImageSource source{.images = verb.images, .labels = verb.labels, .names = learnt.names};
  source.form.channels = learnt.channels;
  if (learnt.canvas.side == 0) {
    source.form.height = learnt.height;
    source.form.width = learnt.width;
  }
  images::ImageSet set = pipeline::read_image_source(source);
  if (learnt.canvas.side == 0 && (set.rows != learnt.height || set.columns != learnt.width)) {
    throw DataError("{}: images of {} x {}; the model looks at {} x {}", verb.images, set.columns,
                    set.rows, learnt.width, learnt.height);
  }
  return set;
}

void run_measure(const GlimpseVerb& verb, const GlimpseReader& reader) {
  const std::vector<Canvas> canvases = corpora::fixed_canvases(
      images_of(verb, reader), verb.measure, reader.learnt().canvas, verb.seed);
  std::vector<GlimpseRow> rows;
  const auto add = [&](std::string name, const pipeline::GlimpseEpisodes& episodes) {
    rows.push_back(
        {std::move(name), pipeline::glimpse_quality(reader.network(), canvases, episodes)});
  };
  if (reader.options().model.policy == models::GlimpsePolicy::learnt) {
    add("means, one episode", {.seed = verb.seed});
    add("means, ten averaged", {.episodes = kEpisodes, .seed = verb.seed});
    add("drawn, one episode", {.draw = true, .seed = verb.seed});
    add("random places", {.random = true, .seed = verb.seed});
    const auto report = pipeline::place_report(
        reader.network(), std::span(canvases).first(std::min<std::size_t>(500, canvases.size())),
        verb.seed);
    fmt::print("{}", verb.json ? glimpse_json(rows, &report) : glimpse_table(rows, &report));
    return;
  }
  add("one episode", {.seed = verb.seed});
  if (reader.options().model.policy == models::GlimpsePolicy::random) {
    add("ten averaged", {.episodes = kEpisodes, .seed = verb.seed});
  }
  fmt::print("{}", verb.json ? glimpse_json(rows, nullptr) : glimpse_table(rows, nullptr));
}

std::vector<LookedImage> looks(const GlimpseVerb& verb, const GlimpseReader& reader) {
  const pipeline::GlimpseEpisodes episodes{.draw = verb.draws, .seed = verb.seed};
  std::vector<LookedImage> all;
  for (const std::string& file : verb.input) {
    const images::Image image = reader.fitted(images::read_image(file), file);
    all.push_back({.name = file, .path = reader.look(image, episodes)});
  }
  if (verb.number < 0) return all;
  const images::ImageSet set = images_of(verb, reader);
  const std::int64_t which = verb.number % set.size();
  const Canvas canvas = corpora::draw_canvas(
      set, which, reader.learnt().canvas,
      corpora::canvas_random(verb.seed, 0, static_cast<std::uint64_t>(verb.number)));
  all.push_back(
      {.name = fmt::format("canvas {}", verb.number),
       .path = reader.look(canvas.image, episodes),
       .labels = canvas.labels,
       .boxes = reader.learnt().canvas.side > 0 ? canvas.boxes : std::vector<images::Box>{}});
  return all;
}

void run_looks(GlimpseVerb& verb, const GlimpseReader& reader) {
  const std::vector<LookedImage> all = looks(verb, reader);
  fmt::print("{}", verb.json ? looked_json(reader, all) : looked_text(reader, all));
  for (const LookedImage& one : all) {
    if (verb.trace.wanted()) verb.trace.add(reader.traced(one.path, one.boxes));
    insight::OverlayScene scene = reader.scene(one.path, one.boxes);
    scene.title = fmt::format("{}: {}", one.name, reader.text(one.path.classes));
    scene.subtitle = looked_line(reader, one);
    if (verb.show && !verb.json) {
      fmt::print("\n{}",
                 insight::overlay_view(scene, {.screen = insight::screen_of(STDOUT_FILENO)}));
    }
    if (verb.draw.empty()) continue;
    const insight::PictureStyle style{.theme =
                                          verb.dark ? insight::Theme::dark : insight::Theme::light};
    verb.trace.files().write(verb.draw, lower(verb.draw).ends_with(".png")
                                            ? insight::overlay_png(scene, style)
                                            : insight::overlay_svg(scene, style));
  }
  verb.trace.finish();
}

void run(GlimpseVerb& verb) {
  check(verb);
  if (verb.threads > 0) set_threads(verb.threads);
  verb.trace.begin(verb.model, "glimpse", verb.input);
  verb.trace.files().check(verb.draw);
  const GlimpseReader reader(verb.model);
  verb.measure > 0 ? run_measure(verb, reader) : run_looks(verb, reader);
}

Action set_up(CommandLine& line) {
  auto verb = std::make_shared<GlimpseVerb>();
  line.add("MODEL", verb->model, "model folder that heed train glimpse wrote").required();
  return line.with_options(verb->list, [verb] { run(*verb); });
}

const ListedVerb kListed(
    {.name = "glimpse",
     .summary = "Look at images in glimpses, and show the path and what each glimpse saw",
     .description =
         "Prints the class of each image and, where it is known, whether that is right. Places are "
         "the means of the policy; the first is random, of the seed.",
     .example = "heed glimpse digits --number 7 --show\n"
                "heed glimpse digits --input seven.png --draw path.svg\n"
                "heed glimpse cluttered --measure 5000",
     .setup = set_up});

}  // namespace
}  // namespace heed::cli
