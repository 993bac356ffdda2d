// SPDX-License-Identifier: Apache-2.0
// What parts learn that people ask for by name, one number for each head: how far it looks, how
// sparse it is. A part lists it beside itself,
//
//   const ListedReading<Entmax> kAlpha("normaliser", "alpha", &Entmax::learnt_alpha);
//
// and descriptions and the curves of trainings have it.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "heed/attention/written/catalogue.h"
#include "heed/base/exported.h"

namespace heed::attention {

struct LearntReading {
  std::string part;       // the name on its card
  std::string parameter;  // [H], its path in the mechanism
  std::string name;       // of the number
  // The number of a head whose element of the parameter is `value`, of a part written like this;
  // NaN: it is not one number.
  std::function<double(std::span<const Argument> arguments, double value)> of;
};

HEED_EXPORTED void add_reading(LearntReading reading);

template <Part P>
struct ListedReading {
  ListedReading(std::string parameter, std::string name, double (P::*of)(double) const) {
    const std::string part = P::card().name;
    add_reading({part, std::move(parameter), std::move(name),
                 [part, of](std::span<const Argument> arguments, double value) {
                   P written;
                   Options options;
                   written.declare(options);
                   set_options(options, part, arguments);
                   return (written.*of)(value);
                 }});
  }
};

// A number of each head, by name; NaN for heads that have none.
struct LearntNumbers {
  std::string name;
  std::vector<double> heads;
};

// Of the mechanism of this written form; `values` gives the elements of the parameter at a path in
// it, or nothing.
HEED_EXPORTED std::vector<LearntNumbers> learnt_numbers(
    std::string_view text, const std::function<std::vector<double>(const std::string&)>& values);

}  // namespace heed::attention
