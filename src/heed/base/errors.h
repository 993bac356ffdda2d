// SPDX-License-Identifier: Apache-2.0
// The three kinds of failure, never mixed: the caller's mistake, a bad file or stream, our own bug.
// To catch them this is enough; error.h adds messages made of a text and values.
#pragma once  // public header

#include <stdexcept>
#include <string>

#pragma GCC visibility push(default)  // exported

namespace heed {

// Every message says where, what was found and what would be right.
class Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
  // What the program exits with when this error reaches main.
  virtual int exit_code() const noexcept = 0;
};

// The type of a text whose braces stand for values of these types: see error.h.
template <typename... Values>
struct MessageText;

// You can fix it: a wrong flag, shape or option. Exit 2, HTTP 400, Python ValueError.
class UsageError : public Error {
 public:
  using Error::Error;
  template <typename First, typename... Rest>
  UsageError(typename MessageText<First, Rest...>::Type text, First&& first, Rest&&... rest);
  int exit_code() const noexcept override { return 2; }
};

// A file or stream is bad, or cannot be read or written. Exit 3, HTTP 422.
class DataError : public Error {
 public:
  using Error::Error;
  template <typename First, typename... Rest>
  DataError(typename MessageText<First, Rest...>::Type text, First&& first, Rest&&... rest);
  int exit_code() const noexcept override { return 3; }
};

// Our bug. Exit 70, HTTP 500.
class InternalError : public Error {
 public:
  using Error::Error;
  template <typename First, typename... Rest>
  InternalError(typename MessageText<First, Rest...>::Type text, First&& first, Rest&&... rest);
  int exit_code() const noexcept override { return 70; }
};

}  // namespace heed

#pragma GCC visibility pop
