// SPDX-License-Identifier: Apache-2.0
// `heed look`: what images show and where a model looks at them; or how often it is right, and how
// much of its weights lies where it should.
#include <fmt/format.h>
#include <unistd.h>

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "cli/look/look_report.h"
#include "cli/trace_cli.h"
#include "cli/verb.h"
#include "heed/base/error.h"
#include "heed/base/text.h"
#include "heed/base/threads.h"
#include "heed/explain/explainer.h"
#include "heed/images/image_file.h"
#include "heed/insight/draw/overlay_picture.h"
#include "heed/insight/terminal/overlay_view.h"
#include "heed/metrics/region_lines.h"
#include "heed/pipeline/look/image_batches.h"

namespace heed::cli {
namespace {

using pipeline::ImageLooker;

// Canvases that no training with a usual seed has seen.
constexpr std::uint64_t kLookSeed = 1'000'003;

struct LookVerb {
  std::string model;
  std::vector<std::string> input;
  std::int64_t sample = 0;
  std::int64_t measure = 0;
  bool regions = false;
  std::string looks;
  std::string images;
  std::string labels;
  std::uint64_t seed = kLookSeed;
  bool layers = false;
  std::vector<std::string> explain;
  pipeline::ExplainedTarget target;
  bool show = false;
  std::string draw;
  bool dark = false;
  bool squares = false;
  bool json = false;
  int threads = 0;
  TraceOutput trace;
  Options list;

