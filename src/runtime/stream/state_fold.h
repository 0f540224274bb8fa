// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/json/object.hpp>
#include <string>
#include <string_view>

namespace parley::runtime {

// Puts the states of updates, checkpoint and values together: every member as it came last, and the
// list of messages, of which only the entries from `log_from` on are sent, lengthened.
class StateFold {
 public:
  // `state` is JSON. What is not an object takes the place of all that was.
  void take(std::string_view state);

  // The state whole, as JSON text; empty: there was none.
  std::string text() const;
  const boost::json::object& object() const { return object_; }

 private:
  boost::json::object object_;
  std::string other_;  // a state that is no object
  bool any_ = false;
};

}  // namespace parley::runtime
