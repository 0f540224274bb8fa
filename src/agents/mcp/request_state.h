// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <boost/json/object.hpp>
#include <string>
#include <string_view>

#include "agents/mcp/exchange.h"
#include "base/core/clock.h"
#include "base/core/entropy.h"
#include "base/core/result.h"

namespace parley::mcp {

// Seals what a server tells itself through a client: the "requestState" of revision 2026-07-28. The
// client can read it, but neither change it nor use it for another request. Thread-safe.
class RequestState {
 public:
  // With a key that lives as long as this object.
  explicit RequestState(core::Entropy& entropy);
  // With a key that outlives the process: 32 bytes.
  explicit RequestState(std::string_view key);

  // `binding`: the request and its sender, see binding_of().
  std::string seal(std::string_view content, std::string_view binding, core::WallTime until) const;
  // The content. Errors: `invalid_argument` (changed, for another request, or too old).
  core::Result<std::string> open(std::string_view sealed, std::string_view binding,
                                 core::WallTime now) const;

 private:
  std::string mac_of(std::string_view content, std::string_view binding) const;

  std::array<unsigned char, 32> key_{};
};

// The owner of a state: the sender, the method, and the parameters but for those that a retry
// changes.
std::string binding_of(std::string_view sender, const Exchange& exchange);

// The answers that a retry brings. Errors: `invalid_argument` (no object, or an answer that is no
// object).
core::Result<boost::json::object> input_responses_of(const Exchange& exchange);

}  // namespace parley::mcp
