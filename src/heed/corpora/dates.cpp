// SPDX-License-Identifier: Apache-2.0
// Calendars and the ways to write a day.
#include "heed/corpora/dates.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "heed/base/error.h"
#include "heed/base/text.h"
#include "heed/corpora/listed_corpus.h"

namespace heed::corpora {
namespace {

constexpr std::array kMonths = {"January",   "February", "March",    "April",
                                "May",       "June",     "July",     "August",
                                "September", "October",  "November", "December"};
constexpr std::array kWeekdays = {"Sunday",   "Monday", "Tuesday", "Wednesday",
                                  "Thursday", "Friday", "Saturday"};

int days_of(int year, int month) {
  constexpr std::array kDays = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  const bool leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
  return month == 2 && leap ? 29 : kDays.at(static_cast<std::size_t>(month - 1));
}

// Sakamoto's congruence: the weekday, Sunday being 0.
int weekday_of(Date date) {
  constexpr std::array kShift = {0, 3, 2, 5, 0, 3, 5, 1, 4, 6, 2, 4};
  if (date.month < 3) --date.year;
  return (date.year + date.year / 4 - date.year / 100 + date.year / 400 +
          kShift.at(static_cast<std::size_t>(date.month - 1)) + date.day) %
         7;
}

std::string ordinal(int day) {
  const bool teen = day / 10 == 1;
  const int last = teen ? 0 : day % 10;
  return fmt::format("{}{}", day, last == 1 ? "st" : last == 2 ? "nd" : last == 3 ? "rd" : "th");
}

}  // namespace

std::string write_iso_date(const Date& date) {
  return fmt::format("{:04}-{:02}-{:02}", date.year, date.month, date.day);
}

std::string write_date(const Date& date, int form) {
  const auto [year, month, day] = date;
  if (year < 1970 || year > 2069 || month < 1 || month > 12 || day < 1 ||
      day > days_of(year, month)) {
    throw UsageError("date: {} is not a day from 1970 to 2069", write_iso_date(date));
  }
  const std::string_view name = kMonths.at(static_cast<std::size_t>(month - 1));
  const std::string_view weekday = kWeekdays.at(static_cast<std::size_t>(weekday_of(date)));
  const std::string_view cut = name.substr(0, 3);
  switch (form) {
    case 0:
      return fmt::format("{} of {} {}", ordinal(day), name, year);
    case 1:
      return fmt::format("{} {} {}", day, name, year);
    case 2:
      return fmt::format("{} {}, {}", name, day, year);
    case 3:
      return fmt::format("{}, {} {} {}", weekday, day, name, year);
    case 4:
      return fmt::format("{}, {} {}, {}", weekday, name, ordinal(day), year);
    case 5:
      return fmt::format("{} {} {:02}", day, cut, year % 100);
    case 6:
      return fmt::format("{}-{}-{}", day, cut, year);
    case 7:
      return fmt::format("{:02}.{:02}.{}", day, month, year);
    case 8:
      return fmt::format("{}.{}.{:02}", day, month, year % 100);
    case 9:
      return fmt::format("{:02}/{:02}/{}", month, day, year);
    case 10:
      return fmt::format("{:02}/{:02}/{:02}", month, day, year % 100);
    case 11:
      return fmt::format("the {} of {}, {}", ordinal(day), lower(name), year);
    case 12:
      return fmt::format("{} {} in {}", name, ordinal(day), year);
    case 13:
      return fmt::format("{} {} {}", year, lower(cut), day);
    default:
      break;
  }
  throw UsageError("date: form {}; there are the forms 0 to {}", form, kDateForms - 1);
}

std::string write_in_order(const Date& date, int form) {
  const auto [year, month, day] = date;
  switch (form) {
    case 2:
    case 4:
    case 9:
    case 10:
    case 12:
      return fmt::format("{:02} {:02} {}", month, day, year);
    case 13:
      return fmt::format("{} {:02} {:02}", year, month, day);
    default:
      return fmt::format("{:02} {:02} {}", day, month, year);
  }
}

namespace {

Date draw_day(Random& random) {
  Date date;
  date.year = 1970 + static_cast<int>(random.integer(100));
  date.month = 1 + static_cast<int>(random.integer(12));
  date.day = 1 + static_cast<int>(
                     random.integer(static_cast<std::uint64_t>(days_of(date.year, date.month))));
  return date;
}

int draw_form(Random& random) {
  return static_cast<int>(random.integer(kDateForms));
}

// Whether a word says day, month or year.
bool says_something(std::string_view word) {
  const bool filler = word == "of" || word == "the" || word == "in";
  return !filler && !word.ends_with("day,");
}

}  // namespace

Example draw_date(Random& random) {
  const Date date = draw_day(random);
  Example example{.source = write_date(date, draw_form(random)), .target = write_iso_date(date)};
  // The ISO date is one word; every word that says day, month or year is in it.
  const auto words = split(example.source, ' ');
  for (std::size_t i = 0; i < words.size(); ++i) {
    example.alignment.push_back({static_cast<int>(i), 0, says_something(words[i])});
  }
  return example;
}

Example draw_ordered_date(Random& random) {
  const Date date = draw_day(random);
  const int form = draw_form(random);
  Example example{.source = write_date(date, form), .target = write_in_order(date, form)};
  const auto words = split(example.source, ' ');
  if (words.size() == 1) {  // 03.05.1998
    example.alignment = {{0, 0}, {0, 1}, {0, 2}};
    return example;
  }
  int number = 0;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const bool sure = says_something(words[i]);
    // What says nothing goes with the number that follows, or may be left out.
    example.alignment.push_back({static_cast<int>(i), std::min(number, 2), sure});
    number += sure ? 1 : 0;
  }
  return example;
}

namespace {

const ListedCorpus kDates({.name = "dates",
                           .description = "Dates as people write them, to be written as ISO 8601",
                           .size = 20'000,
                           .source_suffix = "text",
                           .target_suffix = "iso"},
                          [](Random& random, const CorpusDraw&) { return draw_date(random); });

const ListedCorpus kOrderedDates(
    {.name = "dates-in-order",
     .description = "Dates as people write them, to be written in figures in the same order",
     .size = 20'000,
     .source_suffix = "text",
     .target_suffix = "figures"},
    [](Random& random, const CorpusDraw&) { return draw_ordered_date(random); });

}  // namespace
}  // namespace heed::corpora
