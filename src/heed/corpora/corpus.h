// SPDX-License-Identifier: Apache-2.0
// Built-in corpora, made from grammars so that everything runs anywhere: pairs of lines, texts with
// labels, and plain text.
//
//   const Corpus corpus = make_corpus("phrases", {.seed = 1, .size = 50'000});
//   corpus.train[0].source;  // "The man doesn't see the red car."
//   corpus.train[0].target;  // "L'homme ne voit pas la voiture rouge."
#pragma once  // public header

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "heed/corpora/corpus_settings.h"
#include "heed/text/pharaoh.h"

#pragma GCC visibility push(default)  // exported

namespace heed::corpora {

enum class CorpusKind {
  pairs,     // two files, line by line
  labelled,  // one table: the labels, the text and perhaps a second text
  text,      // one file
};

// A word of the target that cannot be told from its own line. Lines and words count from 0, within
// the example.
struct HiddenWord {
  int line = 0;
  int word = 0;
  std::string form = {};  // in small letters: "elle"
};

// What a corpus has none of stays empty.
struct Example {
  std::string source = {};         // several lines in a document or a story
  std::string target = {};         // of pairs
  text::Alignment alignment = {};  // of words, which spaces separate
  std::vector<HiddenWord> hidden = {};
  std::vector<std::string> labels = {};         // one for each aspect
  std::string second = {};                      // a question or a hypothesis
  std::vector<std::vector<int>> evidence = {};  // for each aspect the words that decide it, from 0
  // The word that each word of the source hangs on, from 0; itself where that is the root.
  std::vector<std::int32_t> heads = {};
  std::vector<std::string> parts = {};  // of speech, of these words
};

// No source occurs twice with the same second text, neither in one part nor in two.
struct Corpus {
  std::vector<Example> train = {};
  std::vector<Example> valid = {};
  std::vector<Example> test = {};
  std::vector<Example> far = {};  // beyond what training shows; few corpora have it
};

struct CorpusOptions {
  std::uint64_t seed = 1;
  std::int64_t size = 0;        // of train, valid and test together; 0: the corpus's own
  std::int64_t min_length = 0;  // words of a source; 0: the corpus's own
  std::int64_t max_length = 0;
  std::vector<std::string> settings = {};  // "depth=4": those of the corpus (corpus_settings.h)
};

struct CorpusCard {
  std::string_view name;
  std::string_view description;  // one line, no full stop
  CorpusKind kind = CorpusKind::pairs;
  std::int64_t size = 0;  // by default
  std::string_view units = "pairs";
  std::string_view source_suffix = {};  // of the files of pairs: "en"
  std::string_view target_suffix = {};  // "fr"
  std::int64_t min_length = 0;          // 0: its lengths cannot be chosen
  std::int64_t max_length = 0;
  std::string_view aspects = {};  // names of the columns of labels, commas between them
  bool far = false;               // has a part beyond what training shows
  std::int64_t longest = 10'000;  // words of a source that may be asked for
  std::vector<CorpusSetting> settings = {};
};

// All there are, by name.
std::vector<CorpusCard> corpora();

// UsageError for an unknown name, naming the nearest.
const CorpusCard& find_corpus(std::string_view name);

// One fiftieth of the examples is for validation, one twenty-fifth for the test (and as many lie
// beyond, where there are any), the rest for training. Same name and options, same bytes.
// UsageError for an unknown name, and for a size or lengths that the corpus cannot give.
Corpus make_corpus(std::string_view name, const CorpusOptions& options = {});

}  // namespace heed::corpora

#pragma GCC visibility pop
