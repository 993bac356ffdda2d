// SPDX-License-Identifier: Apache-2.0
// Files that a user names for output. The rule, everywhere the same: what is there already is
// replaced only if Heed wrote it, which a mark in it tells, or if `force` says so; and no input is
// ever an output.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <string_view>

#pragma GCC visibility push(default)  // exported

namespace heed {

// The mark as a comment of XML and HTML. Traces and tensors say in their metadata that they are
// Heed's, and PNG in a chunk of text.
inline constexpr std::string_view kOutputMark = "<!-- heed -->";
inline constexpr std::string_view kAnswerMark = "heed-answer";  // a key of metadata

// The content with the mark, once, where its kind is one that can have it: SVG, HTML, PNG; others
// as they are.
std::string marked(std::string content);

// Whether the file carries a mark of Heed. Of what cannot be read: no.
bool is_marked(const std::filesystem::path& path);

struct OutputCheck {
  bool force = false;
  std::span<const std::filesystem::path> inputs =
      {};  // files that are read; empty names do not count
};
// UsageError when the file must not be written by the rule above. Call it before the work.
void check_output(const std::filesystem::path& path, const OutputCheck& check = {});

}  // namespace heed

#pragma GCC visibility pop
