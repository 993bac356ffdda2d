// SPDX-License-Identifier: Apache-2.0
// Fuzz target of vocab.json and merges.txt, the vocabulary of GPT-2.
#include "heed/text/foreign/foreign_vocabulary_fuzzing.h"
#include "heed/text/foreign/vocabulary_files.h"

namespace heed::test {
namespace {

bool read_vocab_and_merges(std::string_view bytes) {
  auto parts = parts_of(bytes);
  Json tokenizer;
  const bool read = accepted([&] {
    tokenizer = text::parts_of_merges(parts["vocab"], "vocab", parts["merges"], "merges", false);
  });
  return read && holds(std::move(tokenizer));
}

const FuzzTarget kMerges("merges", read_vocab_and_merges);

}  // namespace
}  // namespace heed::test
