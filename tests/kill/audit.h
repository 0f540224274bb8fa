// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace parley::kill {

// An event that somebody was told is durable. `marker` is a text that only its payload holds.
struct ExpectedEvent {
  std::string session;
  std::uint64_t seq = 0;
  std::string marker;
};

// An interaction that somebody was told is open or ended, and the states that it may have now.
struct ExpectedInteraction {
  std::string session;
  std::string key;
  std::vector<std::string> states;
};

struct Expectations {
  std::vector<ExpectedEvent> events;
  std::vector<ExpectedInteraction> interactions;
};

// Compares DATA/events.db, as a server left it, with what was acknowledged: every expected event
// is there, once, and in its place; every expected interaction has one of its states; and all that
// event::OfflineStore::examine() looks at is sound. Returns what is wrong, as sentences; empty:
// nothing.
std::vector<std::string> audit(const std::string& data_dir, const Expectations& expected);

}  // namespace parley::kill
