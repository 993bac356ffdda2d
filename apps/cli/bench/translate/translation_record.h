// SPDX-License-Identifier: Apache-2.0
// What a benchmark translates, and a file that gives other programs the same work and its result.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <vector>

#include "heed/decoding/search.h"
#include "heed/models/encoder_decoder.h"

namespace heed::cli {

struct TranslationWork {
  std::unique_ptr<models::EncoderDecoder> model;
  std::int64_t heads = 0;  // of each attention
  std::vector<models::Sequences> batches{};
  decoding::Constraints constraints{};
};

// Writes, as safetensors: every weight as "model.NAME"; of batch i "i.source" [B,S] and
// "i.source_lengths" [B], its outputs as "i.target" [B,T] and "i.target_lengths" [B], their ends
// included, and "i.log_probabilities" [sum of lengths], as the model gives them when it reads the
// whole target at once. Metadata: heads; least, most_per_source and most, the limits of length;
// ends, whether outputs may end before these.
void write_record(const TranslationWork& work,
                  const std::vector<std::vector<decoding::Hypothesis>>& outputs,
                  const std::filesystem::path& path);

}  // namespace heed::cli
