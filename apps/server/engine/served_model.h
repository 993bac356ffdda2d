// SPDX-License-Identifier: Apache-2.0
// ServedModel: a model folder of any task behind one face, and the set of all that are served.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "heed/pipeline/classify/classifier.h"
#include "heed/pipeline/language/language_generator.h"
#include "heed/pipeline/masked/filler.h"
#include "heed/pipeline/translate/translator.h"

namespace heed::server {

// A name and the folder it stands for.
struct ModelPlace {
  std::string name = {};
  std::filesystem::path folder = {};
};

// DIR or NAME=DIR each; the name of a folder is that of its last part. UsageError for none, for a
// name given twice, and for one that is not made of letters, digits, '.', '-' and '_'.
std::vector<ModelPlace> model_places(std::span<const std::string> written);

// Its `const` members may be called from any thread; the models themselves only by the engine.
struct ServedModel {
  std::string name{};
  std::string task{};  // "translate", "language", "classify", "masked"
  std::int64_t parameters = 0;
  // The one of its task; the others are empty.
  std::unique_ptr<const pipeline::Translator> translator{};
  std::unique_ptr<const pipeline::LanguageGenerator> generator{};
  std::unique_ptr<const pipeline::Classifier> classifier{};
  std::unique_ptr<const pipeline::Filler> filler{};

  const text::Tokeniser& tokeniser() const;  // of what it reads
  // Tokens of a text, its end included.
  std::int64_t tokens(std::string_view text) const;
};

using ModelPointer = std::shared_ptr<const ServedModel>;
using ModelSet = std::vector<ModelPointer>;

// DataError naming the file for a folder that is not whole, damaged or of a task that cannot be
// served.
ModelPointer load_model(const ModelPlace& place);
ModelSet load_models(std::span<const ModelPlace> places);

// The model of this name or, with an empty one, the first that does one of the tasks. HttpError 404
// when there is none, and 400 when the model of this name does something else.
ModelPointer find_model(const ModelSet& models, const std::string& name,
                        std::span<const std::string> tasks);

}  // namespace heed::server
