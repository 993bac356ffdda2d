// SPDX-License-Identifier: Apache-2.0
// Text that is not UTF-8: what it is instead, and the command that converts it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace heed::text {

// How a file that begins with these bytes is written, where it is plainly not UTF-8: "UTF-16"
// (with a byte order mark), "UTF-16LE", "UTF-16BE", "UTF-32"; else empty. Names are iconv's.
std::string wide_encoding(std::string_view head);

// What a line with bytes that are not UTF-8 seems to be: "latin1", "windows-1252"; empty where it
// also holds UTF-8 beyond ASCII, so that no one encoding explains it.
std::string narrow_encoding(std::string_view line);

// "`iconv -f latin1 -t UTF-8 FILE > NEW`"
std::string conversion(std::string_view encoding, std::string_view file);

// What to say of a line whose byte `bad`, from 0, is not UTF-8: "FILE:2: byte 4 of the line (0xF6)
// is not UTF-8; ...".
std::string not_utf8(std::string_view line, std::size_t bad, std::string_view file,
                     std::uint64_t number);

}  // namespace heed::text
