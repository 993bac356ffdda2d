// SPDX-License-Identifier: Apache-2.0
// Vocabularies learnt from a sample of sentence pairs, so that a corpus of any size will do.
#include "heed/pipeline/translate/vocabularies.h"

#include <vector>

#include "heed/pipeline/model_folder.h"
#include "heed/pipeline/translate/translation_options.h"
#include "heed/text/copying.h"
#include "heed/text/pairs.h"
#include "heed/text/sample_lines.h"

namespace heed::pipeline {

std::shared_ptr<const text::Copier> make_copier(const Vocabularies& vocabularies,
                                                const Reading& reading) {
  if (!reading.copies) return nullptr;
  return std::make_shared<const text::Copier>(*vocabularies.source, *vocabularies.target);
}

Vocabularies make_vocabularies(const TranslationOptions& options, text::PairReader& pairs,
                               const Print& print) {
  const text::TokeniserOptions wish = options.vocabulary.to_options(options.threads);
  Vocabularies made;
  if (!options.source_vocabulary.empty()) {
    made.source = text::load_tokeniser(options.source_vocabulary);
  }
  if (!options.target_vocabulary.empty()) {
    made.target = text::load_tokeniser(options.target_vocabulary);
  }
  if (options.shared_vocabulary && made.source) made.target = made.source;
  if (made.source && made.target) return made;

  std::vector<std::string> source;
  std::vector<std::string> target;
  for (text::LinePair& pair :
       text::sample_pairs(pairs, {.lines = static_cast<std::size_t>(options.vocabulary.sample),
                                 .seed = options.trainer.seed})) {
    source.push_back(std::move(pair.source));
    (options.shared_vocabulary ? source : target).push_back(std::move(pair.target));
  }
  if (!made.source) made.source = train_vocabulary(wish, source, print);
  if (options.shared_vocabulary) made.target = made.source;
  if (!made.target) made.target = train_vocabulary(wish, target, print);
  return made;
}

Vocabularies load_vocabularies(const ModelFolder& folder, const TranslationOptions& options) {
  Vocabularies loaded;
  loaded.source = text::load_tokeniser(folder.file(kSourceTokeniserFile));
  loaded.target = options.shared_vocabulary
                      ? loaded.source
                      : std::shared_ptr(text::load_tokeniser(folder.file(kTargetTokeniserFile)));
  return loaded;
}

Vocabularies vocabularies_of(const std::string& folder) {
  const ModelFolder from{folder};
  from.check("translate");
  TranslationOptions options;
  from.read_config(options.list);
  return load_vocabularies(from, options);
}

void save_vocabularies(const Vocabularies& vocabularies, const ModelFolder& folder) {
  vocabularies.source->save(folder.file(kSourceTokeniserFile));
  if (vocabularies.target != vocabularies.source) {
    vocabularies.target->save(folder.file(kTargetTokeniserFile));
  }
}

}  // namespace heed::pipeline
