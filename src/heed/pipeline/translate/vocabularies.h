// SPDX-License-Identifier: Apache-2.0
// The tokenisers of both languages, or one for both: learnt from the training text, given as files,
// or read from a model folder.
#pragma once

#include <memory>
#include <string>

#include "heed/pipeline/print.h"
#include "heed/pipeline/translate/reading.h"
#include "heed/text/tokeniser.h"

#pragma GCC visibility push(default)  // exported

namespace heed::text {
class Copier;
class PairReader;
}  // namespace heed::text

namespace heed::pipeline {

struct ModelFolder;
struct TranslationOptions;

// Files of a model folder. A vocabulary that both sides share is that of the source.
inline constexpr const char* kSourceTokeniserFile = "source.tokeniser";
inline constexpr const char* kTargetTokeniserFile = "target.tokeniser";

struct Vocabularies {
  std::shared_ptr<const text::Tokeniser> source;
  std::shared_ptr<const text::Tokeniser> target;  // the same object when shared

  VocabularySizes sizes() const { return {source->size(), target->size()}; }
};

// For a model that copies; nullptr for another. UsageError as of text::Copier.
std::shared_ptr<const text::Copier> make_copier(const Vocabularies& vocabularies,
                                                const Reading& reading);

// What the options ask for; learns from a seeded sample of the pairs.
Vocabularies make_vocabularies(const TranslationOptions& options, text::PairReader& pairs,
                               const Print& print = nullptr);
// Those of a folder trained with these options. DataError that names a file that is missing or
// damaged.
Vocabularies load_vocabularies(const ModelFolder& folder, const TranslationOptions& options);
// Those of any translator's folder.
Vocabularies vocabularies_of(const std::string& folder);
void save_vocabularies(const Vocabularies& vocabularies, const ModelFolder& folder);

}  // namespace heed::pipeline

#pragma GCC visibility pop
