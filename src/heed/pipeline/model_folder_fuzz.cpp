// SPDX-License-Identifier: Apache-2.0
// Fuzz target of model folders: the parts of an input ("@config.toml") are the files of a folder.
// A part "@task" stands for weights of that task which hold no tensor.
#include "heed/pipeline/model_folder.h"

#include <map>
#include <new>
#include <set>

#include "heed/base/fuzzing.h"
#include "heed/base/testing.h"
#include "heed/base/threads.h"
#include "heed/pipeline/choices.h"
#include "heed/pipeline/model.h"
#include "heed/pipeline/model_facts.h"
#include "heed/pipeline/model_kind.h"
#include "heed/tensor/memory_use.h"

namespace heed::test {
namespace {

// A folder whose files are in memory.
class InputFolder {
 public:
  InputFolder() {
    set_threads(1);
    std::set<std::string> names = {"model.safetensors", "config.toml", pipeline::kChoicesFile};
    for (const pipeline::ModelKind& kind : pipeline::kinds()) {
      names.insert(kind.files.begin(), kind.files.end());
      names.insert(kind.files_of_some.begin(), kind.files_of_some.end());
    }
    for (const std::string& name : names) {
      std::filesystem::create_symlink(files_[name].path(), folder_ / name);
    }
  }
  void hold(std::map<std::string, std::string_view> parts) {
    const std::string empty = without_tensors(parts["task"]);
    if (!parts.contains("model.safetensors")) parts["model.safetensors"] = empty;
    for (auto& [name, file] : files_) file.hold(parts[name]);
  }
  const std::filesystem::path& path() const { return folder_.path(); }

 private:
  static std::string without_tensors(std::string_view task) {
    const std::string header =
        fmt::format(R"({{"__metadata__":{{"format":"1","task":"{}"}}}})", task);
    return std::string{static_cast<char>(header.size()), 0, 0, 0, 0, 0, 0, 0} + header;
  }

  TemporaryFolder folder_{};
  std::map<std::string, MemoryFile> files_{};
};

void load_and_use(const std::filesystem::path& path) {
  const std::unique_ptr<pipeline::Model> model = pipeline::open_model(path);
  // Some kinds guess words, where the text has gaps; the others read the mark as a word, or bits.
  const pipeline::Input input{"a [MASK]", model->takes_second() ? "b" : ""}, bits{.text = "1"};
  if (!accepted([&] { model->trace(std::span(&input, 1)); })) {
    accepted([&] { model->trace(std::span(&bits, 1)); });
  }
  accepted([&] { model->trace(std::span(&input, 1), {{"length", "2"}}); });  // where it writes
}

// The seeds are the smallest of models; most of a search went into clearing the memory of large
// ones that its configs asked for.
constexpr std::int64_t kMostBytes = 1 << 20;

bool read_model_folder(std::string_view bytes) {
  static InputFolder folder;
  folder.hold(parts_of(bytes));
  const auto within_limit = [](const auto& action) {
    return accepted([&] {
      const MemoryLimit limit(kMostBytes);
      try {
        action();
      } catch (const std::bad_alloc&) {
        throw UsageError("a larger model than is searched");
      }
    });
  };
  within_limit([&] { pipeline::facts_of_folder(folder.path()); });
  return within_limit([&] { load_and_use(folder.path()); });
}

const FuzzTarget kModelFolder("model_folder", read_model_folder);

}  // namespace
}  // namespace heed::test
