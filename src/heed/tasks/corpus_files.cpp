// SPDX-License-Identifier: Apache-2.0
// Each file is replaced whole or left as it was.
#include "heed/tasks/corpus_files.h"

#include <algorithm>
#include <functional>

#include "heed/base/error.h"
#include "heed/base/file.h"

namespace heed::tasks {
namespace {

void write_lines(const std::filesystem::path& path, const std::vector<Example>& examples,
                 const std::function<std::string(const Example&)>& line) {
  write_atomically(path, [&](AtomicFile& file) {
    for (const Example& example : examples) {
      file.write(line(example));
      file.write("\n");
    }
  });
}

}  // namespace

void write_corpus(const Corpus& corpus, const CorpusCard& card,
                  const std::filesystem::path& folder) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) throw DataError("{}: cannot be made: {}", folder.string(), error.message());
  const auto write = [&](const char* part, const std::vector<Example>& examples) {
    const auto file = [&](std::string_view suffix) {
      return folder / fmt::format("{}.{}", part, suffix);
    };
    write_lines(file(card.source_suffix), examples,
                [](const Example& example) { return example.source; });
    write_lines(file(card.target_suffix), examples,
                [](const Example& example) { return example.target; });
    const bool aligned = std::ranges::any_of(
        examples, [](const Example& example) { return !example.alignment.empty(); });
    if (aligned) {
      write_lines(file("align"), examples,
                  [](const Example& example) { return text::to_pharaoh(example.alignment); });
    }
  };
  write("train", corpus.train);
  write("valid", corpus.valid);
  write("test", corpus.test);
}

}  // namespace heed::tasks
