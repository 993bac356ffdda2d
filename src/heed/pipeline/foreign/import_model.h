// SPDX-License-Identifier: Apache-2.0
// A folder that another program wrote, made a model folder of Heed's: all of it, or nothing.
//
//   import_model({.from = "bert-base-uncased", .to = "models/bert"});
#pragma once  // public header

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "heed/pipeline/print.h"

#pragma GCC visibility push(default)  // exported

namespace heed::pipeline {

struct ImportOptions {
  std::filesystem::path from{};  // config.json, weights and vocabulary
  std::filesystem::path to{};    // the model folder; it must not be there yet
  std::string task{};            // which kind of model; empty: the first that takes it
  bool second = false;           // classifiers: whether it judges pairs of texts
};

struct ImportReport {
  std::string kind{};                            // of model
  std::string family{};                          // "BERT"
  std::int64_t parameters = 0;                   // elements
  std::int64_t tokens = 0;                       // of the vocabulary, made-up rows included
  std::size_t used = 0;                          // tensors of the folder
  std::map<std::string, std::string> dropped{};  // the others, with the reason
  std::vector<std::string> warnings{};
  std::string use{};  // the command that uses it
};

// Every tensor of the folder is used or dropped by a rule, and every parameter of the model is
// found or made by one; DataError that lists all that is not so, or names file and place of what is
// wrong. UsageError for a task that there is not, or a folder that is there already.
ImportReport import_model(const ImportOptions& options, const Print& print = nullptr);

// The architectures that can be imported, with the kinds of models that they become.
std::vector<std::pair<std::string, std::string>> importable();

}  // namespace heed::pipeline

#pragma GCC visibility pop
