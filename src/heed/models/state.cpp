// SPDX-License-Identifier: Apache-2.0
// Each thing that can be done with a state of any kind, as a visitor.
#include "heed/models/state.h"

#include <algorithm>

#include "heed/base/error.h"

namespace heed::models {
namespace {

class Reorder final : public StateVisitor {
 public:
  explicit Reorder(const Ids& rows) : rows_(rows) {}

 private:
  void at(const std::string&, Variable& x) override { x = attention::rows_of(x, rows_); }
  void at(const std::string&, Ids& x) override { x = attention::rows_of(x, rows_); }
  void at(const std::string&, attention::Memory& x) override {
    if (x.keys.defined()) x = x.reordered(rows_);
  }
  void at(const std::string&, attention::HierarchicalMemory& x) override { x = x.reordered(rows_); }

  const Ids& rows_;
};

class Detach final : public StateVisitor {
  void at(const std::string&, Variable& x) override { x = Variable(x.value()); }
  void at(const std::string&, Ids&) override {}
  void at(const std::string&, attention::Memory& x) override { x = x.detached(); }
  void at(const std::string&, attention::HierarchicalMemory& x) override {
    x.words = x.words.detached();
  }
};

class Collect final : public StateVisitor {
 public:
  std::map<std::string, Tensor> tensors;

 private:
  void at(const std::string& path, Variable& x) override {
    if (x.defined()) tensors[path] = x.value().clone();
  }
  void at(const std::string&, Ids&) override {}
  void at(const std::string&, attention::Memory&) override {}
  void at(const std::string&, attention::HierarchicalMemory&) override {}
};

class Restore final : public StateVisitor {
 public:
  explicit Restore(const std::map<std::string, Tensor>& tensors) : tensors_(tensors) {}

 private:
  void at(const std::string& path, Variable& x) override {
    const auto found = tensors_.find(path);
    if (found == tensors_.end()) {
      if (x.defined()) throw DataError("carried state: no tensor \"{}\" is there", path);
      return;
    }
    const bool fits =
        !x.defined() || (found->second.rank() == x.rank() && found->second.size(0) == x.size(0));
    if (!fits) {
      throw DataError("carried state: tensor \"{}\" is {}; it takes one like {}", path,
                      found->second.shape().text(), x.shape().text());
    }
    x = Variable(found->second);
  }
  void at(const std::string&, Ids&) override {}
  void at(const std::string&, attention::Memory&) override {}
  void at(const std::string&, attention::HierarchicalMemory&) override {}
  // Lists that grow with the first step, such as what scores remember, are as long as the tensors
  // say.
  std::size_t count(const std::string& path, std::size_t size) const override {
    const auto named = [&](std::size_t i) {
      const std::string name = path.empty() ? std::to_string(i) : path + "." + std::to_string(i);
      const auto found = tensors_.lower_bound(name);
      return found != tensors_.end() &&
             (found->first == name || found->first.starts_with(name + "."));
    };
    std::size_t most = size;
    while (named(most)) ++most;
    return most;
  }

  const std::map<std::string, Tensor>& tensors_;
};

}  // namespace

StateVisitor::Scope::Scope(StateVisitor& visitor, std::string_view name)
    : visitor_(visitor), size_(visitor.path_.size()) {
  if (name.empty()) return;
  if (!visitor.path_.empty()) visitor.path_ += '.';
  visitor.path_ += name;
}

template <typename Part>
void StateVisitor::leaf(std::string_view name, Part& x) {
  const Scope scope(*this, name);
  at(path_, x);
}

void StateVisitor::operator()(std::string_view name, Variable& x) {
  leaf(name, x);
}
void StateVisitor::operator()(std::string_view name, Ids& x) {
  leaf(name, x);
}
void StateVisitor::operator()(std::string_view name, attention::Memory& x) {
  leaf(name, x);
}
void StateVisitor::operator()(std::string_view name, attention::HierarchicalMemory& x) {
  leaf(name, x);
}

void StateVisitor::operator()(std::string_view name, attention::AttentionState& x) {
  const Scope scope(*this, name);
  (*this)("previous", x.previous);
  (*this)("coverage", x.coverage);
  (*this)("hidden", x.hidden);
}

void StateVisitor::operator()(std::string_view name, RecurrentState& x) {
  const Scope scope(*this, name);
  (*this)("h", x.h);
  (*this)("c", x.c);
}

std::size_t StateVisitor::count(const std::string&, std::size_t size) const {
  return size;
}

State State::changed(StateVisitor&& visitor) const {
  State other = *this;
  if (other.own_) other.own_->visit(visitor);
  return other;
}

State State::reordered(const Ids& rows) const {
  return changed(Reorder(rows));
}

State State::detached() const {
  return changed(Detach());
}

std::map<std::string, Tensor> State::tensors() const {
  Collect collect;
  if (own_) own_->copy()->visit(collect);
  return std::move(collect.tensors);
}

State State::restored(const std::map<std::string, Tensor>& tensors) const {
  return changed(Restore(tensors));
}

void State::refuse() const {
  throw UsageError("state: {}; a model takes states and sources of its own making",
                   own_ ? "another model's" : "it is not defined");
}

}  // namespace heed::models
