// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace parley::kill {

// An event that was acknowledged as durable. `marker` is a text that only its payload contains.
struct ExpectedEvent {
  std::string session;
  std::uint64_t seq = 0;
  std::string marker;
};

// An interaction that was acknowledged as opened or closed, and the states that it may have now.
struct ExpectedInteraction {
  std::string session;
  std::string key;
  std::vector<std::string> states;
};

struct Expectations {
  std::vector<ExpectedEvent> events;
  std::vector<ExpectedInteraction> interactions;
};

// Compares DATA/events.db, as a server left it, with the acknowledgements: every expected event is
// there, once, at its seq; every expected interaction has one of its states; and all checks of
// event::OfflineStore::examine() pass. Returns the faults as sentences; empty: none.
std::vector<std::string> audit(const std::string& data_dir, const Expectations& expected);

}  // namespace parley::kill
