// SPDX-License-Identifier: Apache-2.0
// The three kinds of failure, never mixed: the caller's mistake, a bad file or stream, our own bug.
#pragma once  // public header

#include <fmt/format.h>

#include <stdexcept>
#include <string>
#include <utility>

namespace heed {

// Every message says where, what was found and what would be right.
class Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
  // What the program exits with when this error reaches main.
  virtual int exit_code() const noexcept = 0;
};

// You can fix it: a wrong flag, shape or option. Exit 2, HTTP 400, Python ValueError.
class UsageError : public Error {
 public:
  using Error::Error;
  template <typename First, typename... Rest>
  UsageError(fmt::format_string<First, Rest...> text, First&& first, Rest&&... rest)
      : Error(fmt::format(text, std::forward<First>(first), std::forward<Rest>(rest)...)) {}
  int exit_code() const noexcept override { return 2; }
};

// A file or stream is bad, or cannot be read or written. Exit 3, HTTP 422.
class DataError : public Error {
 public:
  using Error::Error;
  template <typename First, typename... Rest>
  DataError(fmt::format_string<First, Rest...> text, First&& first, Rest&&... rest)
      : Error(fmt::format(text, std::forward<First>(first), std::forward<Rest>(rest)...)) {}
  int exit_code() const noexcept override { return 3; }
};

// Our bug. Exit 70, HTTP 500.
class InternalError : public Error {
 public:
  using Error::Error;
  template <typename First, typename... Rest>
  InternalError(fmt::format_string<First, Rest...> text, First&& first, Rest&&... rest)
      : Error(fmt::format(text, std::forward<First>(first), std::forward<Rest>(rest)...)) {}
  int exit_code() const noexcept override { return 70; }
};

}  // namespace heed
