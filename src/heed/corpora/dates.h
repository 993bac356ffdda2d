// SPDX-License-Identifier: Apache-2.0
// Dates as people write them, to be written as ISO 8601, "3rd of May 1998" to "1998-05-03", or in
// figures without another order, "03 05 1998".
//
// Days from 1970 to 2069, so that two digits of a year are enough. Two conventions make numbers
// clear: dots and hyphens have the day first (03.05.1998), slashes the month (05/03/1998).
#pragma once

#include "heed/base/random.h"
#include "heed/corpora/corpus.h"

namespace heed::corpora {

struct Date {
  int year = 1970;
  int month = 1;  // from 1
  int day = 1;
};

inline constexpr int kDateForms = 14;

// In one of the forms 0 to kDateForms - 1; UsageError for another and for a day that is not one.
std::string write_date(const Date& date, int form);
std::string write_iso_date(const Date& date);
// Day, month and year as numbers, in the order that the form has them.
std::string write_in_order(const Date& date, int form);

Example draw_date(Random& random);
// The like in the order of the text, so that its words are aligned without going back.
Example draw_ordered_date(Random& random);

}  // namespace heed::corpora
