// SPDX-License-Identifier: Apache-2.0
// `heed classify`: texts in, labels out; or labelled texts in, and how many are judged right.
#include <fmt/format.h>

#include <memory>

#include "cli/classify/classify_input.h"
#include "cli/classify/classify_output.h"
#include "cli/trace_cli.h"
#include "cli/verb.h"
#include "heed/base/error.h"
#include "heed/base/text.h"
#include "heed/base/threads.h"
#include "heed/base/warning.h"
#include "heed/insight/draw/reliability_plot.h"
#include "heed/pipeline/classify/classify_quality.h"
#include "heed/pipeline/classify/gold_trees.h"
#include "heed/pipeline/text_bounds.h"
#include "heed/text/counted_lines.h"

namespace heed::cli {
namespace {

struct ClassifyVerb {
  std::string model;
  std::string input = "-";
  std::string data;
  std::string evidence;
  std::vector<std::string> evidence_columns;
  std::string trees;
  text::LabelledOptions labelled;
  int threads = 0;
  std::int64_t window = 4096;
  pipeline::ClassifyCall call;
  std::string reliability;
  text::CountedLines cropped;
  ClassifyOutput output;
  TraceOutput trace;
  Options list;

  ClassifyVerb() {
    list.add("model", model, "model folder that heed train classify wrote")
        .letter('m')
        .kind("FOLDER")
        .required();
    list.add("input", input,
             "texts, one per line (or gz), a tab before a second text; or a table, .csv or .jsonl; "
             "-: standard input");
    list.add("data", data, "labelled texts instead: reports how many are classified correctly");
    labelled.declare(list,
                     "of --data and of a table in --input, as in training unless it is said here");
    list.add("evidence", evidence,
             "the words that decide, a line for each of --data: reports how often attention is "
             "highest on one of them, and how well rationales agree with them");
    list.add("evidence-columns", evidence_columns,
             "which columns of --evidence, from 1, are those of the model's aspects; none: all");
    list.add("trees", trees,
             "the trees of --data, a line of heads for each text: reports how many the syntactic "
             "attention of the model finds (heed train classify --syntax)")
        .kind("FILE");
    list.add("threads", threads, "threads to compute with; 0: one per core").range(0, 1024);
    list.add("batch-tokens", call.batch.tokens, "tokens classified together").range(1, 1 << 24);
    list.add("window", window, "lines read and sorted by length at a time").range(1, 1 << 24);
    list.add("longest-text", call.longest,
             "most tokens of a text that are read, from its first on; 0: 1024, or the longest text "
             "of training where that is longer")
        .range(0, 1 << 20);
    call.declare_threshold(list);
    list.add(
            "reliability", reliability,
            "with --data: draw how often predictions are right over how probable they are, to this "
            "file")
        .kind("FILE.svg");
    output.declare(list);
    trace.declare(list);
  }
};

// What the model cannot read of a text; empty: nothing.
std::string problem_of(const text::LabelledText& one, const ClassifyInput& input,
                       const pipeline::Classifier& classifier, std::int64_t longest) {
  if (classifier.takes_second() && one.second.empty()) {
    return input.is_table()
               ? "no text; give two, which this model compares, or leave the row out"
               : "one text, and this model compares two; each line must be TEXT<TAB>SECOND TEXT";
  }
  if (!classifier.takes_second() && !one.second.empty()) {
    return "a tab, and this model reads one text; leave the second out, or say with --text-column "
           "which column of a table to read";
  }
  return classifier.unreadable(one, longest);
}

void give(pipeline::Classification& found, std::uint64_t number,
          const pipeline::Classifier& classifier, ClassifyVerb& verb) {
  print_classification(found, classifier.labels(), verb.output);
  if (found.left_out > 0) verb.cropped.add(number);
  // An empty text has no trace.
  if (verb.trace.wanted() && !found.trace.strips.empty()) verb.trace.add(std::move(found.trace));
}

void report_cropped(const ClassifyVerb& verb, const std::string& name) {
  if (verb.cropped.count == 0) return;
  warn(
      fmt::format("{}: texts whose end was not read, because they are too long: {} "
                  "(--longest-text reads more)",
                  name, verb.cropped.to_string()));
}

void classify_all(const pipeline::Classifier& classifier, ClassifyVerb& verb) {
  ClassifyInput input(verb.input, verb.labelled, classifier);
  std::string problem;
  for (bool more = true; more && problem.empty();) {
    std::vector<text::LabelledText> texts;
    std::vector<std::uint64_t> lines;
    text::LabelledText one;
    std::size_t bytes = 0;
    while (static_cast<std::int64_t>(texts.size()) < verb.window &&
           bytes < pipeline::kMostWindowBytes && (more = input.next(one))) {
      bytes += one.text.size() + one.second.size();
      problem = problem_of(one, input, classifier, verb.call.longest);
      if (!problem.empty()) break;  // once those before it are written
      texts.push_back(std::move(one));
      lines.push_back(input.line());
    }
    std::vector<pipeline::Classification> found = classifier.classify(texts, verb.call);
    for (std::size_t i = 0; i < found.size(); ++i) give(found[i], lines[i], classifier, verb);
    flush_output();
  }
  report_cropped(verb, input.name());
  if (!problem.empty()) throw DataError("{}:{}: {}", input.name(), input.line(), problem);
}

std::vector<std::int64_t> columns_of(const std::vector<std::string>& numbers) {
  std::vector<std::int64_t> columns;
  for (const std::string& number : numbers) {
    columns.push_back(parse_integer(number, "--evidence-columns"));
  }
  return columns;
}

void judge(const pipeline::Classifier& classifier, ClassifyVerb& verb) {
  const std::vector<text::LabelledText> texts = pipeline::read_labelled(
      verb.data, classifier.form(verb.data, verb.labelled), classifier.labels());
  std::vector<pipeline::Evidence> words_that_decide;
  if (!verb.evidence.empty()) {
    words_that_decide =
        pipeline::read_evidence(verb.evidence, texts, verb.data, columns_of(verb.evidence_columns));
  }
  std::vector<text::Heads> trees;
  if (!verb.trees.empty()) trees = pipeline::read_trees(verb.trees, texts, verb.data);
  for (std::size_t i = 0; i < texts.size(); ++i) {
    const std::string problem = classifier.unreadable(texts[i], verb.call.longest);
    if (!problem.empty()) throw DataError("{}: text {}: {}", verb.data, i + 1, problem);
  }
  std::vector<pipeline::Classification> found = classifier.classify(texts, verb.call);
  for (std::size_t i = 0; i < found.size(); ++i) {
    if (found[i].left_out > 0) verb.cropped.add(i + 1);
  }
  report_cropped(verb, verb.data);
  ShownQuality shown;
  if (!verb.evidence.empty()) {
    shown.evidence = pipeline::evidence_found(words_that_decide, found);
  }
  if (classifier.selects()) {
    shown.rationales = pipeline::rationale_quality(found, words_that_decide);
  }
  if (!verb.trees.empty()) shown.trees = pipeline::tree_quality(trees, found);
  const std::vector<pipeline::AspectQuality> qualities =
      pipeline::quality_of(texts, found, classifier.labels());
  print_quality(qualities, shown, verb.output);
  if (!verb.reliability.empty()) {
    std::vector<insight::ReliabilityPanel> panels;
    for (const pipeline::AspectQuality& one : qualities) {
      panels.push_back(
          {.title = one.aspect, .lines = {{"predictions", metrics::reliability(one.judged)}}});
    }
    verb.trace.files().write(verb.reliability, insight::reliability_svg(panels, verb.data));
  }
  for (pipeline::Classification& one : found) {
    if (verb.trace.wanted()) verb.trace.add(std::move(one.trace));
  }
}

void run(ClassifyVerb& verb) {
  if (verb.model.empty()) {
    throw UsageError("--model: say which model folder to use (heed train classify makes one)");
  }
  if (!verb.evidence.empty() && verb.data.empty()) {
    throw UsageError("--evidence: give the texts it belongs to with --data");
  }
  if (!verb.trees.empty() && verb.data.empty()) {
    throw UsageError("--trees: give the texts they belong to with --data");
  }
  if (!verb.reliability.empty() && verb.data.empty()) {
    throw UsageError("--reliability: give labelled texts with --data");
  }
  if (verb.threads > 0) set_threads(verb.threads);
  verb.call.trace = verb.trace.wanted();
  verb.trace.begin(verb.model, "classify", {verb.input, verb.data, verb.evidence, verb.trees});
  verb.trace.files().check(verb.reliability);
  const pipeline::Classifier classifier(verb.model);
  verb.call.attention = verb.data.empty() ? verb.output.needs_attention()
                                          : !verb.evidence.empty() || classifier.selects();
  verb.call.heads = !verb.trees.empty() || verb.output.json;
  if (!verb.trees.empty() && !classifier.parses()) {
    throw UsageError("--trees: {} was trained without --syntax and finds none; leave them out",
                     verb.model);
  }
  if (verb.output.highlight && !classifier.attends()) {
    throw UsageError(
        "--highlight: {} was trained with --attention none and has nothing to show; "
        "leave it out",
        verb.model);
  }
  if (verb.data.empty()) {
    classify_all(classifier, verb);
  } else {
    judge(classifier, verb);
  }
  verb.trace.finish();
}

Action set_up(CommandLine& line) {
  auto verb = std::make_shared<ClassifyVerb>();
  return line.with_options(verb->list, [verb] { run(*verb); });
}

const ListedVerb kListed(
    {.name = "classify",
     .summary = "Classify texts with a trained model, and show what it looked at",
     .description = "Reads lines or the rows of a table, writes a label and its probability for "
                    "each aspect; for an empty line the label is \"-\". With --data it reports how "
                    "good the classifier is. "
                    "Probabilities are calibrated where the training had validation texts.",
     .example = "echo \"A quiet street, but dirty rooms.\" | heed classify --model model "
                "--highlight\n"
                "heed classify --model model --data data/test.tsv --evidence data/test.evidence\n"
                "heed classify --model model --threshold 0.8 < texts.txt\n"
                "heed classify --model model --input reviews.csv --text-column review",
     .setup = set_up});

}  // namespace
}  // namespace heed::cli
