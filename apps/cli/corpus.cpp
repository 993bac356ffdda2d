// SPDX-License-Identifier: Apache-2.0
// `heed corpus`: lists the built-in corpora and writes one as text files.
#include <fmt/format.h>

#include <memory>

#include "cli/verb.h"
#include "heed/base/error.h"
#include "heed/base/text.h"
#include "heed/corpora/corpus_files.h"
#include "heed/corpora/file_corpus.h"

namespace heed::cli {
namespace {

struct CorpusVerb {
  std::string name;
  std::string out;
  corpora::CorpusOptions corpus;
  bool force = false;
  Options list;

  CorpusVerb() {
    list.add("out", out, "folder to write train, valid and test files to; it is made")
        .letter('o')
        .kind("FOLDER");
    list.add("size", corpus.size,
             "examples in all three files together; 0: the corpus's own number")
        .at_least(0);
    list.add("seed", corpus.seed, "of the random numbers; same seed, same files");
    list.add("min-length", corpus.min_length, "fewest words of a source; 0: the corpus's own limit")
        .at_least(0);
    list.add("max-length", corpus.max_length, "most words of a source; 0: the corpus's own limit")
        .at_least(0);
    list.add("set", corpus.settings,
             "what else this corpus lets choose, such as --set depth=4; `heed corpus` names it");
    list.add("force", force, "replace files that are there already and hold something else");
  }
};

// Of a line that fills more than a screen its beginning and its end.
std::string shortened(std::string_view line) {
  constexpr std::size_t kMost = 600, kBeginning = 160, kEnd = 80;
  if (line.size() <= kMost) return std::string(line);
  const std::string_view beginning = line.substr(0, line.rfind(' ', kBeginning));
  const std::string_view end = line.substr(line.find(' ', line.size() - kEnd) + 1);
  return fmt::format("{} ... {}", beginning, end);
}

void print_indented(std::string_view text) {
  for (const std::string_view line : split(text, '\n')) fmt::print("  {}\n", shortened(line));
}

void print_settings(const std::vector<corpora::CorpusSetting>& settings) {
  for (const corpora::CorpusSetting& setting : settings) {
    fmt::print("  --set {}={}: {}, {} to {}\n", setting.name, setting.value, setting.help,
               setting.least, setting.most);
  }
}

void print_list() {
  for (const corpora::CorpusCard& card : corpora::corpora()) {
    const corpora::Example example = corpora::make_corpus(card.name, {.size = 3}).train.front();
    fmt::print("{}: {} ({} {})\n", card.name, card.description, card.size, card.units);
    print_indented(example.source);
    for (const std::string& more : {example.second, example.target, join(example.labels, ", ")}) {
      if (!more.empty()) print_indented(more);
    }
    print_settings(card.settings);
  }
  for (const corpora::FileCorpus& corpus : corpora::file_corpora()) {
    fmt::print("{}: {} ({} {})\n", corpus.name, corpus.description, corpus.size, corpus.units);
    print_indented(corpus.example());
    print_settings(corpus.settings);
  }
}

void run(const CorpusVerb& verb) {
  if (verb.name.empty()) {
    if (!verb.out.empty()) throw UsageError("--out: say which corpus; `heed corpus` lists them");
    return print_list();
  }
  const corpora::FileCorpus* files = corpora::find_file_corpus(verb.name);
  if (files == nullptr) corpora::find_corpus(verb.name);
  if (verb.out.empty()) throw UsageError("--out: say which folder to write {} to", verb.name);
  const corpora::Existing existing =
      verb.force ? corpora::Existing::replaced : corpora::Existing::refused;
  if (files != nullptr) {
    corpora::chosen_settings(files->name, files->settings, verb.corpus.settings);
    fmt::print("{}: {}\n", verb.out, files->write(verb.out, verb.corpus, existing));
    return;
  }
  const corpora::CorpusCard& card = corpora::find_corpus(verb.name);
  const corpora::Corpus corpus = corpora::make_corpus(verb.name, verb.corpus);
  corpora::write_corpus(corpus, card, verb.out, existing);
  fmt::print("{}: {}\n", verb.out, corpora::describe_files(corpus, card));
}

Action set_up(CommandLine& line) {
  auto verb = std::make_shared<CorpusVerb>();
  line.add("NAME", verb->name, "the corpus; none: list them all").kind("");
  return line.with_options(verb->list, [verb] { run(*verb); });
}

const ListedVerb kListed(
    {.name = "corpus",
     .summary = "Write a built-in corpus as text files, or list them",
     .description =
         "Makes pairs of lines, labelled texts or plain text from a grammar: no download, "
         "the same anywhere. Examples are distinct, across files too. Alignments "
         "are gold, in the Pharaoh format, words counted from 0 (1-2 sure, 1p2 "
         "possible). For texts with labels, a .tsv file holds the labels, the text and "
         "perhaps a second text. Of pictures, tables hold captions, questions and regions.",
     .example = "heed corpus phrases --out data\nheed corpus\n"
                "heed corpus copy --out data --size 5000 --min-length 3 --max-length 10\n"
                "heed corpus listops --out data --set depth=4 arguments=5 --max-length 1000",
     .setup = set_up});

}  // namespace
}  // namespace heed::cli
