// SPDX-License-Identifier: Apache-2.0
// Text helpers: splitting and joining, "did you mean", strict numbers, human-readable sizes and
// times, UTF-8 checks and column widths.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#pragma GCC visibility push(default)  // exported

namespace heed {

// The parts of text between separators; n separators give n + 1 parts, empty ones included.
// The views point into text.
std::vector<std::string_view> split(std::string_view text, char separator);

// Without ASCII white space at both ends.
std::string_view trim(std::string_view text);

std::string join(std::span<const std::string> parts, std::string_view separator);

// ASCII letters in lower case; other bytes unchanged.
std::string lower(std::string_view text);

// Fewest insertions, deletions, replacements and swaps of neighbours that turn a into b, none of
// them touching a place twice (optimal string alignment).
std::size_t edit_distance(std::string_view a, std::string_view b);

// The candidate nearest to word, upper and lower case being equal, the first of several; empty when
// none is near enough to be a slip of the keyboard (more than a third of the letters differ).
std::string nearest(std::string_view word, std::span<const std::string> candidates);

// The end of an error message: ` (did you mean "NEAREST"?)`, or nothing when nothing is near.
std::string did_you_mean(std::string_view word, std::span<const std::string> candidates);

// Strict numbers: all of text, no white space, no sign but '-', finite. `what` names the value in
// the UsageError: parse_integer("1e3", "--steps") says `--steps is "1e3": it takes a whole number`.
std::int64_t parse_integer(std::string_view text, std::string_view what);
double parse_number(std::string_view text, std::string_view what);

// "812 B", "1.5 KiB", "3.2 GiB".
std::string human_bytes(std::uint64_t bytes);

// "0.8 ms", "12.3 s", "4 min 05 s", "2 h 03 min", "3 d 04 h".
std::string human_duration(double seconds);

// The place of the first byte that is not well-formed UTF-8 (overlong forms and surrogates are
// not), or npos when all of text is.
std::size_t invalid_utf8(std::string_view text);

// Terminal columns text takes: none for combining marks, two for wide East Asian characters and
// emoji, one for the rest. Malformed bytes count one each.
std::size_t display_width(std::string_view text);

// Spaces added on the right or on the left up to width columns.
std::string pad_right(std::string_view text, std::size_t width);
std::string pad_left(std::string_view text, std::size_t width);

// At most width columns of text, the last being "…" when something was cut.
std::string shorten(std::string_view text, std::size_t width);

}  // namespace heed

#pragma GCC visibility pop
