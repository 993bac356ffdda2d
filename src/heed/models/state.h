// SPDX-License-Identifier: Apache-2.0
// State: what a model carries from step to step, or has made of its source, as a value of the
// model's own type behind one face. Beams reorder it, training cuts the graph after it,
// checkpoints keep it: all of that is written once, over the `visit` of the model's struct.
//
//   struct Memory { Variable h; void visit(StateVisitor& visitor) { visitor("h", h); } };
//   State state = Memory{h};
//   state.reordered(rows).as<Memory>().h
#pragma once  // public header

#include <concepts>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "heed/attention/hierarchical.h"
#include "heed/attention/memory.h"
#include "heed/attention/state.h"
#include "heed/nn/recurrent.h"

#pragma GCC visibility push(default)  // exported

namespace heed::models {

// Goes through the parts of a state; parts that are not defined are shown as well. Rows of
// hypotheses or sequences are the first axis of every part.
class StateVisitor {
 public:
  virtual ~StateVisitor() = default;

  void operator()(std::string_view name, Variable& x);
  void operator()(std::string_view name, Ids& x);
  void operator()(std::string_view name, attention::Memory& x);
  void operator()(std::string_view name, attention::HierarchicalMemory& x);
  void operator()(std::string_view name, attention::AttentionState& x);
  void operator()(std::string_view name, RecurrentState& x);
  // A part with parts of its own; with an empty name these count as the whole's.
  template <typename Part>
  requires requires(Part& part, StateVisitor& visitor) { part.visit(visitor); }
  void operator()(std::string_view name, Part& part) {
    const Scope scope(*this, name);
    part.visit(*this);
  }
  // Parts called 0, 1, ...
  template <typename Part, typename Allocator>
  void operator()(std::string_view name, std::vector<Part, Allocator>& parts) {
    const Scope scope(*this, name);
    parts.resize(count(path_, parts.size()));
    for (std::size_t i = 0; i < parts.size(); ++i) (*this)(std::to_string(i), parts[i]);
  }

 protected:
  virtual void at(const std::string& path, Variable& x) = 0;
  virtual void at(const std::string& path, Ids& x) = 0;
  virtual void at(const std::string& path, attention::Memory& x) = 0;
  virtual void at(const std::string& path, attention::HierarchicalMemory& x) = 0;
  // How many parts a list is to have that has `size` now.
  virtual std::size_t count(const std::string& path, std::size_t size) const;

 private:
  // Names begin with this one for as long as it lives.
  class Scope {
   public:
    Scope(StateVisitor& visitor, std::string_view name);
    ~Scope() { visitor_.path_.resize(size_); }

   private:
    StateVisitor& visitor_;
    std::size_t size_;
  };
  template <typename Part>
  void leaf(std::string_view name, Part& x);

  std::string path_;
};

class State {
 public:
  State() = default;
  template <typename Own>
  requires(!std::same_as<std::remove_cvref_t<Own>, State> &&
           requires(std::remove_cvref_t<Own> & own, StateVisitor& visitor) { own.visit(visitor); })
      State(Own&& own)  // NOLINT(bugprone-forwarding-reference-overload): State is left out
      : own_(std::make_unique<Held<std::remove_cvref_t<Own>>>(std::forward<Own>(own))) {}

  State(const State& other) : own_(other.own_ ? other.own_->copy() : nullptr) {}
  State& operator=(const State& other) { return *this = State(other); }
  State(State&&) = default;
  State& operator=(State&&) = default;

  bool defined() const { return own_ != nullptr; }
  // The model's own value. UsageError when it is another model's.
  template <typename Own>
  const Own& as() const {
    if (const auto* held = dynamic_cast<const Held<Own>*>(own_.get())) return held->own;
    refuse();
  }
  // The same, to change it: this state is the caller's own.
  template <typename Own>
  Own& as() {
    return const_cast<Own&>(std::as_const(*this).template as<Own>());
  }

  // The same state for other rows, one per entry of `rows`: beams that survive.
  State reordered(const Ids& rows) const;
  // The same values without what they were computed from: where backpropagation is cut.
  State detached() const;
  // Every Variable that is defined, by its path; memories are left out, for only their mechanisms
  // can project keys again.
  std::map<std::string, Tensor> tensors() const;
  // This state with the tensors of another of its kind. DataError for those that do not fit.
  State restored(const std::map<std::string, Tensor>& tensors) const;

 private:
  struct Base {
    virtual ~Base() = default;
    virtual std::unique_ptr<Base> copy() const = 0;
    virtual void visit(StateVisitor& visitor) = 0;
  };
  template <typename Own>
  struct Held final : Base {
    explicit Held(Own from) : own(std::move(from)) {}
    std::unique_ptr<Base> copy() const override { return std::make_unique<Held>(own); }
    void visit(StateVisitor& visitor) override { own.visit(visitor); }
    Own own;
  };
  // A copy that a visitor has gone through.
  State changed(StateVisitor&& visitor) const;
  [[noreturn]] void refuse() const;

  std::unique_ptr<Base> own_;
};

// Where a decoder or a language model is after some tokens, one row per hypothesis or track.
struct DecoderState {
  std::int64_t step = 0;  // tokens read so far
  State own{};            // the model's own

  DecoderState reordered(const Ids& rows) const { return {step, own.reordered(rows)}; }
  DecoderState detached() const { return {step, own.detached()}; }
};

struct Step {
  Variable logits;  // [N,V], or [N,V+X] of a model that copies
  DecoderState state;
};

}  // namespace heed::models

#pragma GCC visibility pop
