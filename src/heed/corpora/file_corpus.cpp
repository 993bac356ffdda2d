// SPDX-License-Identifier: Apache-2.0
// The list of corpora that write their own files.
#include "heed/corpora/file_corpus.h"

#include <algorithm>

namespace heed::corpora {
namespace {

std::vector<FileCorpus>& listed_file_corpora() {
  static std::vector<FileCorpus> all;
  return all;
}

}  // namespace

ListedFileCorpus::ListedFileCorpus(FileCorpus corpus) {
  std::vector<FileCorpus>& all = listed_file_corpora();
  const auto place = std::ranges::lower_bound(all, corpus.name, {}, &FileCorpus::name);
  all.insert(place, std::move(corpus));
}

const std::vector<FileCorpus>& file_corpora() {
  return listed_file_corpora();
}

const FileCorpus* find_file_corpus(std::string_view name) {
  const std::vector<FileCorpus>& all = listed_file_corpora();
  const auto found = std::ranges::find(all, name, &FileCorpus::name);
  return found == all.end() ? nullptr : &*found;
}

}  // namespace heed::corpora
