// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/functional/any_invocable.h"
#include "base/core/clock.h"
#include "services/notify/notice.h"

namespace parley::notify {

// The end of one attempt to deliver a notice.
struct Delivery {
  enum class Kind : std::uint8_t {
    delivered,
    retry,   // a later attempt may succeed
    failed,  // it cannot: a wrong address, password or answer
    gone,    // the target does not exist any more
  };
  Kind kind = Kind::delivered;
  std::string failure = {};  // a sentence for the settings page; holds no secret
  std::optional<core::Millis> retry_after = std::nullopt;  // as the other side asks
};

// A way to reach people outside their user interfaces. All calls and callbacks are on one
// scheduler, that of the planner.
class Notifier {
 public:
  using Done = absl::AnyInvocable<void(Delivery)>;

  Notifier() = default;
  Notifier(const Notifier&) = delete;
  Notifier& operator=(const Notifier&) = delete;
  virtual ~Notifier() = default;

  virtual const std::string& name() const = 0;  // unique among the notifiers of a server
  virtual std::string_view kind() const = 0;    // "ntfy", "webhook", "email", "push"
  virtual std::string destination() const = 0;  // for a person: a host, without secrets

  // The receivers of notices for questions of this owner (a workspace). Each has attempts of its
  // own.
  virtual std::vector<std::string> targets(const std::string& /*owner*/) { return {{}}; }
  // One attempt. `done` runs once, never inside the call, within a time limit of the notifier; not
  // at all if the notifier is destroyed before. `notice` is valid during the call.
  virtual void deliver(const Notice& notice, const std::string& target, Done done) = 0;
  // True if a delivered notice can be taken back.
  virtual bool withdraws() const { return false; }
  // Takes back the notice of a question that has ended elsewhere; requires withdraws(). `done`: as
  // of deliver().
  virtual void withdraw(const std::string& /*id*/, const std::string& /*key*/,
                        const std::string& /*target*/, Done /*done*/) {}
};

}  // namespace parley::notify
