// SPDX-License-Identifier: Apache-2.0
// `heed probe`: what the layers of a model know of the words of texts.
#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>

#include "cli/output_files.h"
#include "cli/verb.h"
#include "heed/base/error.h"
#include "heed/base/progress.h"
#include "heed/base/text.h"
#include "heed/base/threads.h"
#include "heed/insight/draw/line_plot.h"
#include "heed/pipeline/probing.h"
#include "heed/text/heads.h"
#include "heed/text/lines.h"
#include "heed/text/word_labels.h"

namespace heed::cli {
namespace {

using nlohmann::json;

enum class Built { file, word, position, class_, depth };

struct ProbeVerb {
  std::string model, data, labels, links, svg;
  Built label = Built::file;
  std::int64_t column = 0;
  int threads = 0;
  bool as_json = false;
  pipeline::ProbingOptions options;
  OutputFiles files;
  Options list;

  ProbeVerb() {
    list.add("model", model, "model folder").letter('m').kind("FOLDER").required();
    list.add("data", data, "texts, one a line; of a table with tabs the last column")
        .kind("FILE")
        .required();
    list.add("column", column, "of a table: the column of the text, from 1; 0: the last")
        .at_least(0);
    list.add("labels", labels,
             "a line for each text: a label for each of its words, spaces between them")
        .kind("FILE");
    list.add("label", label, {"file", "word", "position", "class", "depth"},
             "what is read off: the labels of --labels, which word it is, its place, the first "
             "column of its text's row, or how deep it hangs by --links");
    list.add("links", links, "for --label depth: the head of each word, as in files of .heads")
        .kind("FILE");
    options.declare(list);
    list.add("svg", svg, "draw accuracy by layer").kind("FILE");
    list.add("threads", threads, "threads to compute with; 0: one per core").range(0, 1024);
    list.add("json", as_json, "write JSON");
    files.declare(list);
  }
};

// How many words there are between a word and the root.
std::string depth_of(const text::Heads& heads, std::size_t word) {
  std::size_t depth = 0;
  for (auto at = static_cast<std::int32_t>(word); heads[static_cast<std::size_t>(at)] != at;
       at = heads[static_cast<std::size_t>(at)]) {
    ++depth;
  }
  return std::to_string(depth);
}

// The lines of a file beside the texts, one for each.
std::vector<std::string> beside(const std::string& file, std::size_t texts,
                                const std::string& data) {
  std::vector<std::string> lines = text::read_lines(file);
  if (lines.size() != texts) {
    throw DataError("{} has {} lines, {} has {}; they go line by line", file, lines.size(), data,
                    texts);
  }
  return lines;
}

std::vector<pipeline::LabelledWords> read_texts(const ProbeVerb& verb) {
  const std::vector<std::string> rows = text::read_lines(verb.data);
  const std::string& other = verb.label == Built::depth ? verb.links : verb.labels;
  std::vector<std::string> lines;
  if (verb.label == Built::file || verb.label == Built::depth) {
    lines = beside(other, rows.size(), verb.data);
  }
  std::vector<pipeline::LabelledWords> texts;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const std::vector<std::string_view> columns = split(rows[i], '\t');
    if (verb.column > static_cast<std::int64_t>(columns.size())) {
      throw DataError("{}:{}: {} columns, and --column is {}", verb.data, i + 1, columns.size(),
                      verb.column);
    }
    std::string text(verb.column > 0 ? columns[static_cast<std::size_t>(verb.column - 1)]
                                     : columns.back());
    const std::string where = fmt::format("{}:{}", other, i + 1);
    if (verb.label == Built::file) {
      std::vector<std::string> labels = text::parse_word_labels(lines[i], text, where);
      texts.push_back({std::move(text), std::move(labels)});
      continue;
    }
    if (verb.label == Built::class_ && columns.size() < 2) {
      throw DataError("{}:{}: --label class takes a table, its class first and a tab after it",
                      verb.data, i + 1);
    }
    const text::Heads heads =
        verb.label == Built::depth ? text::parse_heads(lines[i], where) : text::Heads();
    const auto label = [&](std::size_t w, std::string_view word) -> std::string {
      if (verb.label == Built::word) return std::string(word);
      if (verb.label == Built::position) return std::to_string(w + 1);
      if (verb.label == Built::class_) return std::string(columns.front());
      return w < heads.size() ? depth_of(heads, w) : std::string();
    };
    texts.push_back(pipeline::labelled_words(std::move(text), label));
    const std::size_t words = texts.back().labels.size();
    if (verb.label == Built::depth && heads.size() != words) {
      throw DataError("{}: {} heads for a text of {} words; give one for each", where, heads.size(),
                      words);
    }
  }
  return texts;
}

json to_json(const insight::ProbeResult& one) {
  return {{"accuracy", one.accuracy},
          {"control", one.control},
          {"selectivity", one.selectivity()},
          {"code_bits", one.code_bits},
          {"compression", one.compression()}};
}

std::string probing_json(const pipeline::Probing& found) {
  json object = {{"texts", found.texts},
                 {"words", found.words},
                 {"learnt", found.learnt},
                 {"left_out", found.left_out},
                 {"labels", found.labels},
                 {"commonest", found.baselines.commonest},
                 {"by_word", found.baselines.by_word},
                 {"layers", json::array()}};
  for (const pipeline::ProbedLayer& one : found.layers) {
    object["layers"].push_back({{"name", one.name},
                                {"width", one.width},
                                {"linear", to_json(one.linear)},
                                {"mlp", to_json(one.deep)}});
  }
  return object.dump(2) + "\n";
}

void print(const pipeline::Probing& found) {
  fmt::print(
      "{} words of {} texts, {} of them held out; {} labels, such as {}\n", found.words,
      found.texts, found.words - found.learnt, found.labels.size(),
      join(std::span(found.labels).first(std::min<std::size_t>(found.labels.size(), 5)), ", "));
  if (found.left_out > 0) {
    fmt::print("{} texts left out: the model does not have their words one by one\n",
               found.left_out);
  }
  fmt::print(
      "the commonest label is right for {:.3f} of the words, the word's own commonest for "
      "{:.3f}\n\n",
      found.baselines.commonest, found.baselines.by_word);
  fmt::print("{:20}{:>8}  {:>8} {:>8} {:>11} {:>7} {:>12}\n", "layer", "probe", "accuracy",
             "control", "selectivity", "bits", "compression");
  for (const pipeline::ProbedLayer& one : found.layers) {
    for (const bool deep : {false, true}) {
      const insight::ProbeResult& mine = deep ? one.deep : one.linear;
      fmt::print("{:20}{:>8}  {:8.3f} {:8.3f} {:+11.3f} {:7.0f} {:12.2f}\n",
                 deep ? std::string() : one.name, deep ? "mlp" : "linear", mine.accuracy,
                 mine.control, mine.selectivity(), mine.code_bits, mine.compression());
    }
  }
}

std::string probing_svg(const pipeline::Probing& found) {
  std::vector<insight::PlotLine> lines = {
      {.name = "linear"}, {.name = "mlp"}, {.name = "linear, control labels"}};
  for (std::size_t i = 0; i < found.layers.size(); ++i) {
    const pipeline::ProbedLayer& one = found.layers[i];
    const auto x = static_cast<double>(i);
    lines[0].points.push_back({x, one.linear.accuracy, one.name});
    lines[1].points.push_back({x, one.deep.accuracy, one.name});
    lines[2].points.push_back({x, one.linear.control, one.name});
  }
  return insight::line_svg(lines, {.title = "What can be read off each layer",
                                   .x = {.label = "layer"},
                                   .y = {.label = "accuracy", .low = 0, .high = 1}});
}

void run(ProbeVerb& verb) {
  for (const auto& [name, value] : {std::pair("model", &verb.model), {"data", &verb.data}}) {
    if (value->empty()) throw UsageError("--{}: it is needed; see heed probe --help", name);
  }
  if (verb.label == Built::file && verb.labels.empty()) {
    throw UsageError(
        "--labels: say which file has the labels of the words, or what to read off by "
        "--label word, position, class or depth");
  }
  if (verb.label == Built::depth && verb.links.empty()) {
    throw UsageError("--label depth: say which file has the heads of the words: --links");
  }
  if (verb.threads > 0) set_threads(verb.threads);
  verb.files.reads({verb.data, verb.labels, verb.links});
  verb.files.check(verb.svg);
  const std::vector<pipeline::LabelledWords> texts = read_texts(verb);
  const std::unique_ptr<pipeline::Model> model = pipeline::open_model(verb.model);
  Progress progress({.what = "probe", .total = 1000});
  const pipeline::Probing found = pipeline::probed(
      *model, texts, verb.options,
      [&](std::uint64_t done, std::uint64_t total) { progress.update(1000 * done / total); });
  progress.clear();
  if (!verb.svg.empty()) verb.files.write(verb.svg, probing_svg(found));
  if (verb.as_json) {
    fmt::print("{}", probing_json(found));
  } else {
    print(found);
  }
}

Action set_up(CommandLine& line) {
  auto verb = std::make_shared<ProbeVerb>();
  return line.with_options(verb->list, [verb] { run(*verb); });
}

const ListedVerb kListed(
    {.name = "probe",
     .summary = "Ask what each layer of a model knows of the words of texts",
     .description =
         "Trains small classifiers, linear and not, to read a label of each word off its state or "
         "off its rows of attention, layer by layer. Beside them stand the commonest label, random "
         "labels of words (control tasks, Hewitt & Liang 2019), and how short the labels can be "
         "sent with the help of the layer (Voita & Titov 2020).",
     .example = "heed probe --model model --data data/test.tsv --labels data/test.parts\n"
                "heed probe --model model --data data/test.tsv --label position --svg layers.svg\n"
                "heed probe --model model --data data/test.tsv --label depth --links "
                "data/test.heads --of attention --layer 0 --json",
     .setup = set_up});

}  // namespace
}  // namespace heed::cli
