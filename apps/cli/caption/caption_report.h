// SPDX-License-Identifier: Apache-2.0
// What `heed caption` prints and draws: captions, where each word looked, and how good they are.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "heed/insight/draw/overlay.h"
#include "heed/pipeline/caption/caption_writer.h"

namespace heed::cli {

struct ShownCaption {
  std::string name{};  // of the picture
  images::Image picture{};
  corpora::Pictured said{};  // what is known of it
  pipeline::LookedCaption look{};
};

std::string caption_text(const ShownCaption& one);
std::string captions_json(std::span<const ShownCaption> all);

struct MeasuredCaptions {
  std::string part{};
  pipeline::CaptionQuality quality{};
};
std::string caption_table(std::span<const MeasuredCaptions> rows);
std::string caption_table_json(std::span<const MeasuredCaptions> rows);

// The picture once for every word, with the boxes of what the word speaks of where that is known.
// UsageError for a model without attention.
insight::OverlayScene caption_scene(const pipeline::CaptionWriter& writer, const ShownCaption& one);

}  // namespace heed::cli
