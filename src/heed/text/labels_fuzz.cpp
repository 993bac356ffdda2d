// SPDX-License-Identifier: Apache-2.0
// Fuzz target of the classes that a model folder keeps.
#include "heed/text/labels.h"

#include <algorithm>

#include "heed/base/fuzzing.h"

namespace heed::test {
namespace {

bool read_labels(std::string_view bytes) {
  static MemoryFile file;
  file.hold(bytes);
  return accepted([&] {
    const text::Labels labels = text::Labels::load(file.path());
    std::vector<std::string> names;
    for (const text::Aspect& aspect : labels.aspects()) {
      require(std::ranges::count(names, aspect.name) == 0, "two aspects have one name");
      names.push_back(aspect.name);
      require(aspect.classes.size() >= 2 && aspect.counts.size() == aspect.classes.size(),
              "an aspect without classes or counts");
      for (std::size_t i = 0; i < aspect.classes.size(); ++i) {
        require(aspect.find(aspect.classes[i]) == static_cast<std::int32_t>(i),
                "a class is not found by its name");
      }
    }
  });
}

const FuzzTarget kLabels("labels", read_labels);

}  // namespace
}  // namespace heed::test
