// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <string_view>

#include "base/core/scheduler.h"
#include "boost/intrusive/list.hpp"
#include "boost/smart_ptr/intrusive_ptr.hpp"
#include "boost/smart_ptr/intrusive_ref_counter.hpp"

namespace parley::auth {

class TokenWatchers;

// Registration of a connection for the end of a token or a login of its workspace. After reset() or
// destruction no further callback is posted; one posted before still runs, so the callback must
// check that its connection still exists.
class TokenWatch {
 public:
  TokenWatch();
  TokenWatch(TokenWatch&&) noexcept;
  TokenWatch& operator=(TokenWatch&& other) noexcept;
  ~TokenWatch();

  void reset();

 private:
  friend TokenWatchers;
  struct Entry;
  explicit TokenWatch(boost::intrusive_ptr<Entry> entry);

  boost::intrusive_ptr<Entry> entry_;
};

// All such registrations, by workspace. Thread-safe; must outlive the objects that watch() returns.
class TokenWatchers {
 public:
  TokenWatchers();
  ~TokenWatchers();
  TokenWatchers(const TokenWatchers&) = delete;
  TokenWatchers& operator=(const TokenWatchers&) = delete;

  // Posts `gone` to `scheduler` at each tell() of this workspace.
  TokenWatch watch(std::string_view workspace, core::Scheduler& scheduler, core::Task on_end);
  void tell(std::string_view workspace);
  std::size_t size() const;

 private:
  friend TokenWatch;
  using Entries = boost::intrusive::list<TokenWatch::Entry>;
  using ById = std::map<std::string, Entries, std::less<>>;

  void remove(TokenWatch::Entry& entry);

  mutable std::mutex mutex_;
  ById by_id_;  // no workspace without entries
};

}  // namespace parley::auth
