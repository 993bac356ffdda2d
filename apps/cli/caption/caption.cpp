// SPDX-License-Identifier: Apache-2.0
// `heed caption`: what is in pictures, and where each word looked; or how good a model is at it.
#include <fmt/format.h>
#include <unistd.h>

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "cli/caption/caption_report.h"
#include "cli/trace_cli.h"
#include "cli/verb.h"
#include "heed/base/error.h"
#include "heed/base/text.h"
#include "heed/base/threads.h"
#include "heed/corpora/scenes/scene_set.h"
#include "heed/images/image_file.h"
#include "heed/insight/draw/overlay_picture.h"
#include "heed/insight/terminal/overlay_view.h"

namespace heed::cli {
namespace {

using pipeline::CaptionWriter;

// Scenes that no training with a usual seed has seen.
constexpr std::uint64_t kFreshScenes = 1'000'003;

struct CaptionVerb {
  std::string model;
  std::vector<std::string> input;
  std::int64_t sample = 0;
  std::int64_t measure = 0;
  std::vector<std::string> data;
  std::uint64_t seed = kFreshScenes;
  pipeline::CaptionSearch search;
  bool show = false;
  std::string draw;
  std::int64_t picture = 1;
  bool nearest = false;
  bool dark = false;
  bool json = false;
  int threads = 0;
  TraceOutput trace;
  Options list;

