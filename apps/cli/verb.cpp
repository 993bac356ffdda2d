// SPDX-License-Identifier: Apache-2.0
// The list of verbs, kept sorted by name whatever the order of initialisation.
#include "cli/verb.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <system_error>
#include <utility>

namespace heed::cli {
namespace {

// A function-local static: it exists before the first verb of any file lists itself.
std::vector<Verb>& list() {
  static std::vector<Verb> verbs;
  return verbs;
}

}  // namespace

const std::vector<Verb>& verbs() {
  return list();
}

void flush_output() {
  if (std::fflush(stdout) != 0) throw std::system_error(errno, std::generic_category(), "output");
}

ListedVerb::ListedVerb(Verb verb) {
  const auto place = std::ranges::lower_bound(list(), verb.name, {}, &Verb::name);
  list().insert(place, std::move(verb));
}

}  // namespace heed::cli
