// SPDX-License-Identifier: Apache-2.0
// A built-in corpus as the files that training reads: train.en and train.fr, train.tsv, train.txt.
#pragma once  // public header

#include <filesystem>
#include <map>
#include <string>

#include "heed/corpora/corpus.h"

#pragma GCC visibility push(default)  // exported

namespace heed::corpora {

// Each part in files called train, valid, test and, for what lies beyond training, test-far:
//   pairs     .SOURCE and .TARGET, line by line; an empty line between documents of several lines;
//             .align, gold alignments in the Pharaoh format; .pronouns, for each hidden word its
//             line (from 1), its word (from 0) and its form, tabs between them
//   labelled  .tsv: the labels, the text and, where there is one, the second text, tabs between
//             them; .evidence: for each aspect the numbers of the words that decide it (from 0),
//             spaces between them, tabs between the aspects; .heads: the word that each word of
//             the text hangs on (from 1, 0 is the root), spaces between them; .parts: their parts
//             of speech, likewise
//   text      .txt, an empty line between the examples
// Makes the folder. UsageError, and nothing is written, where a file is there already and holds
// something else, unless these shall be replaced; DataError where something cannot be written.
enum class Existing { refused, replaced };
void write_corpus(const Corpus& corpus, const CorpusCard& card, const std::filesystem::path& folder,
                  Existing existing = Existing::refused);

// Files with what they shall hold, into a folder that is made, as write_corpus has it: all or none.
using FileContents = std::map<std::filesystem::path, std::string>;
void write_new_files(const FileContents& contents, const std::filesystem::path& folder,
                     Existing existing);

// What write_corpus wrote, in words: "train 470, valid 10, test 20 pairs as .en and .fr,
// alignments as .align".
std::string describe_files(const Corpus& corpus, const CorpusCard& card);

}  // namespace heed::corpora

#pragma GCC visibility pop
