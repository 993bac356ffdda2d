// SPDX-License-Identifier: Apache-2.0
// `heed heads`: what every head of a model does, what the loss hangs on, and how few would do.
#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "cli/heads_output.h"
#include "cli/output_files.h"
#include "cli/verb.h"
#include "heed/base/error.h"
#include "heed/base/progress.h"
#include "heed/base/threads.h"
#include "heed/pipeline/head_survey.h"
#include "heed/pipeline/model.h"
#include "heed/text/lines.h"

namespace heed::cli {
namespace {

struct HeadsVerb {
  std::string model;
  std::vector<std::string> data;
  std::string links, svg, png, curve;
  std::size_t examples = 200;
  std::int64_t window = 128;
  int threads = 0;
  bool as_json = false;
  pipeline::HeadSurveyOptions options;
  OutputFiles files;
  Options list;

  HeadsVerb() {
    list.add("model", model, "model folder").letter('m').kind("FOLDER").required();
    list.add("data", data,
             "what it is asked about, as for heed compare: labelled texts, a text, or a text and "
             "its translation")
        .kind("FILE")
        .required();
    list.add("examples", examples, "most examples that are read, from the first on; 0: all");
    list.add("window", window, "of a language model: tokens of an example").range(2, 1 << 20);
    list.add("links", links,
             "the word that each word of the first text hangs on, a line for each text, as in "
             "files of .heads: finds syntactic heads")
        .kind("FILE");
    options.declare(list);
    list.add("svg", svg, "draw the map of all heads").kind("FILE");
    list.add("png", png, "the same as PNG").kind("FILE");
    list.add("curve", curve, "draw the curves of --prune, as SVG").kind("FILE");
    list.add("threads", threads, "threads to compute with; 0: one per core").range(0, 1024);
    list.add("json", as_json, "write JSON");
    files.declare(list);
  }
};

std::vector<text::Heads> read_links(const std::string& file) {
  std::vector<text::Heads> links;
  text::LineReader reader(file);
  for (std::string line; reader.next(line);) {
    links.push_back(text::parse_heads(line, fmt::format("{}:{}", reader.name(), reader.line())));
  }
  return links;
}

void run(HeadsVerb& verb) {
  if (verb.model.empty()) throw UsageError("--model: it is needed; see heed heads --help");
  if (verb.data.empty()) throw UsageError("--data: it is needed; see heed heads --help");
  if (!verb.curve.empty() && !verb.options.prune) {
    throw UsageError("--curve: it draws what --prune finds; give both");
  }
  if (verb.threads > 0) set_threads(verb.threads);
  verb.files.reads(verb.data);
  verb.files.reads({verb.links});
  for (const std::string& file : {verb.svg, verb.png, verb.curve}) verb.files.check(file);
  const std::unique_ptr<pipeline::Model> model = pipeline::open_model(verb.model);
  const std::unique_ptr<pipeline::Watched> data =
      model->watched({.files = verb.data, .most = verb.examples, .window = verb.window});
  const std::vector<text::Heads> links =
      verb.links.empty() ? std::vector<text::Heads>() : read_links(verb.links);
  Progress progress({.what = "heads", .total = 1000});
  const pipeline::HeadSurvey survey = pipeline::survey_heads(
      *data, verb.options, links,
      [&](std::uint64_t done, std::uint64_t total) { progress.update(1000 * done / total); });
  progress.clear();
  if (!links.empty() && !survey.links) {
    throw DataError("{}: no line of it has a head for each word of its text in {}", verb.links,
                    verb.data.front());
  }
  if (!verb.svg.empty()) verb.files.write(verb.svg, heads_svg(survey));
  if (!verb.png.empty()) verb.files.write(verb.png, heads_png(survey));
  if (!verb.curve.empty()) verb.files.write(verb.curve, pruning_svg(survey));
  fmt::print("{}", verb.as_json ? heads_json(survey) + "\n" : heads_text(survey));
}

Action set_up(CommandLine& line) {
  auto verb = std::make_shared<HeadsVerb>();
  return line.with_options(verb->list, [verb] { run(*verb); });
}

const ListedVerb kListed(
    {.name = "heads",
     .summary = "Show what every attention head does, what hangs on it, and how few would do",
     .description =
         "Names heads that look at a place, at rare words, at the rest of a word, at ends, at what "
         "came after the same word before, or along given links (Voita 2019, Clark 2019), each "
         "beside what equal weights would do; says how much the loss changes with each (Michel "
         "2019) and what its removal costs. With --prune heads go one after the other.",
     .example = "heed heads --model model --data data/test.tsv --links data/test.heads\n"
                "heed heads --model model --data data/test.en data/test.fr --prune --curve "
                "pruned.svg --svg heads.svg\n"
                "heed heads --model model --data data/test.txt --examples 50 --json",
     .setup = set_up});

}  // namespace
}  // namespace heed::cli
