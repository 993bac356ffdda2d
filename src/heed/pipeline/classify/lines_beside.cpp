// SPDX-License-Identifier: Apache-2.0
// Lines are counted to the end before they are said to be too many.
#include "heed/pipeline/classify/lines_beside.h"

#include "heed/base/error.h"
#include "heed/text/lines.h"

namespace heed::pipeline {

void read_beside(const std::filesystem::path& path, std::size_t texts,
                 const std::filesystem::path& data, const LineBeside& each) {
  text::LineReader reader(path);
  std::string line;
  std::size_t read = 0;
  while (read < texts && reader.next(line)) {
    each(read, line, fmt::format("{}:{}", reader.name(), reader.line()));
    ++read;
  }
  if (read == texts && !reader.next(line)) return;
  while (reader.next(line)) {
  }
  throw DataError(
      "{} has {} line{} and {} has {} text{}; line n of one must belong to text n of the other",
      reader.name(), reader.line(), reader.line() == 1 ? "" : "s", data.string(), texts,
      texts == 1 ? "" : "s");
}

}  // namespace heed::pipeline
