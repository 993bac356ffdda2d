// SPDX-License-Identifier: Apache-2.0
// The weights of a folder that was written elsewhere, in one file or in shards, as one list of
// named tensors. Nothing is read before its shape has been compared with what it should be.
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "heed/base/dtype.h"
#include "heed/base/json.h"
#include "heed/tensor/real.h"

namespace heed::pipeline {

// One tensor of one file.
struct ForeignTensor {
  std::string stored_name;  // as the file has it
  std::string file;
  DType dtype = DType::kF32;
  std::vector<std::size_t> shape;
  std::size_t count = 0;
  // Its values into memory that has `count` places.
  std::function<void(std::span<Real>)> read;
};

class ForeignWeights {
 public:
  // model.safetensors, or the shards that an index names, or the only *.safetensors; where there is
  // none of these, pytorch_model.bin, whole or in shards. DataError that
  // names file and place for an index that points outside the folder, for a tensor that is missing
  // from the shard named for it, and for one that two files have.
  explicit ForeignWeights(const std::filesystem::path& folder);

  // Takes this off the front of the names that have it, and gives early names of norms their later
  // ones: "bert.embeddings.LayerNorm.gamma" is "embeddings.LayerNorm.weight".
  void strip(std::string_view prefix);

  // Sorted by name; the first is the name that importers use.
  const std::map<std::string, ForeignTensor>& tensors() const { return tensors_; }
  const ForeignTensor* find(const std::string& name) const;
  // Whether two tensors of one shape have the same values.
  bool same(const ForeignTensor& one, const ForeignTensor& other) const;
  const std::vector<std::filesystem::path>& files() const { return files_; }

 private:
  // What an index says of one file.
  struct Shard {
    std::string index{};
    std::set<std::string> tensors{};
  };
  void add_shards(const std::filesystem::path& folder, const char* index);
  void add_file(const std::filesystem::path& path, const Shard* shard);

  std::map<std::string, ForeignTensor> tensors_;
  std::vector<std::filesystem::path> files_;
};

// What one file of a folder calls another: it lies in the folder itself. DataError for a path.
const std::string& plain_name(const JsonPlace& place);

// "[3, 4]"
std::string shape_text(std::span<const std::size_t> shape);

}  // namespace heed::pipeline