  CaptionVerb() {
    list.add("input", input, "pictures: PNG, JPEG, PGM or PPM").letter('i').kind("FILE");
    list.add("sample", sample, "instead of --input: so many fresh scenes").range(0, 1000);
    list.add("measure", measure,
             "instead: so many fresh scenes of each part: test, test-far (four objects) and "
             "test-new (new pairs of colour and shape)")
        .range(0, 100'000);
    list.add("data", data,
             "instead: tables of captions whose pictures are measured, such as "
             "scenes/test.captions.tsv")
        .kind("FILE");
    list.add("seed", seed, "of fresh scenes");
    search.declare(list);
    list.add("show", show, "print where each word looked");
    list.add("picture", picture, "which picture is shown and drawn, from 1").at_least(1);
    list.add("draw", draw, "draw it once for every word to this file, .svg or .png").kind("FILE");
    list.add("nearest", nearest, "draw cells as squares");
    list.add("dark", dark, "draw on a dark ground");
    list.add("json", json, "print JSON");
    list.add("threads", threads, "threads to compute with; 0: one per core").range(0, 1024);
    trace.declare(list);
  }
};

void check(const CaptionVerb& verb) {
  const int given = (verb.input.empty() ? 0 : 1) + (verb.sample > 0 ? 1 : 0) +
                    (verb.measure > 0 ? 1 : 0) + (verb.data.empty() ? 0 : 1);
  if (given != 1) {
    throw UsageError(
        "{}: give --input with pictures, --sample or --measure with a number of scenes, or --data "
        "with a table",
        given == 0 ? "nothing to read" : "--input, --sample, --measure and --data");
  }
  const std::string ending = lower(std::filesystem::path(verb.draw).extension().string());
  if (!verb.draw.empty() && ending != ".svg" && ending != ".png") {
    throw UsageError("--draw {}: give a name that ends in .svg or .png", verb.draw);
  }
  if ((verb.measure > 0 || !verb.data.empty()) &&
      (!verb.draw.empty() || verb.show || verb.trace.wanted())) {
    throw UsageError(
        "--draw, --show and --trace take --input or --sample; --measure and --data print numbers "
        "only");
  }
}

void run_measure(const CaptionVerb& verb, const CaptionWriter& writer) {
  std::vector<MeasuredCaptions> rows;
  for (const std::string& table : verb.data) {
    rows.push_back(
        {std::filesystem::path(table).filename().string(),
         writer.quality(pipeline::pictures_of_table(table, writer.form()), verb.search)});
  }
  for (const corpora::ScenePart part :
       {corpora::ScenePart::test, corpora::ScenePart::far, corpora::ScenePart::fresh}) {
    if (verb.measure == 0) break;
    rows.push_back(
        {std::string(corpora::kScenePartNames[static_cast<std::size_t>(part)]),
         writer.quality(corpora::make_scenes(part, {.seed = verb.seed, .size = verb.measure}),
                        verb.search)});
  }
  fmt::print("{}", verb.json ? caption_table_json(rows) : caption_table(rows));
}

std::vector<ShownCaption> pictures_of(const CaptionVerb& verb, const CaptionWriter& writer) {
  std::vector<ShownCaption> all;
  for (const std::string& file : verb.input) {
    all.push_back(
        {.name = file,
         .picture = pipeline::picture_in_form(images::read_image(file), writer.form(), file)});
  }
  if (verb.sample > 0) {
    const corpora::PictureSet set =
        corpora::make_scenes(corpora::ScenePart::test, {.seed = verb.seed, .size = verb.sample});
    for (std::int64_t i = 0; i < set.size(); ++i) {
      all.push_back({.name = fmt::format("scene {}", i + 1),
                     .picture = set.images.image(i),
                     .said = set.of[static_cast<std::size_t>(i)]});
    }
  }
  for (ShownCaption& one : all) one.look = writer.look(one.picture, verb.search);
  return all;
}

void run_pictures(CaptionVerb& verb, const CaptionWriter& writer) {
  const std::vector<ShownCaption> all = pictures_of(verb, writer);
  if (verb.picture > std::ssize(all)) {
    throw UsageError("--picture {}: there are {}", verb.picture, all.size());
  }
  const ShownCaption& shown = all[static_cast<std::size_t>(verb.picture - 1)];
  if (verb.json) {
    fmt::print("{}", captions_json(all));
  } else {
    for (const ShownCaption& one : all) fmt::print("{}", caption_text(one));
  }
  if (verb.trace.wanted()) {
    for (const ShownCaption& one : all) verb.trace.add(writer.traced(one.picture, one.look));
  }
  if (verb.show || !verb.draw.empty()) {
    insight::OverlayScene scene = caption_scene(writer, shown);
    scene.nearest = verb.nearest;
    if (verb.show && !verb.json) {
      fmt::print("\n{}",
                 insight::overlay_view(scene, {.screen = insight::screen_of(STDOUT_FILENO)}));
    }
    if (!verb.draw.empty()) {
      const insight::PictureStyle style{.theme = verb.dark ? insight::Theme::dark
                                                           : insight::Theme::light};
      verb.trace.files().write(verb.draw, lower(verb.draw).ends_with(".png")
                                              ? insight::overlay_png(scene, style)
                                              : insight::overlay_svg(scene, style));
    }
  }
  verb.trace.finish();
}

void run(CaptionVerb& verb) {
  check(verb);
  if (verb.threads > 0) set_threads(verb.threads);
  verb.trace.begin(verb.model, "caption", verb.input);
  verb.trace.files().check(verb.draw);
  const CaptionWriter writer(verb.model);
  verb.measure > 0 || !verb.data.empty() ? run_measure(verb, writer) : run_pictures(verb, writer);
}

Action set_up(CommandLine& line) {
  auto verb = std::make_shared<CaptionVerb>();
  line.add("MODEL", verb->model, "model folder that heed train caption wrote").required();
  return line.with_options(verb->list, [verb] { run(*verb); });
}

const ListedVerb kListed(
    {.name = "caption",
     .summary = "Say what is in pictures, and show where each word looked",
     .description = "Writes a caption of each picture. --measure and --data say how many are right "
                    "to the last word, their BLEU, and how much of the attention lies on what the "
                    "words speak of: its mass in the mask and how often its largest weight points "
                    "there, at the word and at the next, beside even weights and a bell in the "
                    "middle.",
     .example = "heed caption captions --sample 1 --show --draw words.svg\n"
                "heed caption captions --measure 500\n"
                "heed caption captions --data scenes/test.captions.tsv",
     .setup = set_up});

}  // namespace
}  // namespace heed::cli
