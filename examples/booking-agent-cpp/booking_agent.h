// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/json/value.hpp>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "base/core/entropy.h"
#include "base/core/scheduler.h"
#include "base/net/loop/stream.h"
#include "booking_rules.h"
#include "programs/agent_client/agent_client.h"

namespace parley::booking_agent {

struct AgentSettings {
  agent_client::AgentOptions client = {};
  Wishes wishes = {};
  bool open_study = true;
  std::string study = "booking-agent";
  std::string participant = "demo";
  core::Millis patience{20'000};  // for a host to appear, and for the page to load
};

// Interval of snapshots until the page shows the effect of a step.
inline constexpr core::Millis kLookAgain{500};
// Number of snapshots before the step is retried.
inline constexpr int kMostLooks = 6;
// Number of attempts of a step, refused or without effect, after which the agent gives up.
inline constexpr int kMostTries = 3;

// Books seats: joins, waits for a host page, opens a study, then calls tools until the page shows
// the booking. Belongs to one scheduler.
class BookingAgent final : private agent_client::AgentEvents {
 public:
  // `tell`: called with a line for a person at each step. `finished`: called once, with
  // std::nullopt if the seats are booked, else with the reason why not. All references must outlive
  // the agent.
  BookingAgent(core::Scheduler& scheduler, core::Entropy& entropy, net::Network& network,
               AgentSettings settings, std::function<void(const std::string&)> tell,
               std::function<void(std::optional<std::string> why)> finished);
  ~BookingAgent() override;

  void start();

 private:
  void on_lost(const core::Error& why, core::Millis pause) override;
  void on_ended(const core::Error& why) override;
  void on_presence(bool host_active, std::string_view payload) override;
  void on_state(std::string_view payload) override;
  void on_user_message(std::string_view text, std::string_view payload) override;

  void open_study();
  void look();
  void take_surfaces(std::string_view payload);
  void decide();
  void decide_on(const boost::json::object& spec);
  bool is_shown() const;
  void look_for_step();
  void act(Step step);
  void on_result(const Step& step, const core::Result<agent_client::Reply>& reply);
  void on_refused(const Step& step, const core::Error& error);
  bool tried_enough(const Step& step);
  void give_up(std::string why);
  void close_study();
  void finish(std::optional<std::string> why);
  void wait(core::Millis time, void (BookingAgent::*then)());
  void on_no_host();

  core::Scheduler& scheduler_;
  AgentSettings settings_;
  std::function<void(const std::string&)> tell_;
  std::function<void(std::optional<std::string>)> finished_;
  agent_client::AgentClient client_;
  BookingRules rules_;
  boost::json::value spec_;
  boost::json::value history_;
  std::optional<Step> done_;      // accepted, but not yet shown by the page
  boost::json::value spec_then_;  // uiSpec before that step
  int looks_ = 0;                 // snapshots without the effect, or while loading
  std::string tried_;             // the last step without effect; tries_: times in a row
  int tries_ = 0;
  bool study_open_ = false;
  bool busy_ = false;  // a request is in flight
  bool over_ = false;
  int steps_ = 0;
  std::optional<std::string> outcome_;  // reason of the failure, while the study is closed
  core::TimerId timer_ = 0;
};

}  // namespace parley::booking_agent
