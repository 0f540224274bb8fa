// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "base/net/http/metrics.h"

#include <prometheus/counter.h>
#include <prometheus/family.h>
#include <prometheus/metric_family.h>
#include <prometheus/registry.h>
#include <prometheus/text_serializer.h>

#include <algorithm>
#include <map>
#include <mutex>
#include <sstream>
#include <stdexcept>

namespace parley::net {
namespace {

class PrometheusCounter final : public Counter {
 public:
  explicit PrometheusCounter(prometheus::Counter& counter) : counter_(counter) {}
  void add(double by) override { counter_.Increment(by); }
  double value() const override { return counter_.Value(); }

 private:
  prometheus::Counter& counter_;
};

struct Gauge {
  Metrics::Labels labels;
  std::function<double()> read;
};

struct GaugeFamily {
  std::string help;
  std::vector<Gauge> gauges;
};

Metrics::Labels sorted(Metrics::Labels labels) {
  std::sort(labels.begin(), labels.end());
  return labels;
}

prometheus::MetricFamily collect(const std::string& name, const GaugeFamily& family) {
  prometheus::MetricFamily out;
  out.name = name;
  out.help = family.help;
  out.type = prometheus::MetricType::Gauge;
  for (const Gauge& gauge : family.gauges) {
    prometheus::ClientMetric metric;
    for (const auto& [label, value] : gauge.labels) metric.label.push_back({label, value});
    metric.gauge.value = gauge.read();
    out.metric.push_back(std::move(metric));
  }
  return out;
}

}  // namespace

struct Metrics::Impl {
  using Key = std::pair<std::string, Labels>;

  std::mutex mutex;
  prometheus::Registry registry;
  std::map<std::string, prometheus::Family<prometheus::Counter>*, std::less<>> families;
  std::map<Key, std::unique_ptr<PrometheusCounter>> counters;
  std::map<std::string, GaugeFamily, std::less<>> gauges;
};

Metrics::Metrics() : impl_(std::make_unique<Impl>()) {}
Metrics::~Metrics() = default;

Counter& Metrics::counter(std::string_view name, std::string_view help, const Labels& labels) {
  Impl::Key key{std::string(name), sorted(labels)};
  const std::scoped_lock lock(impl_->mutex);
  const auto known = impl_->counters.find(key);
  if (known != impl_->counters.end()) return *known->second;
  if (impl_->gauges.contains(name)) throw std::logic_error("A gauge has this name: " + key.first);
  auto& family = impl_->families[key.first];
  if (family == nullptr) {
    family = &prometheus::BuildCounter()
                  .Name(key.first)
                  .Help(std::string(help))
                  .Register(impl_->registry);
  }
  auto& counter = family->Add({key.second.begin(), key.second.end()});
  auto created = std::make_unique<PrometheusCounter>(counter);
  return *impl_->counters.emplace(std::move(key), std::move(created)).first->second;
}

void Metrics::gauge(std::string_view name, std::string_view help, std::function<double()> read,
                    const Labels& labels) {
  const std::scoped_lock lock(impl_->mutex);
  if (impl_->families.contains(name)) {
    throw std::logic_error("A counter has this name: " + std::string(name));
  }
  GaugeFamily& family = impl_->gauges[std::string(name)];
  if (family.help.empty()) family.help = help;
  Gauge gauge{sorted(labels), std::move(read)};
  for (Gauge& known : family.gauges) {
    if (known.labels == gauge.labels) {
      known = std::move(gauge);
      return;
    }
  }
  family.gauges.push_back(std::move(gauge));
}

std::string Metrics::render() const {
  std::vector<prometheus::MetricFamily> families = impl_->registry.Collect();
  {
    const std::scoped_lock lock(impl_->mutex);
    for (const auto& [name, family] : impl_->gauges) families.push_back(collect(name, family));
  }
  std::ostringstream out;
  prometheus::TextSerializer().Serialize(out, families);
  return out.str();
}

}  // namespace parley::net
