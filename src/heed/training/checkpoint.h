// SPDX-License-Identifier: Apache-2.0
// Checkpoints: everything a run needs to resume, each in one safetensors file written all or
// nothing.
//
// A folder holds `update-00000500.safetensors` and its like. Tensors are named by part and name,
// such as "parameters/encoder.0.weight" and "optimiser/encoder.0.weight/mean"; all else is text in
// the metadata ("notes"), with "format" and the "checksum" of the rest.
#pragma once  // public header

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "heed/nn/module.h"
#include "heed/tensor/tensor.h"

#pragma GCC visibility push(default)  // exported

namespace heed::training {

inline constexpr std::string_view kCheckpointFormat = "heed checkpoint 1";
inline constexpr std::string_view kParameterPrefix = "parameters/";

struct Checkpoint {
  std::map<std::string, Tensor> tensors = {};
  std::map<std::string, std::string> notes = {};

  // Adds tensors as "PART/NAME"; takes those of a part out under their names alone.
  void put(std::string_view part, const std::map<std::string, Tensor>& named);
  std::map<std::string, Tensor> part(std::string_view part) const;
  // The note of that name; DataError when there is none.
  const std::string& note(const std::string& name) const;
};

// The values of parameters by name, shared, and back into the parameters. DataError when names or
// shapes do not fit; then no parameter has changed.
std::map<std::string, Tensor> parameter_values(const nn::Parameters& parameters);
void restore_parameters(nn::Parameters parameters, const std::map<std::string, Tensor>& values);

// DataError when the file cannot be written; then whatever was there remains.
void write_checkpoint(const Checkpoint& checkpoint, const std::filesystem::path& path);
// DataError for a file that is no checkpoint, is of another format, or whose content is not what
// was written.
Checkpoint read_checkpoint(const std::filesystem::path& path);

struct CheckpointFile {
  std::int64_t update = 0;
  std::filesystem::path path;
};
// The checkpoints of a folder, oldest first; none when there is no folder.
std::vector<CheckpointFile> checkpoint_files(const std::filesystem::path& folder);

// A folder of checkpoints while a run writes to it. No other process may: a second run over the
// same folder is a UsageError. The lock goes with the process, however it ends.
class CheckpointStore {
 public:
  // Makes the folder, and removes temporary files of runs that were killed.
  explicit CheckpointStore(std::filesystem::path folder);
  ~CheckpointStore();
  CheckpointStore(const CheckpointStore&) = delete;
  CheckpointStore& operator=(const CheckpointStore&) = delete;

  const std::filesystem::path& folder() const { return folder_; }

  std::filesystem::path save(const Checkpoint& checkpoint, std::int64_t update);
  // Removes all but the last `last` and that of update `best`.
  void keep(std::int64_t last, std::int64_t best);
  void clear();

  struct Found {
    Checkpoint checkpoint;
    CheckpointFile file;
    std::vector<std::string> warnings;  // one for each newer one that is damaged
  };
  // The newest one that is whole; damaged ones newer than it are renamed to `NAME.damaged`. None
  // when there is no checkpoint; DataError that lists them when none is whole.
  std::optional<Found> newest();

 private:
  std::filesystem::path folder_;
  int lock_ = -1;
};

}  // namespace heed::training

#pragma GCC visibility pop
