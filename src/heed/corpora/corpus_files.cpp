// SPDX-License-Identifier: Apache-2.0
// Each file is replaced whole or left as it was.
#include "heed/corpora/corpus_files.h"

#include <algorithm>
#include <functional>

#include "heed/base/error.h"
#include "heed/base/file.h"
#include "heed/base/text.h"
#include "heed/text/heads.h"

namespace heed::corpora {
namespace {

using Examples = std::vector<Example>;

struct FileKind {
  std::string suffix;
  std::function<std::string(const Example&)> entry;
  bool apart = false;  // an empty line between entries
};

template <typename T>
bool have(const Examples& examples, T Example::*member) {
  return std::ranges::any_of(examples,
                             [&](const Example& example) { return !(example.*member).empty(); });
}

// Whether examples are documents of several lines.
bool of_lines(const Examples& examples) {
  return std::ranges::any_of(examples, [](const Example& example) {
    return example.source.find('\n') != std::string::npos;
  });
}

std::string table_row(const Example& example) {
  std::vector<std::string> fields = example.labels;
  fields.push_back(example.source);
  if (!example.second.empty()) fields.push_back(example.second);
  return join(fields, "\t");
}

std::string evidence_row(const Example& example) {
  std::vector<std::string> aspects;
  for (const std::vector<int>& words : example.evidence) {
    aspects.push_back(fmt::format("{}", fmt::join(words, " ")));
  }
  return join(aspects, "\t");
}

std::vector<FileKind> files_of(const Examples& examples, const CorpusCard& card) {
  const auto source = [](const Example& example) { return example.source; };
  if (card.kind == CorpusKind::text) return {{"txt", source, true}};
  std::vector<FileKind> files;
  if (card.kind == CorpusKind::labelled) {
    files.push_back({"tsv", table_row});
    if (have(examples, &Example::evidence)) files.push_back({"evidence", evidence_row});
    if (have(examples, &Example::heads)) {
      files.push_back(
          {"heads", [](const Example& example) { return text::write_heads(example.heads); }});
    }
    if (have(examples, &Example::parts)) {
      files.push_back({"parts", [](const Example& example) { return join(example.parts, " "); }});
    }
    return files;
  }
  const bool apart = of_lines(examples);
  files.push_back({std::string(card.source_suffix), source, apart});
  files.push_back({std::string(card.target_suffix),
                   [](const Example& example) { return example.target; }, apart});
  if (have(examples, &Example::alignment)) {
    files.push_back(
        {"align", [](const Example& example) { return text::to_pharaoh(example.alignment); }});
  }
  return files;
}

std::string pronouns_of(const Examples& examples) {
  std::string lines;
  std::ptrdiff_t first = 1;  // line of the document, the empty lines included
  for (const Example& example : examples) {
    for (const HiddenWord& word : example.hidden) {
      lines += fmt::format("{}\t{}\t{}\n", first + word.line, word.word, word.form);
    }
    first += std::ranges::count(example.source, '\n') + 2;
  }
  return lines;
}

void add_part(const Examples& examples, const CorpusCard& card, const std::filesystem::path& stem,
              FileContents& contents) {
  const auto content = [&](std::string_view suffix) -> std::string& {
    return contents[fmt::format("{}.{}", stem.string(), suffix)];
  };
  for (const FileKind& kind : files_of(examples, card)) {
    std::string& lines = content(kind.suffix);
    for (const Example& example : examples) {
      if (kind.apart && &example != &examples.front()) lines += "\n";
      lines += kind.entry(example);
      lines += "\n";
    }
  }
  if (have(examples, &Example::hidden)) content("pronouns") = pronouns_of(examples);
}

}  // namespace

void write_new_files(const FileContents& contents, const std::filesystem::path& folder,
                     Existing existing) {
  for (const auto& [path, content] : contents) {
    std::error_code ignored;
    if (existing == Existing::replaced || !std::filesystem::is_regular_file(path, ignored) ||
        read_file(path) == content) {
      continue;
    }
    throw UsageError(
        "{}: is there already and holds something else; name another folder, or replace it with "
        "--force",
        path.string());
  }
  make_folder(folder);
  for (const auto& [path, content] : contents) write_atomically(path, content);
}

void write_corpus(const Corpus& corpus, const CorpusCard& card, const std::filesystem::path& folder,
                  Existing existing) {
  FileContents contents;
  add_part(corpus.train, card, folder / "train", contents);
  add_part(corpus.valid, card, folder / "valid", contents);
  add_part(corpus.test, card, folder / "test", contents);
  if (!corpus.far.empty()) add_part(corpus.far, card, folder / "test-far", contents);
  write_new_files(contents, folder, existing);
}

std::string describe_files(const Corpus& corpus, const CorpusCard& card) {
  std::string text = fmt::format("train {}, valid {}, test {}", corpus.train.size(),
                                 corpus.valid.size(), corpus.test.size());
  if (!corpus.far.empty()) text += fmt::format(", test-far {}", corpus.far.size());
  text += fmt::format(" {} as ", card.units);
  const std::vector<FileKind> files = files_of(corpus.train, card);
  text += '.' + files[0].suffix;
  if (card.kind == CorpusKind::pairs) text += " and ." + files[1].suffix;
  if (have(corpus.train, &Example::alignment)) text += ", alignments as .align";
  if (have(corpus.train, &Example::evidence)) text += ", evidence as .evidence";
  if (have(corpus.train, &Example::heads)) text += ", heads as .heads";
  if (have(corpus.train, &Example::parts)) text += ", parts of speech as .parts";
  if (have(corpus.train, &Example::hidden)) text += ", pronouns as .pronouns";
  return text;
}

}  // namespace heed::corpora
