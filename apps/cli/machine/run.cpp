// SPDX-License-Identifier: Apache-2.0
// `heed run`: what a neural Turing machine makes of sequences of bits, step by step, also with
// slots overwritten on the way; or how well it does on fresh sequences of some lengths.
#include <fmt/format.h>

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "cli/machine/run_report.h"
#include "cli/trace_cli.h"
#include "cli/verb.h"
#include "heed/base/error.h"
#include "heed/base/text.h"
#include "heed/base/threads.h"
#include "heed/base/warning.h"
#include "heed/corpora/bits/bit_files.h"

namespace heed::cli {
namespace {

using corpora::BitForm;
using corpora::BitSequence;
using corpora::BitTask;
using pipeline::MachineRun;

// Sequences that no training with a usual seed has seen.
constexpr std::uint64_t kFreshSeed = 1'000'003;

struct RunVerb {
  std::string model;
  std::string input;
  std::int64_t sample = 0;
  std::int64_t measure = 0;
  std::vector<std::string> lengths;
  std::int64_t repeats = 0;
  std::uint64_t seed = kFreshSeed;
  std::int64_t slots = 0;
  std::vector<std::string> overwrite;
  std::int64_t sequence = 1;
  bool show = false;
  bool json = false;
  std::string draw;
  bool dark = false;
  int threads = 0;
  TraceOutput trace;
  Options list;

