// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "tests/kill/audit.h"
#include "tools/conformance/channel.h"
#include "tools/conformance/proto_schema.h"

namespace parley::kill {

// Acknowledgements to all clients of one data directory so far. Thread-safe.
class Acknowledged {
 public:
  void opened(const std::string& session, const std::string& key, std::uint64_t seq);
  void closed(const std::string& session, const std::string& key, std::uint64_t seq);
  // Records a key that was shown to an interface, or answered, without a seq.
  void seen(const std::string& key);
  void answered(const std::string& key);

  // Keys that were sent without an acknowledgement: a caller repeats them after a restart.
  void sent(const std::string& key);
  std::vector<std::string> take_unacknowledged();

  // Keys that must be pending, unless an answer was in flight.
  std::vector<std::string> may_be_pending() const;
  Expectations expectations() const;
  std::size_t count() const;
  // Blocks until `count()` is at least `wanted`. False: the deadline passed.
  bool wait_for_count(std::size_t wanted, conformance::Deadline deadline);

 private:
  void note(const std::string& session, const std::string& key, std::uint64_t seq,
            const std::string& marker);

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::string session_;
  std::size_t count_ = 0;
  std::set<std::string> sent_;
  std::vector<ExpectedEvent> events_;
  std::map<std::string, std::vector<std::string>> states_;
};

// Clients of one run of the server: agents that ask over /v1 and over the RPC, and a user
// interface that answers. They continue until the server is gone or stop() is called.
class ServerLoad {
 public:
  ServerLoad(const conformance::Target& target, std::string token, std::string life,
             std::uint64_t seed, std::shared_ptr<const conformance::ProtoSchema> schema,
             Acknowledged& acknowledged);
  ServerLoad(const ServerLoad&) = delete;
  ServerLoad& operator=(const ServerLoad&) = delete;
  ~ServerLoad();  // stops all clients and joins their threads

 private:
  // Each returns false if the server is gone.
  bool ask_over_v1(const std::string& key);
  bool answer_over_v1(const std::string& key);
  bool ask_over_rpc(const std::string& key);
  void api_agent(int number);
  void rpc_agent(int number);
  void user_interface();

  conformance::Target target_;
  std::string token_;
  std::string life_;
  std::uint64_t seed_;
  std::shared_ptr<const conformance::ProtoSchema> schema_;
  Acknowledged& acknowledged_;
  std::atomic<bool> stop_{false};
  std::vector<std::jthread> clients_;
};

}  // namespace parley::kill
