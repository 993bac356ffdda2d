// SPDX-License-Identifier: Apache-2.0
// ServedModel: a model folder of any kind under the name it is served by, and the set of all.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "heed/pipeline/model.h"

namespace heed::server {

// A name and the folder it stands for.
struct ModelPlace {
  std::string name = {};
  std::filesystem::path folder = {};
};

// DIR or NAME=DIR each; the name of a folder is that of its last part. UsageError for a name given
// twice, and for one that is not made of letters, digits, '.', '-' and '_'.
std::vector<ModelPlace> model_places(std::span<const std::string> written);
// One of them. UsageError likewise.
ModelPlace model_place(const std::string& written);
// Whether it is made of these.
bool is_model_name(std::string_view name);

// Its `const` members may be called from any thread; what its model computes only by the engine.
struct ServedModel {
  std::string name{};
  std::int64_t parameters = 0;
  double load_seconds = 0;              // how long loading it took
  double loaded_at = 0;                 // seconds since 1970
  std::vector<std::string> examples{};  // texts to try it with, of the kind it was trained on
  std::unique_ptr<const pipeline::Model> model{};

  const std::string& task() const;  // the name of its kind
};

using ModelPointer = std::shared_ptr<const ServedModel>;
using ModelSet = std::vector<ModelPointer>;

// DataError naming the file for a folder that is not whole, damaged or of an unknown kind.
ModelPointer load_model(const ModelPlace& place);
ModelSet load_models(std::span<const ModelPlace> places);

// The model of this name or, with an empty one, the first of one of these kinds. HttpError 404 when
// there is none, and 400 when the model of this name is of another kind.
ModelPointer find_model(const ModelSet& models, const std::string& name,
                        std::span<const std::string> kinds);

}  // namespace heed::server
