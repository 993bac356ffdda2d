// SPDX-License-Identifier: Apache-2.0
// Fuzz target of what training resumes from: a checkpoint's file, or its notes (parts "@NAME").
#include "heed/training/checkpoint.h"

#include "heed/base/fuzzing.h"
#include "heed/training/curve.h"
#include "heed/training/trainer_state.h"

namespace heed::test {
namespace {

void read_file_of(std::string_view bytes) {
  static MemoryFile file;
  file.hold(bytes);
  training::read_state(training::read_checkpoint(file.path()));
}

void read_notes(std::string_view bytes) {
  training::Checkpoint checkpoint;
  write_state({}, checkpoint);
  for (const auto& [name, note] : parts_of(bytes)) checkpoint.notes[name] = note;
  const training::TrainerState state = read_state(checkpoint);
  training::Checkpoint again;
  write_state(state, again);
  training::Checkpoint once_more;
  write_state(read_state(again), once_more);
  require(once_more.notes == again.notes, "a state comes back changed");
  const training::Curve curve = training::Curve::from_text(state.curve);
  require(training::Curve::from_text(curve.text()).text() == curve.text(),
          "a curve comes back changed");
}

bool read_checkpoint_or_notes(std::string_view bytes) {
  return accepted([&] { bytes.starts_with('@') ? read_notes(bytes) : read_file_of(bytes); });
}

const FuzzTarget kCheckpoint("checkpoint", read_checkpoint_or_notes);

}  // namespace
}  // namespace heed::test
