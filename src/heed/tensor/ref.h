// SPDX-License-Identifier: Apache-2.0
// Ref: a counted reference to an object that carries its own count.
#pragma once

#include <utility>

#pragma GCC visibility push(default)  // exported

namespace heed {

// T offers retain() and release(); release() destroys the object when the last reference goes.
template <typename T>
class Ref {
 public:
  Ref() = default;
  explicit Ref(T* adopted)
      : object_(adopted) {}  // takes over the reference a new object is born with
  Ref(const Ref& other) : object_(other.object_) {
    if (object_ != nullptr) object_->retain();
  }
  Ref(Ref&& other) noexcept : object_(std::exchange(other.object_, nullptr)) {}
  Ref& operator=(Ref other) noexcept {
    std::swap(object_, other.object_);
    return *this;
  }
  ~Ref() {
    if (object_ != nullptr) object_->release();
  }

  T* get() const { return object_; }
  T* operator->() const { return object_; }
  T& operator*() const { return *object_; }
  explicit operator bool() const { return object_ != nullptr; }
  T* detach() { return std::exchange(object_, nullptr); }
  friend bool operator==(const Ref& a, const Ref& b) { return a.object_ == b.object_; }

 private:
  T* object_ = nullptr;
};

}  // namespace heed

#pragma GCC visibility pop
