// SPDX-License-Identifier: Apache-2.0
// Built-in corpora that are no lines of text, such as pictures: each writes files of its own.
#pragma once  // public header

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "heed/corpora/corpus.h"
#include "heed/corpora/corpus_files.h"

#pragma GCC visibility push(default)  // exported

namespace heed::corpora {

struct FileCorpus {
  std::string name;
  std::string description;  // one line, no full stop
  std::int64_t size = 0;    // by default, of train, valid and test together
  std::string units;
  // One example in words, a line or more.
  std::string (*example)() = nullptr;
  // Writes all parts and says what was written, as describe_files does. UsageError as write_corpus
  // has it.
  std::string (*write)(const std::filesystem::path& folder, const CorpusOptions& options,
                       Existing existing) = nullptr;
  std::vector<CorpusSetting> settings = {};
};

// All there are, by name.
const std::vector<FileCorpus>& file_corpora();
// nullptr: none of them is called so.
const FileCorpus* find_file_corpus(std::string_view name);

// One lists itself in the file that makes it; nothing else names it.
struct ListedFileCorpus {
  explicit ListedFileCorpus(FileCorpus corpus);
};

}  // namespace heed::corpora

#pragma GCC visibility pop
