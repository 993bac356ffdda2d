// SPDX-License-Identifier: Apache-2.0
// A model folder: what a trained model is on disk. docs/translation.md describes it.
//
//   model.safetensors   the weights; its metadata say {"heed": VERSION, "format": "1", "task": ...}
//   config.toml         every option of its training
//   tokeniser           or other files of vocabularies and labels, as its kind lists them
//   card.md             what it is, in words
//   curve.svg           loss and metrics while it was trained
//   checkpoints/        what training needs to resume
#pragma once  // public header

#include <cstdint>
#include <filesystem>
#include <new>
#include <string>
#include <string_view>

#include "heed/base/error.h"
#include "heed/base/options.h"
#include "heed/nn/module.h"
#include "heed/tensor/memory_use.h"

namespace heed::pipeline {

struct ModelKind;

struct ModelFolder {
  std::filesystem::path path;

  std::filesystem::path weights() const { return path / "model.safetensors"; }
  std::filesystem::path config() const { return path / "config.toml"; }
  std::filesystem::path card() const { return path / "card.md"; }
  // A file of its kind: a vocabulary, labels.
  std::filesystem::path file(std::string_view name) const { return path / name; }

  // Writes the weights, atomically.
  void save_weights(const nn::Parameters& parameters, const std::string& kind) const;
  // Reads them. DataError for a damaged file, and for one that does not fit the model.
  void load_weights(nn::Parameters& parameters) const;
  // The kind of model it holds. DataError when this version cannot read it: says what is missing,
  // which version wrote it, or that it does not know the kind.
  const ModelKind& kind() const;
  // DataError as of kind(), and for a model of another kind than this: says what uses it.
  void check(const std::string& kind) const;

  // Reads the config. DataError, with file and line, for what is no option or value.
  void read_config(Options& options) const;
  // What `make` makes of the config: a UsageError, as for an attention that there is not, becomes a
  // DataError that names the file; likewise a model for which the weights are far too small a file.
  template <typename Make>
  auto made(const Make& make) const {
    try {
      const MemoryLimit limit(most_memory());
      return make();
    } catch (const UsageError& error) {
      throw DataError("{}: {}; the file is damaged or was changed", config().string(),
                      error.what());
    } catch (const std::bad_alloc&) {
      throw DataError(
          "{}: its model would be far larger than {} is; the file is damaged or was changed",
          config().string(), weights().filename().string());
    }
  }

  // The name of the kind that a model or a training in the folder is of, whole or not; empty
  // without one, and where nothing says so.
  std::string kept_kind() const;
  // Removes what a model of another kind than this has left.
  void remove_other_kind(const std::string& kind) const;

 private:
  // Bytes that the weights may take when they are read, and their first values before that.
  std::int64_t most_memory() const;
};

}  // namespace heed::pipeline
