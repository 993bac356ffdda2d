// SPDX-License-Identifier: Apache-2.0
// A table of misuses of the library: what a user may do wrong, and what they get as an answer.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

#include "heed/base/error.h"

namespace heed::misuse {

struct Misuse {
  std::string what;
  std::function<void()> act;
  std::vector<std::string> says;  // parts of the message: where, what was found, what would fit
};

// A call that looks like a misuse and is meant to work, and why.
struct Reasonable {
  std::string what;
  std::function<void()> act;
  std::string why;
};

// Each is refused by a UsageError or a DataError; an InternalError, any other exception or silence
// is a failure.
inline void expect_refused(const std::vector<Misuse>& table) {
  for (const Misuse& misuse : table) {
    SCOPED_TRACE(misuse.what);
    std::string message;
    try {
      misuse.act();
      ADD_FAILURE() << "passed in silence";
      continue;
    } catch (const UsageError& error) {
      message = error.what();
    } catch (const DataError& error) {
      message = error.what();
    } catch (const std::exception& error) {
      ADD_FAILURE() << "not an error of the caller: " << error.what();
      continue;
    }
    for (const std::string& part : misuse.says) {
      EXPECT_NE(message.find(part), std::string::npos)
          << "\"" << part << "\" is not in: " << message;
    }
  }
}

inline void expect_to_work(const std::vector<Reasonable>& table) {
  for (const Reasonable& one : table) {
    EXPECT_NO_THROW(one.act()) << one.what << ": " << one.why;
  }
}

}  // namespace heed::misuse
