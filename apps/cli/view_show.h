// SPDX-License-Identifier: Apache-2.0
// What `heed view` shows besides its page: the terminal, and pictures as SVG and PNG.
#pragma once

#include <string>

#include "cli/output_files.h"
#include "heed/base/options.h"
#include "heed/insight/draw/picture.h"
#include "heed/insight/trace/trace_document.h"

namespace heed::cli {

struct ViewShow {
  enum class Aggregate { automatic, head, mean, max };
  enum class Theme { automatic, light, dark };

  std::string svg;
  std::string png;
  insight::PictureForm form = insight::PictureForm::automatic;
  std::int64_t example = 0;
  std::string set;
  std::string layer = "last";
  std::string head;
  Aggregate aggregate = Aggregate::automatic;
  insight::Normalise normalise = insight::Normalise::none;
  bool merge_words = false;
  bool hide_special = false;
  double threshold = 0;
  double mass = .8;
  std::string query;
  Theme theme = Theme::automatic;
  insight::Ramp colours = insight::Ramp::blue;
  double scale = 2;

  void declare(Options& list);
  bool wants_picture() const { return !svg.empty() || !png.empty(); }
  // Writes the pictures and says so. `title` is theirs where it is not empty.
  void write_pictures(const insight::TraceDocument& document, const std::string& title,
                      const OutputFiles& files) const;
  void print(const insight::TraceDocument& document) const;

 private:
  insight::PictureOptions options() const;
};

}  // namespace heed::cli
