// SPDX-License-Identifier: Apache-2.0
// Fuzz target of vocab.txt: the pieces of BERT, a line each.
#include "heed/text/foreign/foreign_vocabulary_fuzzing.h"
#include "heed/text/foreign/vocabulary_files.h"

namespace heed::test {
namespace {

bool read_vocab_txt(std::string_view bytes) {
  Json tokenizer;
  const bool read = accepted([&] { tokenizer = text::parts_of_lines(bytes, "input", true); });
  return read && holds(std::move(tokenizer));
}

const FuzzTarget kVocabTxt("vocab_txt", read_vocab_txt);

}  // namespace
}  // namespace heed::test
