// SPDX-License-Identifier: Apache-2.0
// Weights from counts, or as written.
#include "heed/pipeline/classify/class_weights.h"

#include <algorithm>
#include <numeric>
#include <set>

#include "heed/base/error.h"
#include "heed/base/text.h"

namespace heed::pipeline {
namespace {

void set_written(std::string_view written, const text::Labels& labels, const std::string& train,
                 std::vector<std::vector<Real>>& weights) {
  std::set<std::string> named;
  for (const std::string_view part : split(written, ',')) {
    const std::size_t sign = part.rfind('=');
    if (sign == part.npos) {
      throw UsageError(
          "--class-weights is \"{}\": it takes none, balanced, or a list such as \"bad=2,good=1\"",
          written);
    }
    const std::string name(trim(part.substr(0, sign)));
    const double weight =
        parse_number(trim(part.substr(sign + 1)), "--class-weights, that of " + name);
    if (!(weight > 0)) {
      throw UsageError("--class-weights: {} for \"{}\"; a weight is above 0", weight, name);
    }
    if (!named.insert(name).second) {
      throw UsageError("--class-weights: \"{}\" has two weights in \"{}\"; give one", name,
                       written);
    }
    bool found = false;
    std::vector<std::string> known;
    for (std::size_t a = 0; a < weights.size(); ++a) {
      const text::Aspect& aspect = labels.aspects()[a];
      known.insert(known.end(), aspect.classes.begin(), aspect.classes.end());
      const std::int32_t place = aspect.find(name);
      if (place < 0) continue;
      found = true;
      weights[a][static_cast<std::size_t>(place)] = static_cast<Real>(weight);
    }
    if (!found) {
      throw UsageError(
          "--class-weights: no text of {} has the class \"{}\"{}; leave it out, or add texts",
          train, name, did_you_mean(name, known));
    }
  }
}

}  // namespace

std::vector<std::vector<Real>> class_weights(const std::string& written, const text::Labels& labels,
                                             const std::string& train) {
  std::vector<std::vector<Real>> weights;
  for (const text::Aspect& aspect : labels.aspects()) {
    std::vector<Real>& mine = weights.emplace_back(aspect.classes.size(), Real{1});
    if (written != "balanced") continue;
    const auto texts =
        std::accumulate(aspect.counts.begin(), aspect.counts.end(), std::uint64_t{0});
    for (std::size_t i = 0; i < mine.size(); ++i) {
      mine[i] = static_cast<Real>(static_cast<double>(texts) /
                                  static_cast<double>(mine.size() * aspect.counts[i]));
    }
  }
  if (written != "none" && written != "balanced") set_written(written, labels, train, weights);
  return weights;
}

}  // namespace heed::pipeline
