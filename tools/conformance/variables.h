// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/json/value.hpp>
#include <map>
#include <string>
#include <string_view>

#include "base/core/clock.h"
#include "base/core/entropy.h"
#include "base/core/result.h"
#include "tools/conformance/pattern.h"

namespace parley::conformance {

// The variables of one running case. In any text of a step:
//   ${name}          a value that was given, set or captured
//   ${unique}        a new id at every occurrence
//   ${unique:label}  an id of this case: the same for the same label
//   ${repeat:TEXT:N} TEXT, N times
//   $${              a literal "${"
// A text that consists of ${name} alone becomes the value itself, of any type. One thread.
class Variables {
 public:
  Variables(const core::Clock& clock, core::Entropy& entropy) : clock_(clock), entropy_(entropy) {}

  void set(std::string name, boost::json::value value);
  bool has(std::string_view name) const { return values_.find(name) != values_.end(); }
  Bindings& bindings() { return values_; }

  // Replaces the variables in every text of `value`, including names of members. Errors:
  // `invalid_argument`, naming the unknown variable.
  core::Result<boost::json::value> expand(const boost::json::value& value);
  core::Result<std::string> expand_text(std::string_view text);

 private:
  core::Result<boost::json::value> look_up(std::string_view name);

  const core::Clock& clock_;
  core::Entropy& entropy_;
  Bindings values_;
};

// Replaces ${name} for the names in `given` only and leaves all other variables: fills in the
// parameters of a fragment.
boost::json::value fill_parameters(const boost::json::value& value, const Bindings& given);

}  // namespace parley::conformance
