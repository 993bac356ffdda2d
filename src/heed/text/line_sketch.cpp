// SPDX-License-Identifier: Apache-2.0
// An open table of hashes that grows and, when it is full, halves what it keeps.
#include "heed/text/line_sketch.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace heed::text {
namespace {

std::uint64_t mixed(std::uint64_t a, std::uint64_t b) {
  const auto product = static_cast<unsigned __int128>(a) * b;
  return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64);
}

constexpr std::uint64_t kFirst = 0x9E3779B97F4A7C15u;
constexpr std::uint64_t kSecond = 0xD1B54A32D192ED03u;

void keep_first(std::vector<std::uint64_t>& lines, std::uint64_t line) {
  if (lines.size() < CountedLines::kKept) lines.push_back(line);
}

}  // namespace

// Eight bytes at a time, multiplied to 128 bits whose halves are put together.
std::uint64_t text_hash(std::string_view text, std::uint64_t seed) {
  std::uint64_t hash = seed ^ mixed(text.size() + 1, kFirst);
  const char* at = text.data();
  std::size_t left = text.size();
  for (; left >= 8; at += 8, left -= 8) {
    std::uint64_t word = 0;
    std::memcpy(&word, at, 8);
    hash = mixed(hash ^ word, kFirst ^ left);
  }
  std::uint64_t word = 0;
  if (left > 0) std::memcpy(&word, at, left);
  return mixed(mixed(hash ^ word, kSecond) ^ kFirst, kSecond);
}

LineSketch::LineSketch(int most_bits)
    : most_bits_(most_bits), bits_(std::min(most_bits, 10)), table_(std::size_t{1} << bits_) {}

std::size_t LineSketch::place_of(std::uint64_t hash) const {
  const std::size_t mask = table_.size() - 1;
  // The low bits decide what is kept, so the high ones decide where.
  std::size_t place = static_cast<std::size_t>(hash >> (64 - bits_));
  while (table_[place].count > 0 && table_[place].hash != hash) place = (place + 1) & mask;
  return place;
}

void LineSketch::add(std::uint64_t hash, std::uint64_t line, std::uint32_t said) {
  Entry& entry = table_[place_of(hash)];
  if (entry.count == 0) {
    if (!kept(hash)) return;
    entry = {.hash = hash, .count = 1, .said = said, .line = line};
    if (++used_ > table_.size() / 4 * 3) make_room();
    return;
  }
  if (++entry.count == 2) entry.level = static_cast<std::uint8_t>(level_);
  const std::uint64_t weight = std::uint64_t{1} << entry.level;
  repeated_ += weight;
  keep_first(repeated_lines_, line);
  if (entry.said != said) {
    contradicting_ += weight;
    keep_first(contradicting_lines_, line);
  }
  if (entry.count > commonest_.count) commonest_ = entry;
}

void LineSketch::make_room() {
  const bool grows = bits_ < most_bits_;
  if (grows) {
    ++bits_;
  } else {
    ++level_;
  }
  // Repeated texts stay, unless there would be hardly any room for others.
  const auto repeated = std::ranges::count_if(table_, [](const Entry& e) { return e.count > 1; });
  const bool too_many = !grows && static_cast<std::size_t>(repeated) > table_.size() / 2;
  std::vector<Entry> old(std::size_t{1} << bits_);
  std::swap(old, table_);
  used_ = 0;
  for (Entry& entry : old) {
    if (entry.count == 0) continue;
    if (!kept(entry.hash) && (entry.count == 1 || too_many)) continue;
    if (too_many && entry.count > 1) entry.level = entry.level + 1;
    table_[place_of(entry.hash)] = entry;
    ++used_;
  }
}

const LineSketch::Entry* LineSketch::find(std::uint64_t hash) const {
  const Entry& entry = table_[place_of(hash)];
  return entry.count > 0 ? &entry : nullptr;
}

}  // namespace heed::text
