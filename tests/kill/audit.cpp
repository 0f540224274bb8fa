// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "tests/kill/audit.h"

#include <algorithm>
#include <map>
#include <memory>
#include <utility>

#include "base/core/limits.h"
#include "model/event/offline_store.h"

namespace parley::kill {
namespace {

using Payloads = std::map<std::uint64_t, std::string>;  // of a session, by seq

class Audit {
 public:
  Audit(event::SessionReader& reader, std::vector<std::string>& faults)
      : reader_(reader), faults_(faults) {}

  void run(const Expectations& expected) {
    for (const ExpectedEvent& event : expected.events) check(event);
    for (const ExpectedInteraction& interaction : expected.interactions) check(interaction);
  }

 private:
  void check(const ExpectedEvent& expected) {
    const Payloads& payloads = load(expected.session);
    const std::string name = expected.session + "/" + std::to_string(expected.seq);
    const auto found = payloads.find(expected.seq);
    if (found == payloads.end()) {
      faults_.push_back("The acknowledged event " + name + " is missing.");
      return;
    }
    if (found->second.find(expected.marker) == std::string::npos) {
      faults_.push_back("The event " + name + " is not the acknowledged one.");
    }
    // A duplicate has the same content under another seq.
    const auto same = [&expected](const auto& entry) {
      return entry.first != expected.seq && entry.second.find(expected.marker) != std::string::npos;
    };
    if (std::any_of(payloads.begin(), payloads.end(), same)) {
      faults_.push_back("The acknowledged event " + name + " is there twice.");
    }
  }

  void check(const ExpectedInteraction& expected) {
    const std::string name = expected.session + "/" + expected.key;
    const auto stored = reader_.interaction(expected.session, expected.key);
    if (!stored) {
      faults_.push_back("The interaction " + name + " cannot be read: " + stored.error().message);
    } else if (!*stored) {
      faults_.push_back("The interaction " + name + " is missing.");
    } else if (std::find(expected.states.begin(), expected.states.end(), (*stored)->row.state) ==
               expected.states.end()) {
      faults_.push_back("The interaction " + name + " is " + (*stored)->row.state + ".");
    }
  }

  const Payloads& load(const std::string& session) {
    const auto [entry, fresh] = sessions_.try_emplace(session);
    if (!fresh) return entry->second;
    event::ReadQuery query;
    query.session = session;
    query.limit = core::limits::kMaxPageEvents;
    while (true) {
      core::Result<event::EventPage> page = reader_.read(query);
      if (!page) {
        faults_.push_back("The session " + session + " cannot be read: " + page.error().message);
        return entry->second;
      }
      if (page->events.empty()) return entry->second;
      query.after = page->events.back().seq;
      for (event::Event& event : page->events) {
        entry->second.emplace(event.seq, std::move(event.payload));
      }
    }
  }

  event::SessionReader& reader_;
  std::vector<std::string>& faults_;
  std::map<std::string, Payloads> sessions_;
};

}  // namespace

std::vector<std::string> audit(const std::string& data_dir, const Expectations& expected) {
  const auto store = event::open_offline_store(data_dir);
  if (!store) return {"The store cannot be opened: " + store.error().message};
  const core::Result<event::StoreReport> report = (*store)->examine();
  if (!report) return {"The store cannot be examined: " + report.error().message};
  std::vector<std::string> faults = report->findings;
  const core::Result<std::unique_ptr<event::SessionReader>> reader = (*store)->make_reader();
  if (!reader) {
    faults.push_back("The store cannot be read: " + reader.error().message);
    return faults;
  }
  Audit(**reader, faults).run(expected);
  return faults;
}

}  // namespace parley::kill
