// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "services/search/statistics.h"

#include <algorithm>
#include <functional>
#include <map>

#include "base/core/time_text.h"

namespace parley::search {
namespace {

class Group {
 public:
  void count(const Fact& fact) {
    ++figures_.asked;
    if (fact.state == State::expired) ++figures_.expired;
    if (fact.state == State::cancelled) ++figures_.cancelled;
    if (fact.state != State::answered) return;
    ++figures_.answered;
    if (!fact.closed_at) return;
    waits_.push_back(std::max<std::int64_t>(
        0, std::chrono::duration_cast<core::Millis>(*fact.closed_at - fact.at).count()));
  }

  Figures figures(const std::string& name) {
    figures_.name = name;
    figures_.median_ms = percentile(50);
    figures_.p90_ms = percentile(90);
    return figures_;
  }

 private:
  // The nearest-rank percentile.
  std::optional<std::int64_t> percentile(std::size_t percent) {
    if (waits_.empty()) return std::nullopt;
    const std::size_t rank = (waits_.size() * percent + 99) / 100;
    const auto at =
        waits_.begin() + static_cast<std::ptrdiff_t>(std::max<std::size_t>(rank, 1) - 1);
    std::nth_element(waits_.begin(), at, waits_.end());
    return *at;
  }

  Figures figures_;
  std::vector<std::int64_t> waits_;
};

using Groups = std::map<std::string, Group>;

std::vector<Figures> ranked(Groups& groups, std::uint64_t Figures::*by) {
  std::vector<Figures> out;
  for (auto& [name, group] : groups) out.push_back(group.figures(name));
  std::stable_sort(out.begin(), out.end(), [by](const Figures& a, const Figures& b) {
    return std::invoke(by, a) > std::invoke(by, b);
  });
  if (out.size() > kMaxGroups) out.resize(kMaxGroups);
  return out;
}

}  // namespace

Statistics statistics(const std::vector<Fact>& facts, core::WallTime from, core::WallTime to,
                      std::chrono::minutes offset) {
  Groups days;
  Groups agents;
  Groups projects;
  Groups people;
  for (core::WallTime day = from; day < to; day += std::chrono::days(1)) {
    days[core::day_text(day + offset)];
  }
  if (to > from) days[core::day_text(to + offset - core::Millis(1))];
  for (const Fact& fact : facts) {
    if (fact.at < from || fact.at >= to) continue;
    days[core::day_text(fact.at + offset)].count(fact);
    agents[fact.agent].count(fact);
    projects[fact.project].count(fact);
    if (fact.state == State::answered) people[fact.person].count(fact);
  }
  Statistics out;
  for (auto& [name, group] : days) out.days.push_back(group.figures(name));
  out.agents = ranked(agents, &Figures::asked);
  out.projects = ranked(projects, &Figures::asked);
  out.people = ranked(people, &Figures::answered);
  return out;
}

}  // namespace parley::search
