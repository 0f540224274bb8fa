// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "dialects/external_agent/guest_budget.h"

#include <algorithm>

namespace parley::external_agent {
namespace {

constexpr std::uint64_t kMiB = 1U << 20U;

double per_ms_of(std::uint64_t limit) {
  return static_cast<double>(limit) / static_cast<double>(GuestBudget::kWindow.count());
}

std::string sentence(std::string_view subject, std::uint64_t limit, std::string_view setting) {
  return std::string(subject) + " recorded " + std::to_string(limit / kMiB) +
         " MiB within a day, which is the limit (" + std::string(setting) +
         "). Try again later, or use a token.";
}

}  // namespace

GuestBudget::GuestBudget(Limits limits, const core::Clock& clock)
    : limits_(limits), clock_(clock) {}

void GuestBudget::forget(Use& use, double per_ms, core::MonoTime now) {
  const auto passed = std::chrono::duration_cast<core::Millis>(now - use.at).count();
  if (passed <= 0) return;
  use.bytes = std::max(0.0, use.bytes - per_ms * static_cast<double>(passed));
  use.at = now;
}

void GuestBudget::make_room(core::MonoTime now) {
  const double per_ms = per_ms_of(limits_.address);
  for (auto& [address, use] : addresses_) forget(use, per_ms, now);
  absl::erase_if(addresses_, [](const auto& entry) { return entry.second.bytes <= 0; });
  if (addresses_.size() < kMaxAddresses) return;
  addresses_.erase(std::min_element(
      addresses_.begin(), addresses_.end(),
      [](const auto& a, const auto& b) { return a.second.bytes < b.second.bytes; }));
}

GuestBudget::Use& GuestBudget::use_of(std::string_view address, core::MonoTime now) {
  auto found = addresses_.find(address);
  if (found == addresses_.end()) {
    if (addresses_.size() >= kMaxAddresses) make_room(now);
    found = addresses_.try_emplace(std::string(address), Use{0, now}).first;
  }
  forget(found->second, per_ms_of(limits_.address), now);
  return found->second;
}

bool GuestBudget::is_spent(const Use& use, std::uint64_t limit) {
  return limit > 0 && use.bytes >= static_cast<double>(limit);
}

std::optional<std::string> GuestBudget::spent(std::string_view address) {
  if (!was_spent()) return std::nullopt;
  const core::MonoTime now = clock_.mono();
  const std::scoped_lock lock(mutex_);
  forget(all_, per_ms_of(limits_.all), now);
  if (is_spent(all_, limits_.all)) {
    return sentence("All guests together have", limits_.all, "external_agent.guest_bytes");
  }
  const auto found = addresses_.find(address);
  if (found == addresses_.end()) return std::nullopt;
  forget(found->second, per_ms_of(limits_.address), now);
  if (!is_spent(found->second, limits_.address)) return std::nullopt;
  return sentence("The guests of this address have", limits_.address,
                  "external_agent.guest_address_bytes");
}

void GuestBudget::charge(std::string_view address, std::uint64_t bytes) {
  const core::MonoTime now = clock_.mono();
  const std::scoped_lock lock(mutex_);
  forget(all_, per_ms_of(limits_.all), now);
  all_.bytes += static_cast<double>(bytes);
  bool spent = is_spent(all_, limits_.all);
  if (limits_.address > 0) {
    Use& use = use_of(address, now);
    use.bytes += static_cast<double>(bytes);
    spent = spent || is_spent(use, limits_.address);
  }
  if (spent) was_spent_.store(true, std::memory_order_relaxed);
}

}  // namespace parley::external_agent
