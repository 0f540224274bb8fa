// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace parley::net {

// A monotonic counter. Any thread; add() is a relaxed atomic operation.
class Counter {
 public:
  virtual ~Counter() = default;
  virtual void add(double by = 1.0) = 0;
  virtual double value() const = 0;
};

// The counters and gauges of /metrics (Prometheus text format 0.0.4). Thread-safe.
class Metrics {
 public:
  using Labels = std::vector<std::pair<std::string, std::string>>;

  Metrics();
  ~Metrics();

  // The counter with this name and labels, created on first use. The reference stays valid: look it
  // up once and keep it. `name` in Prometheus style: "parley_ws_closed_total".
  Counter& counter(std::string_view name, std::string_view help, const Labels& labels = {});
  // Adds a gauge whose value is read by `read` at each scrape; `read` must be thread-safe and must
  // not use this object. Replaces a gauge with the same name and labels.
  void gauge(std::string_view name, std::string_view help, std::function<double()> read,
             const Labels& labels = {});
  std::string render() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace parley::net
