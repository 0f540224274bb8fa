// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <deque>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/core/scheduler.h"
#include "services/notify/notifier.h"

namespace parley::notify {

// Keeps the notices; attempts end with `answers`, then with success. For tests.
class FakeNotifier final : public Notifier {
 public:
  struct Attempt {
    Notice notice;
    std::string target;
  };

  explicit FakeNotifier(core::Scheduler& scheduler, std::string name = "phone")
      : scheduler_(scheduler), name_(std::move(name)) {}

  const std::string& name() const override { return name_; }
  std::string_view kind() const override { return "webhook"; }
  std::string destination() const override { return "fake.example.org"; }
  std::vector<std::string> targets(const std::string&) override { return devices; }
  void deliver(const Notice& notice, const std::string& target, Done done) override {
    attempts.push_back({notice, target});
    if (hangs) {
      held.push_back(std::move(done));
      return;
    }
    Delivery delivery;
    if (!answers.empty()) {
      delivery = answers.front();
      answers.pop_front();
    }
    scheduler_.post([done = std::move(done), delivery]() mutable { done(delivery); });
  }
  bool withdraws() const override { return true; }
  void withdraw(const std::string&, const std::string& key, const std::string& target,
                Done done) override {
    withdrawn.push_back(key + ":" + target);
    scheduler_.post([done = std::move(done)]() mutable { done({}); });
  }

  std::vector<std::string> devices = {""};
  std::deque<Delivery> answers;  // of the next attempts
  bool hangs = false;
  std::vector<Done> held;
  std::vector<Attempt> attempts;
  std::vector<std::string> withdrawn;

 private:
  core::Scheduler& scheduler_;
  std::string name_;
};

}  // namespace parley::notify