  RunVerb() {
    list.add("input", input,
             "sequences: vectors of bits, several on a line, or one on each and sequences apart by "
             "an empty line (or gz); -: standard input")
        .letter('i')
        .kind("FILE");
    list.add("sample", sample,
             "instead of --input: a fresh sequence of the task, of this many vectors (items of "
             "recall, bits of ngrams)")
        .range(0, 10'000);
    list.add("measure", measure,
             "instead: so many fresh sequences of each of --lengths; says how many bits are wrong")
        .range(0, 1'000'000);
    list.add("lengths", lengths, "lengths that are measured; otherwise the longest it learnt from")
        .kind("N");
    list.add("repeats", repeats, "repeat-copy: repeats of fresh sequences; 0: the most it learnt")
        .range(0, 1000);
    list.add("seed", seed, "of fresh sequences");
    list.add("slots", slots, "slots of the machine; 0: as many as it learnt with")
        .range(0, 100'000);
    list.add("overwrite", overwrite,
             "before the first step that asks, or before STEP, give this slot what slot OTHER "
             "holds, "
             "or what it held itself at first; all count from 1")
        .kind("SLOT[=OTHER][@STEP]");
    list.add("show", show, "print the tape: every step with what the heads looked at");
    list.add("sequence", sequence, "which sequence of the input is shown and drawn, from 1")
        .at_least(1);
    list.add("draw", draw, "draw the tape to this file, .svg or .png").kind("FILE");
    list.add("dark", dark, "draw on a dark ground");
    list.add("json", json, "print JSON");
    list.add("threads", threads, "threads to compute with; 0: one per core").range(0, 1024);
    trace.declare(list);
  }
};

void check(const RunVerb& verb) {
  const int given =
      (verb.input.empty() ? 0 : 1) + (verb.sample > 0 ? 1 : 0) + (verb.measure > 0 ? 1 : 0);
  if (given != 1) {
    throw UsageError(
        "{}: give --input with bits, --sample with a length, or --measure with a number of "
        "sequences",
        given == 0 ? "nothing to run on" : "--input, --sample and --measure");
  }
  const std::string ending = lower(std::filesystem::path(verb.draw).extension().string());
  if (!verb.draw.empty() && ending != ".svg" && ending != ".png") {
    throw UsageError("--draw {}: give a name that ends in .svg or .png", verb.draw);
  }
  const bool one =
      !verb.draw.empty() || verb.show || verb.trace.wanted() || !verb.overwrite.empty();
  if (verb.measure > 0 && one) {
    throw UsageError(
        "--draw, --show, --trace and --overwrite take --input or --sample; --measure prints "
        "numbers "
        "only");
  }
}

corpora::DrawnBits fresh(const RunVerb& verb, const BitForm& form, std::int64_t length,
                         std::int64_t count) {
  if (form.task == BitTask::given) {
    throw UsageError(
        "this model learnt from a file, of which no fresh sequences can be made; give "
        "--input, or heed compare a file");
  }
  return {.form = form,
          .count = count,
          .length = length,
          .repeats = verb.repeats > 0 ? verb.repeats : form.most_repeats,
          .seed = verb.seed,
          .batch = static_cast<std::uint64_t>(length)};
}

void run_measure(const RunVerb& verb, const pipeline::MachineRunner& runner) {
  const BitForm& form = runner.form();
  std::vector<std::int64_t> lengths;
  for (const std::string& one : verb.lengths) lengths.push_back(parse_integer(one, "--lengths"));
  if (lengths.empty()) lengths = {form.longest};
  std::vector<LengthQuality> rows;
  for (const std::int64_t length : lengths) {
    const std::vector<BitSequence> sequences =
        corpora::draw_bits(fresh(verb, form, length, verb.measure));
    LengthQuality& row = rows.emplace_back(LengthQuality{length, runner.quality(sequences)});
    if (form.task != BitTask::ngrams) continue;
    for (const BitSequence& one : sequences) {
      row.best_cost += corpora::best_ngram_cost(one) / static_cast<double>(sequences.size());
    }
  }
  fmt::print("{}", verb.json ? length_json(form.task, rows) : length_table(form.task, rows));
}

std::vector<BitSequence> sequences_of(const RunVerb& verb, const pipeline::MachineRunner& runner) {
  const BitForm& form = runner.form();
  if (verb.sample > 0) return corpora::draw_bits(fresh(verb, form, verb.sample, 1));
  std::vector<BitSequence> sequences;
  for (const corpora::BitLines& lines : corpora::read_bit_lines(verb.input)) {
    try {
      sequences.push_back(corpora::posed(form, lines.vectors, lines.where));
    } catch (const UsageError& error) {
      throw DataError("{}", error.what());
    }
    const auto vectors = std::ssize(lines.vectors);
    const models::TuringMachine* machine = runner.machine();
    if (form.task == BitTask::copy && machine != nullptr && vectors > machine->options().slots) {
      warn(fmt::format("{}: {} vectors for {} slots: the first are overwritten; give --slots {}",
                       lines.where, vectors, machine->options().slots, vectors));
    }
  }
  if (verb.sequence > std::ssize(sequences)) {
    throw UsageError("--sequence {}: {} has {}", verb.sequence, verb.input, sequences.size());
  }
  return sequences;
}

void draw_tape(const RunVerb& verb, const BitForm& form, const MachineRun& run,
               const std::vector<std::int64_t>& marks) {
  insight::TapeScene scene = tape_scene(form, run);
  scene.marks = marks;
  scene.title = model_name(verb.model);
  scene.subtitle = run_line(run) + (scene.subtitle.empty() ? "" : "; " + scene.subtitle);
  const insight::PictureStyle style{.theme =
                                        verb.dark ? insight::Theme::dark : insight::Theme::light};
  verb.trace.files().write(verb.draw, lower(verb.draw).ends_with(".png")
                                          ? insight::tape_png(scene, style)
                                          : insight::tape_svg(scene, style));
}

void run_input(RunVerb& verb, const pipeline::MachineRunner& runner) {
  std::vector<pipeline::Overwritten> overwritten;
  for (const std::string& one : verb.overwrite) {
    overwritten.push_back(pipeline::parse_overwritten(one));
  }
  std::vector<MachineRun> runs;
  std::string text;
  for (const BitSequence& sequence : sequences_of(verb, runner)) {
    const MachineRun& run = runs.emplace_back(runner.run(sequence, overwritten));
    text += fmt::format("{}\n  {}\n", run.answer(), run_line(run));
    if (!overwritten.empty()) {
      const std::vector<std::int64_t> changed = run.changed(runner.run(sequence));
      text += fmt::format("  slot {} overwritten: {}\n", join(verb.overwrite, ", "),
                          change_line(changed));
    }
  }
  fmt::print("{}", verb.json ? run_json(runs) : text);
  const MachineRun& chosen = runs[static_cast<std::size_t>(verb.sequence - 1)];
  if (verb.show && !verb.json) fmt::print("\n{}", tape_text(runner.form(), chosen));
  if (verb.trace.wanted()) {
    for (const MachineRun& run : runs) verb.trace.add(runner.traced(run));
  }
  if (!verb.draw.empty()) {
    std::vector<std::int64_t> marks;
    for (const pipeline::Overwritten& one : overwritten) {
      marks.push_back(one.step >= 0 ? one.step : chosen.first_asked());
    }
    draw_tape(verb, runner.form(), chosen, marks);
  }
  verb.trace.finish();
}

void run(RunVerb& verb) {
  check(verb);
  if (verb.threads > 0) set_threads(verb.threads);
  verb.trace.begin(verb.model, "machine", {verb.input});
  verb.trace.files().check(verb.draw);
  const pipeline::MachineRunner runner(verb.model, verb.slots);
  verb.measure > 0 ? run_measure(verb, runner) : run_input(verb, runner);
}

Action set_up(CommandLine& line) {
  auto verb = std::make_shared<RunVerb>();
  line.add("MODEL", verb->model, "model folder that heed train machine wrote").required();
  return line.with_options(verb->list, [verb] { run(*verb); });
}

const ListedVerb kListed(
    {.name = "run",
     .summary = "Run a neural Turing machine on bits, and see what its heads do",
     .description =
         "Prints, for each sequence of the input, the bits that the machine answers, and "
         "how many are wrong. The task lays the vectors out as steps: copy needs only "
         "the vectors; repeat-copy the number of repeats with the last, 1011:3; recall "
         "items of three vectors, the last of which is asked for; sort a priority with "
         "each, 1011:0.5.",
     .example = "heed run copy --input bits.txt --show\n"
                "heed run copy --sample 20 --draw tape.svg --overwrite 5=3\n"
                "heed run copy --measure 100 --lengths 20 60",
     .setup = set_up});

}  // namespace
}  // namespace heed::cli
