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

// One monotonic count. Any thread; a relaxed atomic add.
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

  // The counter of this name and labels, made on first use; the same object ever after, so look it
  // up once and keep the reference. `name` in Prometheus style: "parley_ws_closed_total".
  Counter& counter(std::string_view name, std::string_view help, const Labels& labels = {});
  // A gauge that is asked for its value when scraped; `read` must be thread-safe and must not use
  // this object. The same name and labels again replace it.
  void gauge(std::string_view name, std::string_view help, std::function<double()> read,
             const Labels& labels = {});
  std::string render() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace parley::net
