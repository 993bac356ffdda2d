// SPDX-License-Identifier: Apache-2.0
// Names of a vocabulary's options, and where a run finds its one vocabulary.
#include "heed/pipeline/vocabulary_options.h"

#include <fmt/format.h>

#include <filesystem>

#include "heed/pipeline/run.h"

namespace heed::pipeline {

void VocabularyOptions::declare(Options& options) {
  options.section("Vocabulary");
  options.add("tokeniser", tokeniser, text::tokeniser_names(),
              "what a token is; bpe and unigram are SentencePiece's, spaced is what white space "
              "separates, bytes are those of UTF-8");
  options.add("vocabulary-size", size, "most tokens of a vocabulary").range(5, 10'000'000);
  options
      .add("vocabulary-sample", sample,
           "lines the vocabulary is learnt from, drawn by the seed; 0: all")
      .at_least(0);
  options.add("lower-case", lower_case, "words, characters, spaced, bytes: fold case");
  options
      .add("least-count", least_count,
           "words, characters, spaced: rarer ones are out of vocabulary")
      .at_least(1);
  options.add("coverage", coverage, "bpe, unigram: share of characters that get a piece")
      .above(0)
      .at_most(1);
}

text::TokeniserOptions VocabularyOptions::to_options(int threads) const {
  return {.kind = tokeniser,
          .size = size,
          .lower_case = lower_case,
          .least_count = least_count,
          .coverage = coverage,
          .threads = threads};
}

void OneVocabularyOptions::declare(Options& options) {
  VocabularyOptions::declare(options);
  options.add("vocabulary", given, "a tokeniser's file instead of a new one").kind("FILE");
  options
      .add("embeddings", embeddings, "word vectors to start from, as text: word, then its numbers")
      .kind("FILE");
}

TokeniserPointer train_vocabulary(const text::TokeniserOptions& wish,
                                  std::span<const std::string> lines, const Print& print) {
  TokeniserPointer made = text::train_tokeniser(wish, lines);
  const bool subwords =
      wish.kind == text::TokeniserKind::bpe || wish.kind == text::TokeniserKind::unigram;
  if (subwords && made->size() < wish.size) {
    say(print, fmt::format("vocabulary: {} pieces, all that {} lines of text give "
                           "(--vocabulary-size asks for at most {})",
                           made->size(), lines.size(), wish.size));
  }
  return made;
}

TokeniserPointer find_tokeniser(const RunOptions& run, const OneVocabularyOptions& options,
                                const std::function<TokeniserPointer()>& learn) {
  const ModelFolder folder = run.folder();
  if (run.goes_on()) return text::load_tokeniser(folder.file(kTokeniserFile));
  if (!options.given.empty()) return text::load_tokeniser(options.given);
  if (run.init_from.empty()) return learn();
  return text::load_tokeniser(ModelFolder{run.init_from}.file(kTokeniserFile));
}

}  // namespace heed::pipeline
