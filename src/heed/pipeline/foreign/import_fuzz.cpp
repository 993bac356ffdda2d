// SPDX-License-Identifier: Apache-2.0
// Fuzz target of imports: the parts of an input ("@config.json") are the files of a folder that
// another program wrote. Configs, indices and vocabularies have to fit weights that are there.
#include <map>
#include <new>

#include "heed/base/fuzzing.h"
#include "heed/base/testing.h"
#include "heed/base/threads.h"
#include "heed/pipeline/foreign/import_model.h"
#include "heed/tensor/memory_use.h"

namespace heed::test {
namespace {

namespace fs = std::filesystem;

// A folder whose files are in memory; only those of the input are there.
class ForeignInput {
 public:
  ForeignInput() {
    set_threads(1);
    fs::create_directory(folder_ / "1_Pooling");
  }

  const fs::path& hold(const std::map<std::string, std::string_view>& parts) {
    for (const char* name :
         {"config.json", "generation_config.json", "tokenizer.json", "tokenizer_config.json",
          "vocab.txt", "modules.json", "1_Pooling/config.json", "sentence_bert_config.json",
          "preprocessor_config.json", "model.safetensors", "model.safetensors.index.json",
          "part.safetensors"}) {
      std::error_code ignored;
      fs::remove(folder_ / name, ignored);
      const auto part = parts.find(name);
      if (part == parts.end()) continue;
      files_[name].hold(part->second);
      fs::create_symlink(files_[name].path(), folder_ / name);
    }
    return folder_.path();
  }

 private:
  TemporaryFolder folder_{};
  std::map<std::string, MemoryFile> files_{};
};

// Models of the seeds are tiny.
constexpr std::int64_t kMostImported = 1 << 20;

bool read_import(std::string_view bytes) {
  static ForeignInput input;
  static const TemporaryFolder out;
  const fs::path& from = input.hold(parts_of(bytes));
  std::error_code ignored;
  const bool read = accepted([&] {
    const MemoryLimit limit(kMostImported);
    try {
      pipeline::import_model({.from = from, .to = out / "model"});
    } catch (const std::bad_alloc&) {
      throw UsageError("a larger model than is searched");
    }
  });
  require(read == fs::exists(out / "model", ignored), "a folder was left half-written, or lost");
  fs::remove_all(out / "model", ignored);
  require(fs::is_empty(out.path(), ignored), "an import left something behind");
  return read;
}

const FuzzTarget kImport("import", read_import);

}  // namespace
}  // namespace heed::test
