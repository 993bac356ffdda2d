// SPDX-License-Identifier: Apache-2.0
// Explainer: from a subject to one signed number for each of its tokens, how much the token speaks
// for what the model says. One file of explainers/ each, which lists itself.
//
//   const auto explainer = make_explainer("shapley(samples=200)");
//   explainer->explain(subject).shares;  // [T]
#pragma once  // public header

#include <concepts>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "heed/attention/written/catalogue.h"
#include "heed/base/options.h"
#include "heed/explain/subject.h"

#pragma GCC visibility push(default)  // exported

namespace heed::explain {

// What the laws may hold an explainer to.
enum class Promise {
  complete,      // the shares add up to the output less that of an input of nothing
  effects,       // a token that changes nothing has 0, a constant added to the output is not seen
  exact_linear,  // where the output is a sum of a number per token, the shares are these
  unseen,        // a token that the model cannot see has 0
  unshifted,     // the same for a model that reads every vector with a constant more (Kindermans)
  random,        // drawn by the option "seed"
};
std::string promise_text(Promise promise);

// What a subject must have.
enum class Need { nothing, attention, attention_gradients, gradients, looks };

struct ExplainerCard {
  std::string name;     // as it is written
  std::string summary;  // one line, no full stop
  std::string formula;  // of the share of token t
  std::string source;   // "Li 2016"
  std::vector<Promise> promises = {};
  Need need = Need::nothing;
};

struct Explanation {
  std::vector<double> shares = {};  // [T]; empty where `undefined` says why
  std::vector<double> errors = {};  // [T], standard errors of what was sampled; else empty
  std::string undefined = {};
  std::string note = {};  // what a reader must know of these numbers; mostly nothing
};

class Explainer {
 public:
  virtual ~Explainer() = default;
  virtual const ExplainerCard& card() const = 0;
  // Its options, bound to it.
  virtual void declare(Options& options) = 0;
  // UsageError for a subject that has not what it needs.
  virtual Explanation explain(const Subject& subject) const = 0;
  // Whether the subject has what it needs.
  bool suits(const Subject& subject) const;

 protected:
  Explainer() = default;
  Explainer(const Explainer&) = default;
  Explainer& operator=(const Explainer&) = default;
};

// All there are, by name.
std::vector<ExplainerCard> explainers();
// Of a written form, such as "occlusion(width=3)". UsageError for an unknown name or option, naming
// the nearest, and for a value out of range.
std::unique_ptr<Explainer> make_explainer(std::string_view written);

// A plain struct: its card, its options, its shares.
template <typename P>
concept ExplainerPart = std::copyable<P> && std::default_initializable<P> &&
    requires(P part, const P& fixed, Options& options, const Subject& subject) {
  { P::card() } -> std::same_as<ExplainerCard>;
  part.declare(options);
  { fixed.explain(subject) } -> std::same_as<Explanation>;
};

struct ListedEntry {
  ExplainerCard card;
  std::unique_ptr<Explainer> (*make)();
};
void list_explainer(ListedEntry entry);

template <ExplainerPart P>
struct ListedExplainer {
  class Made final : public Explainer {
   public:
    const ExplainerCard& card() const override {
      static const ExplainerCard card = P::card();
      return card;
    }
    void declare(Options& options) override { part_.declare(options); }
    Explanation explain(const Subject& subject) const override { return part_.explain(subject); }

   private:
    P part_;
  };
  ListedExplainer() {
    list_explainer(
        {P::card(), []() -> std::unique_ptr<Explainer> { return std::make_unique<Made>(); }});
  }
};

}  // namespace heed::explain

#pragma GCC visibility pop
