// SPDX-License-Identifier: Apache-2.0
// Lists of lists of digits to be worked out, in the form of ListOps (Nangia & Bowman 2018) as the
// Long Range Arena has them (Tay et al. 2021): [MAX 4 3 [MIN 2 3 ] 1 0 ] is 4.
#pragma once

#include <cstdint>
#include <string>

#include "heed/base/random.h"

namespace heed::corpora {

struct ListOpsOptions {
  std::int64_t words = 500;     // what spaces separate: "[MAX", "4" and "]" are one each
  std::int64_t depth = 10;      // lists inside lists, the outermost counted
  std::int64_t arguments = 10;  // of a list, at most; two at least
};

// A list of exactly so many words whose value is `value`, a digit: the shape of the list is drawn
// first and does not tell the value; then its digits and operators are drawn until the value is
// right. MAX and MIN are the largest and the smallest argument, MED the median (of an even number
// of arguments the mean of the two in the middle, rounded down), SM the sum modulo 10. UsageError
// where lists so deep and with so many arguments do not have as many words.
std::string draw_listops(Random& random, const ListOpsOptions& options, int value);

}  // namespace heed::corpora
