// SPDX-License-Identifier: Apache-2.0
// ModelKind: one kind of model (translators, classifiers, ...) as all that serves every kind asks
// for it: folders, training, descriptions, comparisons, verbs and the server. A kind is listed by a
// file of its own folder, and no file outside that folder names it.
//
//   const ListedKind kListed({.name = "translate", .noun = "translator", .open = open, ...});
#pragma once  // public header

#include <filesystem>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "heed/insight/describe/description.h"
#include "heed/pipeline/presets.h"

#pragma GCC visibility push(default)  // exported

namespace heed::pipeline {

struct KindOptions;
class Model;

// What a model gives a log-probability to.
enum class Scored { nothing, texts, pairs };

struct ModelKind {
  std::string name = {};     // "translate": of model folders, `heed train` and --task
  std::string noun = {};     // "translator"
  int rank = 0;              // where several kinds could be meant, the lowest is
  std::string verb = {};     // "heed translate": what uses its models
  std::string example = {};  // of that verb, {} standing for the folder
  // Of its folders, besides weights and config: what each has, and what some have.
  std::vector<std::string> files = {};
  std::vector<std::string> files_of_some = {};
  Scored scores = Scored::nothing;
  std::string instead_of_scores = {};  // where its models score nothing: what to do with them
  // A training may start from models of its own kind and from those that teach what it learns from.
  std::string teaches = {};  // "text encoder"; empty: nothing to other kinds
  std::string learns_from = {};
  insight::KindNotes notes = {};  // for descriptions
  std::span<const Preset> (*presets)() = nullptr;
  std::unique_ptr<KindOptions> (*options)() = nullptr;  // of its training
  // Names of the options that make a model what it is: which tensors it has, how large they are,
  // and how it reads.
  std::vector<std::string> (*shaping_options)() = nullptr;
  // DataError naming the file for a folder that is not whole, damaged, or of another kind.
  std::unique_ptr<Model> (*open)(const std::filesystem::path& folder) = nullptr;

  bool starts_from(const ModelKind& other) const;
  // "heed translate --model FOLDER < SOURCE"
  std::string use_of(const std::string& folder) const;
};

// Every kind, by rank. A function-local static, so that kinds may list themselves in any order.
std::span<const ModelKind> kinds();
// nullptr when there is none.
const ModelKind* find_kind(std::string_view name);
// UsageError naming the nearest when there is none.
const ModelKind& kind_called(const std::string& name);
// "translate, language", those for which `holds` is true; all without it.
std::vector<std::string> kind_names(const std::function<bool(const ModelKind&)>& holds = nullptr);

struct ListedKind {
  explicit ListedKind(ModelKind kind);
};

}  // namespace heed::pipeline

#pragma GCC visibility pop
