// SPDX-License-Identifier: Apache-2.0
// `heed recognise`: the labels of strips, with where each was found; or how well a model reads
// fresh strips of some lengths.
#include <fmt/format.h>
#include <unistd.h>

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "cli/recognise/recognise_report.h"
#include "cli/trace_cli.h"
#include "cli/verb.h"
#include "heed/base/error.h"
#include "heed/base/text.h"
#include "heed/base/threads.h"
#include "heed/insight/terminal/heatmap.h"
#include "heed/pipeline/recognise/strip_batches.h"

namespace heed::cli {
namespace {

using corpora::Strip;
using pipeline::StripReader;

// Strips that no training with a usual seed has seen.
constexpr std::uint64_t kFreshSeed = 1'000'003;

struct RecogniseVerb {
  std::string model;
  std::string input;
  std::int64_t sample = 0;
  std::int64_t measure = 0;
  std::vector<std::string> lengths;
  std::string images;
  std::string labels;
  std::uint64_t seed = kFreshSeed;
  pipeline::StripSearch search;
  std::int64_t strip = 1;
  std::vector<std::string> beside;
  bool show = false;
  std::string draw;
  bool dark = false;
  bool json = false;
  int threads = 0;
  TraceOutput trace;
  Options list;

  RecogniseVerb() {
    list.add("input", input,
             "strips: a frame of numbers on each line, strips apart by an empty line, \"labels: "
             "...\" before the first where they are known; or a picture, PNG or PGM (or gz)")
        .letter('i')
        .kind("FILE");
    list.add("sample", sample, "instead of --input: a fresh strip of this many labels")
        .range(0, 1000);
    list.add("measure", measure,
             "instead: so many fresh strips of each of --lengths; says how many labels are wrong")
        .range(0, 1'000'000);
    list.add("lengths", lengths,
             "labels of strips that are measured, such as 8 or 3-8; otherwise what it learnt from, "
             "and twice the most of them")
        .kind("N");
    list.add("images", images,
             "digits: pictures that fresh strips are made of, an IDX file; otherwise those that "
             "training kept for validation")
        .kind("FILE");
    list.add("labels", labels, "digits: what they are").kind("FILE");
    list.add("seed", seed, "of fresh strips");
    search.declare(list);
    list.add("show", show, "print where each label was found");
    list.add("strip", strip, "which strip of the input is shown and drawn, from 1").at_least(1);
    list.add("draw", draw, "draw it over the strip to this file, .svg or .png").kind("FILE");
    list.add("beside", beside, "other models of such strips, which read the shown strip as well")
        .kind("MODEL");
    list.add("dark", dark, "draw on a dark ground");
    list.add("json", json, "print JSON");
    list.add("threads", threads, "threads to compute with; 0: one per core").range(0, 1024);
    trace.declare(list);
  }
};

void check(const RecogniseVerb& verb) {
  const int given =
      (verb.input.empty() ? 0 : 1) + (verb.sample > 0 ? 1 : 0) + (verb.measure > 0 ? 1 : 0);
  if (given != 1) {
    throw UsageError(
        "{}: give --input with strips, --sample with a length, or --measure with a "
        "number of strips",
        given == 0 ? "nothing to read" : "--input, --sample and --measure");
  }
  if (verb.images.empty() != verb.labels.empty()) {
    throw UsageError("--images and --labels belong together; give both, or none");
  }
  const std::string ending = lower(std::filesystem::path(verb.draw).extension().string());
  if (!verb.draw.empty() && ending != ".svg" && ending != ".png") {
    throw UsageError("--draw {}: give a name that ends in .svg or .png", verb.draw);
  }
  if (verb.measure > 0 &&
      (!verb.draw.empty() || verb.show || verb.trace.wanted() || !verb.beside.empty())) {
    throw UsageError(
        "--draw, --show, --beside and --trace take --input or --sample; --measure prints numbers "
        "only");
  }
}

images::ImageSet digits_of(const RecogniseVerb& verb, const StripReader& reader) {
  if (reader.learnt().task != pipeline::StripTask::digits) {
    if (verb.images.empty()) return {};
    throw UsageError("--images {}: this model reads symbols, which are made", verb.images);
  }
  if (verb.images.empty()) return pipeline::held_out_digits(reader.options());
  images::ImageSet digits = images::read_idx(verb.images, verb.labels, 10);
  if (digits.rows != reader.learnt().height) {
    throw DataError("{}: pictures of {} rows; the model reads {}", verb.images, digits.rows,
                    reader.learnt().height);
  }
  return digits;
}

void run_measure(const RecogniseVerb& verb, const StripReader& reader) {
  const images::ImageSet digits = digits_of(verb, reader);
  const pipeline::LearntStrips& learnt = reader.learnt();
  std::vector<LabelRange> ranges;
  for (const std::string& one : verb.lengths) ranges.push_back(LabelRange::parse(one));
  if (ranges.empty()) {
    ranges = {{learnt.fewest, learnt.most}, {2 * learnt.most, 2 * learnt.most}};
  }
  std::vector<RangeQuality> rows;
  for (const LabelRange& range : ranges) {
    const std::vector<Strip> strips =
        pipeline::draw_strips(learnt.task, digits,
                              {.count = verb.measure,
                               .fewest = range.fewest,
                               .most = range.most,
                               .seed = verb.seed,
                               .batch = static_cast<std::uint64_t>(range.most)});
    rows.push_back({range, reader.quality(strips, verb.search)});
  }
  fmt::print("{}", verb.json ? range_json(rows) : range_table(rows));
}

std::vector<Strip> strips_of(const RecogniseVerb& verb, const StripReader& reader) {
  const pipeline::LearntStrips& learnt = reader.learnt();
  if (verb.sample > 0) {
    return pipeline::draw_strips(learnt.task, digits_of(verb, reader),
                                 {.fewest = verb.sample, .most = verb.sample, .seed = verb.seed});
  }
  std::vector<Strip> strips = corpora::read_strips(
      verb.input, learnt.form(), [&](const Strip& strip) { return reader.problem_of(strip); });
  if (verb.strip > std::ssize(strips)) {
    throw UsageError("--strip {}: {} has {}", verb.strip, verb.input, strips.size());
  }
  return strips;
}

// The shown strip, and what one of the models made of it.
struct Reading {
  std::string name{};
  std::shared_ptr<const StripReader> reader{};
  RecognisedStrip one{};
};

std::vector<Reading> readings(const RecogniseVerb& verb,
                              const std::shared_ptr<const StripReader>& reader,
                              RecognisedStrip first) {
  std::vector<Reading> all{{model_name(verb.model), reader, std::move(first)}};
  const Strip strip = all.front().one.strip;
  for (const std::string& folder : verb.beside) {
    auto other = std::make_shared<const StripReader>(folder);
    if (other->learnt().task != reader->learnt().task) {
      throw UsageError("--beside {}: it reads other strips than {}; name a model of the same task",
                       folder, verb.model);
    }
    if (const std::string problem = other->problem_of(strip); !problem.empty()) {
      throw UsageError("--beside {}: {}", folder, problem);
    }
    pipeline::LookedAt look = other->look(strip, verb.search);
    all.push_back({model_name(folder), std::move(other), {strip, std::move(look)}});
  }
  return all;
}

void show(const Reading& reading) {
  const pipeline::LookedAt& look = reading.one.look;
  if (look.found.labels.empty()) return;
  std::vector<std::string> labels, frames;
  for (const int label : look.found.labels) {
    labels.push_back(reading.reader->text(std::span(&label, 1)));
  }
  for (std::int64_t s = 0; s < look.weights.size(1); ++s) {
    frames.push_back(fmt::format("{}", s * reading.reader->frames_of_state() + 1));
  }
  fmt::print("\n{}", insight::heatmap(look.weights, {.rows = std::move(labels),
                                                     .columns = std::move(frames),
                                                     .screen = insight::screen_of(STDOUT_FILENO)}));
}

void draw(const RecogniseVerb& verb, const std::vector<Reading>& all) {
  const Reading& first = all.front();
  insight::StripScene scene = strip_scene(*first.reader, first.one.strip);
  scene.title = fmt::format("{}: {}", first.name, first.reader->text(first.one.look.found.labels));
  scene.subtitle = recognised_line(*first.reader, first.one);
  for (const Reading& reading : all) {
    insight::StripLook look = strip_look(*reading.reader, reading.one.look);
    if (look.rows.empty()) continue;
    if (all.size() > 1) look.name = reading.name;
    scene.looks.push_back(std::move(look));
  }
  const insight::PictureStyle style{.theme =
                                        verb.dark ? insight::Theme::dark : insight::Theme::light};
  verb.trace.files().write(verb.draw, lower(verb.draw).ends_with(".png")
                                          ? insight::strip_png(scene, style)
                                          : insight::strip_svg(scene, style));
}

void run_input(RecogniseVerb& verb, const std::shared_ptr<const StripReader>& reader) {
  std::vector<RecognisedStrip> all;
  for (Strip& strip : strips_of(verb, *reader)) {
    pipeline::LookedAt look = reader->look(strip, verb.search);
    if (verb.trace.wanted()) verb.trace.add(reader->traced(look));
    all.push_back({std::move(strip), std::move(look)});
  }
  const std::vector<Reading> shown =
      readings(verb, reader, all[static_cast<std::size_t>(verb.strip - 1)]);
  fmt::print("{}", verb.json ? recognised_json(*reader, all) : recognised_text(*reader, all));
  for (const Reading& reading : shown) {
    if (verb.json) break;
    if (&reading != &shown.front()) {
      fmt::print("\n{}: {}", reading.name,
                 recognised_text(*reading.reader, std::span(&reading.one, 1)));
    }
    if (verb.show) show(reading);
  }
  if (!verb.draw.empty()) draw(verb, shown);
  verb.trace.finish();
}

void run(RecogniseVerb& verb) {
  check(verb);
  if (verb.threads > 0) set_threads(verb.threads);
  verb.trace.begin(verb.model, "recognise", {verb.input});
  verb.trace.files().check(verb.draw);
  const auto reader = std::make_shared<const StripReader>(verb.model);
  verb.measure > 0 ? run_measure(verb, *reader) : run_input(verb, reader);
}

Action set_up(CommandLine& line) {
  auto verb = std::make_shared<RecogniseVerb>();
  line.add("MODEL", verb->model, "model folder that heed train recognise wrote").required();
  return line.with_options(verb->list, [verb] { run(*verb); });
}

const ListedVerb kListed(
    {.name = "recognise",
     .summary = "Read strips of symbols or written digits, and show where each label was found",
     .description = "Prints the labels of each strip and, where they are known, how many are "
                    "wrong. A model that writes by CTC takes the best path, or with --beam prefix "
                    "beam search; one that attends the likeliest labels.",
     .example = "heed recognise symbols --sample 6 --show --beside additive\n"
                "heed recognise symbols --measure 500 --lengths 3-8 16\n"
                "heed recognise digits --input strip.pgm --draw strip.svg",
     .setup = set_up});

}  // namespace
}  // namespace heed::cli
