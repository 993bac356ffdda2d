// SPDX-License-Identifier: Apache-2.0
// `heed embed`: a vector for each text; how alike two texts are; which texts of a file lie nearest.
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cli/output_files.h"
#include "cli/trace_cli.h"
#include "cli/verb.h"
#include "cli/weights_option.h"
#include "heed/base/error.h"
#include "heed/base/json.h"
#include "heed/base/safetensors.h"
#include "heed/base/threads.h"
#include "heed/base/warning.h"
#include "heed/pipeline/embed/text_embedder.h"
#include "heed/pipeline/text_bounds.h"
#include "heed/text/counted_lines.h"
#include "heed/text/lines.h"

namespace heed::cli {
namespace {

enum class VectorForm { tsv, json };

struct EmbedVerb {
  std::string model;
  std::string input = "-";
  bool pairs = false;
  std::string search;
  std::int64_t top = 10;
  std::string out;
  VectorForm form = VectorForm::tsv;
  std::int64_t window = 4096;
  int threads = 0;
  pipeline::EmbedCall call;
  text::CountedLines cropped;
  WeightsOption weights;
  TraceOutput trace;
  Options list;

  EmbedVerb() {
    static const std::vector<std::string> kForms = {"tsv", "json"};
    list.add("model", model, "model folder that heed train embed or heed import wrote")
        .letter('m')
        .kind("FOLDER")
        .required();
    list.add("input", input, "texts, one per line (or gz); -: standard input");
    list.add("pairs", pairs, "lines are TEXT<TAB>TEXT: write how alike both are, from -1 to 1");
    list.add("search", search,
             "write which lines of this file lie nearest to each text, all of them compared")
        .kind("FILE");
    list.add("top", top, "with --search: lines for each text").range(1, 100'000);
    list.add("form", form, kForms,
             "how vectors are written: tsv, a line of numbers with tabs between; json, a list on "
             "each line");
    list.add("out", out,
             "write the vectors to a file instead: .safetensors (a tensor \"vectors\"), .tsv or "
             ".json")
        .letter('o')
        .kind("FILE");
    list.add("threads", threads, "threads to compute with; 0: one per core").range(0, 1024);
    list.add("batch-tokens", call.batch.tokens, "tokens read together").range(1, 1 << 24);
    list.add("window", window, "lines read and sorted by length at a time").range(1, 1 << 24);
    list.add("longest-text", call.longest,
             "most tokens of a text that are read, from its first on; 0: as its training or its "
             "own program did")
        .range(0, 1 << 20);
    weights.declare(list);
    trace.declare(list);
  }
};

// Texts of a window of lines; the first that is none ends it, and is an error once those before it
// are written.
struct Window {
  std::vector<std::string> texts{};
  std::vector<std::uint64_t> lines{};
  std::string problem{};
  bool more = true;
};

Window next_window(text::LineReader& reader, std::int64_t most) {
  Window window;
  std::size_t bytes = 0;
  while (std::ssize(window.texts) < most && bytes < pipeline::kMostWindowBytes) {
    std::string line;
    if (!reader.next(line)) {
      window.more = false;
      break;
    }
    window.problem = pipeline::text_problem(line);
    if (!window.problem.empty()) {
      window.more = false;
      break;
    }
    bytes += line.size();
    window.texts.push_back(std::move(line));
    window.lines.push_back(reader.line());
  }
  return window;
}

// Embeds texts, and remembers which were cropped and what was looked at.
Tensor vectors_of(const pipeline::TextEmbedder& embedder, const std::vector<std::string>& texts,
                  const std::vector<std::uint64_t>& lines, EmbedVerb& verb) {
  pipeline::Embedded found = embedder.embed(texts, verb.call);
  for (std::size_t i = 0; i < texts.size(); ++i) {
    if (found.left_out[i] > 0) verb.cropped.add(lines[i]);
  }
  for (insight::TracedExample& example : found.traces) verb.trace.add(std::move(example));
  return found.vectors;
}

std::string written(std::span<const Real> vector, VectorForm form) {
  std::string line = form == VectorForm::json ? "[" : "";
  for (std::size_t i = 0; i < vector.size(); ++i) {
    if (i > 0) line += form == VectorForm::json ? ", " : "\t";
    line += fmt::format("{}", vector[i]);
  }
  return line + (form == VectorForm::json ? "]\n" : "\n");
}

std::span<const Real> row_of(const Tensor& rows, std::int64_t row) {
  const auto width = static_cast<std::size_t>(rows.size(1));
  return {rows.data() + static_cast<std::size_t>(row) * width, width};
}

void end_at(const Window& window, const text::LineReader& reader) {
  if (window.problem.empty()) return;
  throw DataError("{}:{}: {}", reader.name(), reader.line(), window.problem);
}

void write_vectors(const pipeline::TextEmbedder& embedder, EmbedVerb& verb) {
  text::LineReader reader(verb.input);
  std::vector<Real> all;  // of a file
  std::string text;
  std::int64_t count = 0;
  const bool tensors = verb.out.ends_with(".safetensors");
  const VectorForm form = verb.out.empty()              ? verb.form
                          : verb.out.ends_with(".json") ? VectorForm::json
                                                        : VectorForm::tsv;
  for (bool more = true; more;) {
    const Window window = next_window(reader, verb.window);
    more = window.more;
    if (!window.texts.empty()) {
      const Tensor vectors = vectors_of(embedder, window.texts, window.lines, verb);
      for (std::int64_t i = 0; i < vectors.size(0); ++i, ++count) {
        const std::span<const Real> row = row_of(vectors, i);
        if (tensors) {
          all.insert(all.end(), row.begin(), row.end());
        } else if (verb.out.empty()) {
          fmt::print("{}", written(row, form));
        } else {
          text += written(row, form);
        }
      }
      flush_output();
    }
    end_at(window, reader);
  }
  if (verb.out.empty()) return;
  if (tensors) {
    verb.trace.files().check(verb.out);
    SafetensorsWriter writer;
    writer.add("vectors",
               {static_cast<std::size_t>(count), static_cast<std::size_t>(embedder.width())}, all);
    writer.set_metadata("heed", HEED_VERSION);
    writer.write(verb.out);
  } else {
    verb.trace.files().write(verb.out, text);
  }
  fmt::print(stderr, "{}: {} vectors of {} numbers\n", verb.out, count, embedder.width());
}

void compare_pairs(const pipeline::TextEmbedder& embedder, EmbedVerb& verb) {
  text::LineReader reader(verb.input);
  for (bool more = true; more;) {
    Window window = next_window(reader, verb.window);
    more = window.more;
    std::vector<std::string> both;
    std::vector<std::uint64_t> lines;
    std::string problem;
    for (std::size_t i = 0; i < window.texts.size() && problem.empty(); ++i) {
      const std::size_t tab = window.texts[i].find('\t');
      if (tab == std::string::npos || window.texts[i].find('\t', tab + 1) != std::string::npos) {
        problem = fmt::format("{}:{}: {}; each line must be TEXT<TAB>TEXT", reader.name(),
                              window.lines[i], tab == std::string::npos ? "no tab" : "two tabs");
        continue;
      }
      both.push_back(window.texts[i].substr(0, tab));
      both.push_back(window.texts[i].substr(tab + 1));
      lines.insert(lines.end(), 2, window.lines[i]);
    }
    if (!both.empty()) {
      const Tensor vectors = vectors_of(embedder, both, lines, verb);
      for (std::int64_t i = 0; i < vectors.size(0); i += 2) {
        fmt::print("{:.5f}\n", pipeline::cosine_of(row_of(vectors, i), row_of(vectors, i + 1)));
      }
      flush_output();
    }
    if (!problem.empty()) throw DataError("{}", problem);
    end_at(window, reader);
  }
}

// All lines of the file that is searched, and their vectors.
struct Searched {
  std::vector<std::string> texts{};
  Tensor vectors{};
};

Searched read_searched(const pipeline::TextEmbedder& embedder, const EmbedVerb& verb) {
  Searched searched{.texts = text::read_lines(verb.search)};
  searched.vectors = Tensor({std::ssize(searched.texts), embedder.width()});
  const auto window = static_cast<std::size_t>(verb.window);
  pipeline::EmbedCall call = verb.call;
  call.trace = false;
  for (std::size_t begin = 0; begin < searched.texts.size(); begin += window) {
    const auto some =
        std::span(searched.texts).subspan(begin, std::min(window, searched.texts.size() - begin));
    try {
      const Tensor vectors = embedder.embed(some, call).vectors;
      std::copy_n(
          vectors.data(), vectors.size(),
          searched.vectors.mutable_data() + static_cast<std::int64_t>(begin) * embedder.width());
    } catch (const pipeline::BadText& bad) {
      throw bad.in_file(verb.search, begin + 1);
    }
  }
  return searched;
}

void search_all(const pipeline::TextEmbedder& embedder, EmbedVerb& verb) {
  const Searched searched = read_searched(embedder, verb);
  text::LineReader reader(verb.input);
  bool first = true;
  for (bool more = true; more;) {
    const Window window = next_window(reader, verb.window);
    more = window.more;
    if (!window.texts.empty()) {
      const Tensor vectors = vectors_of(embedder, window.texts, window.lines, verb);
      for (const std::vector<pipeline::Nearest>& found :
           pipeline::nearest(vectors, searched.vectors, static_cast<std::size_t>(verb.top))) {
        if (!first) fmt::print("\n");
        first = false;
        for (const pipeline::Nearest& one : found) {
          fmt::print("{:.5f}\t{}\t{}\n", one.cosine, one.place + 1, searched.texts[one.place]);
        }
      }
      flush_output();
    }
    end_at(window, reader);
  }
}

void check(const EmbedVerb& verb) {
  if (verb.model.empty()) {
    throw UsageError(
        "--model: say which model folder to use (heed import or heed train embed makes one)");
  }
  if (verb.pairs && !verb.search.empty()) {
    throw UsageError("--pairs and --search: give one of the two");
  }
  if (verb.out.empty()) return;
  if (verb.pairs || !verb.search.empty()) {
    throw UsageError("--out: it is for vectors; with --pairs and --search use standard output");
  }
  for (const char* ending : {".safetensors", ".tsv", ".json"}) {
    if (verb.out.ends_with(ending)) return;
  }
  throw UsageError("--out {}: a file of vectors ends with .safetensors, .tsv or .json", verb.out);
}

void run(EmbedVerb& verb) {
  check(verb);
  if (verb.threads > 0) set_threads(verb.threads);
  verb.call.trace = verb.trace.wanted();
  verb.trace.begin(verb.model, "embed", {verb.input, verb.search});
  verb.trace.files().check(verb.out);
  const WeightsInForm weights(verb.weights);
  const pipeline::TextEmbedder embedder(verb.model);
  if (verb.pairs) {
    compare_pairs(embedder, verb);
  } else if (!verb.search.empty()) {
    search_all(embedder, verb);
  } else {
    write_vectors(embedder, verb);
  }
  if (verb.cropped.count > 0) {
    warn(
        fmt::format("{}: texts whose end was not read, because they are too long: {} "
                    "(--longest-text reads more)",
                    verb.input, verb.cropped.to_string()));
  }
  verb.trace.finish();
}

Action set_up(CommandLine& line) {
  auto verb = std::make_shared<EmbedVerb>();
  return line.with_options(verb->list, [verb] { run(*verb); });
}

const ListedVerb kListed(
    {.name = "embed",
     .summary = "Turn texts into vectors that lie near each other where the texts mean the like",
     .description = "Reads lines and writes a vector for each; with --pairs how alike two texts "
                    "are, with --search which lines of a file lie nearest.",
     .example = "heed embed --model minilm < texts.txt --form json\n"
                "heed embed --model minilm --input texts.txt --out vectors.safetensors\n"
                "heed embed --model minilm --pairs < pairs.tsv\n"
                "echo \"How do I get my money back?\" | heed embed --model minilm --search "
                "answers.txt --top 3",
     .setup = set_up});

}  // namespace
}  // namespace heed::cli
