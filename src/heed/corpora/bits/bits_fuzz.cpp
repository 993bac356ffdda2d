// SPDX-License-Identifier: Apache-2.0
// Fuzz target of files of bits, as they are and as instances of every task.
#include "heed/base/fuzzing.h"
#include "heed/corpora/bits/bit_files.h"

namespace heed::test {
namespace {

using corpora::BitTask;

bool read_bits(std::string_view bytes) {
  return accepted([&] {
    const std::vector<corpora::BitLines> all = corpora::parse_bit_lines(bytes, "input");
    accepted([&] { corpora::form_of(all, "input"); });
    for (const corpora::BitLines& one : all) {
      require(!one.vectors.empty(), "a sequence without vectors");
      const std::string line = corpora::written_bits(one.vectors);
      require(corpora::parse_bit_line(line, "line") == one.vectors, "vectors come back changed");
      for (const BitTask task :
           {BitTask::copy, BitTask::repeat_copy, BitTask::recall, BitTask::ngrams, BitTask::sort}) {
        corpora::BitForm form = corpora::usual_form(task);
        if (task != BitTask::ngrams) form.bits = std::ssize(one.vectors.front().bits);
        accepted([&] {
          const corpora::BitSequence made = corpora::posed(form, one.vectors, "input");
          require(std::ssize(made.inputs) == made.steps * form.inputs() &&
                      std::ssize(made.targets) == made.steps * form.outputs(),
                  "steps of another size");
        });
      }
    }
  });
}

const FuzzTarget kBits("bits", read_bits);

}  // namespace
}  // namespace heed::test