  LookVerb() {
    list.add("input", input, "images: PNG, JPEG, PPM, PGM or PBM (or gz)").letter('i').kind("FILE");
    list.add("sample", sample,
             "instead of --input: so many images of those held out, or of --images")
        .range(0, 1000);
    list.add("measure", measure, "instead: how often it is right on so many of them")
        .range(0, 10'000'000);
    list.add("regions", regions,
             "with --measure: how much of the weights lies in the image's place on its canvas, and "
             "whether the largest does, beside weights that do not look");
    list.add("looks", looks,
             "with --regions: write weights and boxes of every image to this file, as heed "
             "evaluate --regions reads them")
        .kind("FILE");
    list.add("images", images,
             "an IDX file, or a folder or list of images; otherwise what training kept for "
             "validation")
        .kind("PATH");
    list.add("labels", labels, "what the images of an IDX file show").kind("FILE");
    list.add("seed", seed, "of canvases");
    list.add(
        "layers", layers,
        "patches: show every layer and head of the class token, and the rollout, of one image");
    list.add("explain", explain,
             "show how much each cell speaks for the class instead, by these explainers: "
             "leave_one_out, \"occlusion(width=3)\", gradient_input, integrated_gradients, "
             "attention and the others of heed explain --methods")
        .kind("METHOD");
    list.add("target", target.label, "with --explain: the class; none: the one the model says");
    list.add("show", show, "show where it looked in the terminal");
    list.add("draw", draw, "draw it to this file, .svg or .png").kind("FILE");
    list.add("dark", dark, "draw on a dark ground");
    list.add("squares", squares, "show cells as squares, not blended into each other");
    list.add("json", json, "print JSON");
    list.add("threads", threads, "threads to compute with; 0: one per core").range(0, 1024);
    trace.declare(list);
  }
};

void check(const LookVerb& verb) {
  const int given =
      (verb.input.empty() ? 0 : 1) + (verb.sample > 0 ? 1 : 0) + (verb.measure > 0 ? 1 : 0);
  if (given != 1) {
    throw UsageError(
        "{}: give --input with images, --sample with a number of them, or --measure with a number",
        given == 0 ? "nothing to look at" : "--input, --sample and --measure");
  }
  const std::string ending = lower(std::filesystem::path(verb.draw).extension().string());
  if (!verb.draw.empty() && ending != ".svg" && ending != ".png") {
    throw UsageError("--draw {}: give a name that ends in .svg or .png", verb.draw);
  }
  if (verb.measure > 0 && (!verb.draw.empty() || verb.show || verb.layers || verb.trace.wanted())) {
    throw UsageError(
        "--draw, --show, --layers and --trace take --input or --sample; --measure prints numbers "
        "only");
  }
  if (!verb.explain.empty() && (verb.measure > 0 || verb.layers)) {
    throw UsageError("--explain takes --input or --sample, and not --layers");
  }
  if (!verb.target.label.empty() && verb.explain.empty()) {
    throw UsageError("--target: give --explain with one or more explainers as well");
  }
  if (!verb.looks.empty() && !verb.regions) {
    throw UsageError("--looks: give --measure and --regions as well");
  }
  if (verb.measure == 0 && verb.regions) {
    throw UsageError("--regions: give --measure with a number of images as well");
  }
  if (!verb.labels.empty() && verb.images.empty()) {
    throw UsageError("--labels: give --images, the IDX file of their images, as well");
  }
}

std::vector<corpora::Canvas> canvases_of(const LookVerb& verb, const ImageLooker& looker,
                                         std::int64_t count) {
  if (verb.images.empty()) {
    return pipeline::held_out_canvases(looker.options(), looker.learnt(), count, verb.seed);
  }
  const images::ImageSet set =
      pipeline::read_images_for(looker.learnt(), {verb.images, verb.labels});
  return corpora::fixed_canvases(set, std::min(count, set.size()), looker.learnt().canvas,
                                 verb.seed);
}

std::string written_looks(const ImageLooker& looker, const std::vector<corpora::Canvas>& canvases) {
  std::string text;
  for (const corpora::Canvas& canvas : canvases) {
    const pipeline::ImageLook look = looker.look(canvas.image);
    metrics::RegionLine line{
        .mask = metrics::GoldMask::empty(canvas.image.height, canvas.image.width),
        .rows = looker.grid().rows,
        .columns = looker.grid().columns};
    line.weights.assign(look.weights.data(), look.weights.data() + look.weights.size());
    const images::Box& box = canvas.boxes.front();
    text += metrics::written_region_line(line, {{box.left, box.top, box.right, box.bottom}}) + "\n";
  }
  return text;
}

void run_measure(const LookVerb& verb, const ImageLooker& looker) {
  if (verb.regions && !looker.looks()) {
    throw UsageError(
        "--regions: this model has no weights over cells; train one with --pooling attention");
  }
  const std::vector<corpora::Canvas> canvases = canvases_of(verb, looker, verb.measure);
  const pipeline::LookQuality quality = looker.quality(canvases);
  if (!verb.looks.empty()) verb.trace.files().write(verb.looks, written_looks(looker, canvases));
  fmt::print("{}", verb.json ? look_quality_json(looker, quality, verb.regions)
                             : look_quality_text(looker, quality, verb.regions));
}

struct Seen {
  std::vector<NamedLook> looks{};
  std::vector<std::vector<images::Box>> gold{};  // of each, where it is known
  std::vector<images::Image> images{};
};

Seen seen_of(const LookVerb& verb, const ImageLooker& looker) {
  Seen seen;
  for (const std::string& name : verb.input) {
    images::Image image = images::read_image(name);
    seen.looks.push_back({name, looker.look(image, name)});
    seen.gold.emplace_back();
    seen.images.push_back(std::move(image));
  }
  if (verb.sample == 0) return seen;
  const std::vector<std::string>& names = looker.learnt().names;
  for (corpora::Canvas& canvas : canvases_of(verb, looker, verb.sample)) {
    const std::string label = names[static_cast<std::size_t>(canvas.labels.front())];
    seen.looks.push_back({"shows " + label, looker.look(canvas.image)});
    const bool known = looker.learnt().canvas.side > 0 || looker.learnt().of_scenes();
    seen.gold.push_back(known ? canvas.boxes : std::vector<images::Box>());
    seen.images.push_back(std::move(canvas.image));
  }
  return seen;
}

void explain_all(const LookVerb& verb, const ImageLooker& looker, Seen& seen) {
  std::vector<std::unique_ptr<explain::Explainer>> explainers;
  for (const std::string& written : verb.explain) {
    explainers.push_back(explain::make_explainer(written));
  }
  for (std::size_t i = 0; i < seen.images.size(); ++i) {
    const pipeline::Explained explained =
        looker.explained(seen.images[i], verb.target, seen.looks[i].name);
    seen.looks[i].target = explained.target;
    for (std::size_t m = 0; m < explainers.size(); ++m) {
      seen.looks[i].explanations.push_back(
          {verb.explain[m], explainers[m]->explain(*explained.subject)});
    }
  }
}

// A row of views for each image.
insight::OverlayScene shares_of(const ImageLooker& looker, const Seen& seen) {
  insight::OverlayScene scene;
  for (std::size_t i = 0; i < seen.looks.size(); ++i) {
    const NamedLook& one = seen.looks[i];
    std::vector<pipeline::ImageShares> all;
    for (const ImageExplanation& by : one.explanations) {
      all.push_back({by.method, by.found.shares});
    }
    insight::OverlayScene mine = pipeline::shares_scene(looker, one.look, all);
    if (scene.image.empty()) {
      scene = {.image = mine.image,
               .caption = "orange speaks for the class, blue against it; each to its own range",
               .largest = mine.largest,
               .columns = static_cast<int>(mine.views.size())};
    }
    for (insight::OverlayView& view : mine.views) {
      view.image = mine.image;
      view.label = fmt::format("{}: {}", one.target, view.label);
      view.gold = seen.gold[i];
      scene.views.push_back(std::move(view));
    }
  }
  if (scene.views.empty()) {
    throw UsageError("--explain: no explainer has shares for these images; see what was printed");
  }
  return scene;
}

insight::OverlayScene scene_of(const LookVerb& verb, const ImageLooker& looker, const Seen& seen) {
  if (!verb.explain.empty()) {
    insight::OverlayScene scene = shares_of(looker, seen);
    scene.nearest = verb.squares;
    return scene;
  }
  if (verb.layers) {
    if (seen.images.size() != 1) {
      throw UsageError("--layers shows one image, and there are {}", seen.images.size());
    }
    insight::OverlayScene scene =
        pipeline::layers_scene(looker, looker.look_through(seen.images.front()));
    scene.nearest = verb.squares;
    return scene;
  }
  std::vector<pipeline::ImageLook> looks;
  for (const NamedLook& one : seen.looks) looks.push_back(one.look);
  insight::OverlayScene scene = pipeline::look_scene(looker, looks);
  for (std::size_t i = 0; i < looks.size(); ++i) scene.views[i].gold = seen.gold[i];
  scene.nearest = verb.squares;
  return scene;
}

void run_looks(LookVerb& verb, const ImageLooker& looker) {
  Seen seen = seen_of(verb, looker);
  explain_all(verb, looker, seen);
  fmt::print("{}", verb.json ? looks_json(looker, seen.looks) : looks_text(looker, seen.looks));
  if (verb.trace.wanted()) {
    for (std::size_t i = 0; i < seen.images.size(); ++i) {
      verb.trace.add(looker.traced(seen.images[i], seen.looks[i].name));
    }
  }
  if (verb.show || !verb.draw.empty()) {
    insight::OverlayScene scene = scene_of(verb, looker, seen);
    if (verb.show && !verb.json) {
      fmt::print("\n{}",
                 insight::overlay_view(scene, {.screen = insight::screen_of(STDOUT_FILENO)}));
    }
    if (!verb.draw.empty()) {
      scene.title = model_name(verb.model);
      const insight::PictureStyle style{.theme = verb.dark ? insight::Theme::dark
                                                           : insight::Theme::light};
      verb.trace.files().write(verb.draw, lower(verb.draw).ends_with(".png")
                                              ? insight::overlay_png(scene, style)
                                              : insight::overlay_svg(scene, style));
    }
  }
  verb.trace.finish();
}

void run(LookVerb& verb) {
  check(verb);
  if (verb.threads > 0) set_threads(verb.threads);
  verb.trace.begin(verb.model, "look", verb.input);
  verb.trace.files().check(verb.draw);
  verb.trace.files().check(verb.looks);
  const ImageLooker looker(verb.model);
  verb.measure > 0 ? run_measure(verb, looker) : run_looks(verb, looker);
}

Action set_up(CommandLine& line) {
  auto verb = std::make_shared<LookVerb>();
  line.add("MODEL", verb->model, "model folder that heed train look wrote").required();
  return line.with_options(verb->list, [verb] { run(*verb); });
}

const ListedVerb kListed(
    {.name = "look",
     .summary = "Tell what images show, and where the model looks at them",
     .description =
         "Prints the likeliest classes of each image. The weights of its cells are shown "
         "over it: those of the attention that reads them, or of the class token. With "
         "--explain the signed shares of explainers are shown in their place.",
     .example = "heed look regions --sample 6 --show --draw looks.svg\n"
                "heed look regions --measure 1000 --regions\n"
                "heed look vit --input seven.png --layers --draw layers.svg\n"
                "heed look regions --sample 2 --explain leave_one_out gradient_input attention "
                "--draw why.svg",
     .setup = set_up});

}  // namespace
}  // namespace heed::cli
