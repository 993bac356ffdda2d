// SPDX-License-Identifier: Apache-2.0
// Built-in corpora: pairs of lines made from grammars, so that everything runs anywhere.
//
//   const Corpus corpus = make_corpus("phrases", {.seed = 1, .size = 50'000});
//   corpus.train[0].source;  // "The man doesn't see the red car."
//   corpus.train[0].target;  // "L'homme ne voit pas la voiture rouge."
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "heed/text/pharaoh.h"

namespace heed::tasks {

struct Example {
  std::string source = {};
  std::string target = {};
  text::Alignment alignment = {};  // of words, which spaces separate
};

// No source stands twice, neither in one part nor in two.
struct Corpus {
  std::vector<Example> train = {};
  std::vector<Example> valid = {};
  std::vector<Example> test = {};
};

struct CorpusOptions {
  std::uint64_t seed = 1;
  std::int64_t size = 0;        // of all three parts together; 0: the corpus's own
  std::int64_t min_length = 0;  // words of a source; 0: the corpus's own
  std::int64_t max_length = 0;
};

struct CorpusCard {
  std::string_view name;
  std::string_view description;    // one line, no full stop
  std::string_view source_suffix;  // of its files: "en"
  std::string_view target_suffix;  // "fr"
  std::int64_t size;               // by default
  std::int64_t min_length;
  std::int64_t max_length;
};

// All there are, by name.
std::span<const CorpusCard> corpora();

// UsageError for an unknown name, naming the nearest.
const CorpusCard& find_corpus(std::string_view name);

// One fiftieth of the pairs is for validation, one twenty-fifth for the test, the rest for
// training. Same name and options, same bytes. UsageError for an unknown name, and for a size or
// lengths that the corpus cannot give.
Corpus make_corpus(std::string_view name, const CorpusOptions& options = {});

}  // namespace heed::tasks
