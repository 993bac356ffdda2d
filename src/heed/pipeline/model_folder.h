// SPDX-License-Identifier: Apache-2.0
// A model folder: what a trained model is on disk. docs/translation.md describes it.
//
//   model.safetensors   the weights; its metadata say {"heed": VERSION, "format": "1", "task":
//   ...},
//                       how long the longest training text was, and which files belong to them
//   config.toml         every option of its training
//   tokeniser           or other files of vocabularies and labels, as its kind lists them
//   card.md             what it is, in words
//   curve.svg .tsv      loss and metrics while it was trained
//   checkpoints/        what training needs to resume
#pragma once  // public header

#include <cstdint>
#include <filesystem>
#include <new>
#include <string>
#include <string_view>

#include "heed/base/error.h"
#include "heed/base/options.h"
#include "heed/nn/initialisers.h"
#include "heed/nn/module.h"
#include "heed/tensor/memory_use.h"

#pragma GCC visibility push(default)  // exported

namespace heed::pipeline {

struct ModelKind;

struct ModelFolder {
  std::filesystem::path path;

  std::filesystem::path weights() const { return path / "model.safetensors"; }
  std::filesystem::path config() const { return path / "config.toml"; }
  std::filesystem::path card() const { return path / "card.md"; }
  std::filesystem::path curve() const {
    return path / "curve.tsv";
  }  // losses and metrics by update
  // A file of its kind: a vocabulary, labels.
  std::filesystem::path file(std::string_view name) const { return path / name; }

  // Writes the weights, atomically, and with them what config and files of the kind lie beside
  // them: these belong together from now on. `longest`: tokens of the longest training text; 0:
  // unknown.
  void save_weights(const nn::Parameters& parameters, const std::string& kind,
                    std::int64_t longest = 0) const;
  // Reads them. DataError for a damaged file, and for one that does not fit the model.
  void load_weights(nn::Parameters& parameters) const;
  // The kind of model it holds. DataError when this version cannot read it: says what is missing,
  // which version wrote it, or that it does not know the kind.
  const ModelKind& kind() const;
  // DataError as of kind(), for a model of another kind than this, which says what uses it, and for
  // a file that does not belong to the weights.
  void check(const std::string& kind) const;
  // Tokens of the longest training text; 0: unknown. Of a folder that has passed check().
  std::int64_t longest() const;

  // Reads the config. DataError, with file and line, for what is no option or value.
  void read_config(Options& options) const;
  // What `make` makes of the config: a UsageError, as for an attention that there is not, becomes a
  // DataError that names the file; likewise a model for which the weights are far too small a file.
  template <typename Make>
  auto made(const Make& make) const {
    try {
      const MemoryLimit limit(most_memory());
      const nn::ZeroWeights until_they_are_read;
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
  // DataError for a config that is damaged, or of another kind of model.
  void check_config(const ModelKind& kind) const;
  // Bytes that the weights may take when they are read, and their first values before that.
  std::int64_t most_memory() const;
};

}  // namespace heed::pipeline

#pragma GCC visibility pop
