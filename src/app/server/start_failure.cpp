// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "app/server/start_failure.h"

#include <cstdint>

#include "base/sql/database.h"
#include "model/event/data_dir_lock.h"
#include "model/event/disk_watch.h"

namespace parley::app {
namespace {

using core::Code;

// A disk with fewer free bytes is full: the databases need more to be opened.
constexpr std::uint64_t kLeastRoom = 1U << 20U;

bool has_no_room(const std::string& data) {
  const auto free = event::DiskGauges::real().free_bytes(data);
  return free && *free < kLeastRoom;
}

}  // namespace

StartFailure data_failure(const core::Error& error, const std::string& data) {
  if (error.field == event::kDataDirLocked) {
    return {kExitDataInUse,
            {"The data directory " + data + " is in use.", error.message,
             "Stop the other server, or give another directory with --data."}};
  }
  if (error.field == sql::kNoMemory) return no_memory_failure(error.message);
  // A full disk has more errors than one: databases and mapped files report faults of their own.
  if (error.code == Code::resource_exhausted || has_no_room(data)) {
    return {kExitDataBroken,
            {"The disk of the data directory " + data + " is full.", error.message,
             "Free space on it, or give a directory on another disk with --data."}};
  }
  return {kExitDataBroken,
          {"The data directory " + data + " cannot be used.", error.message,
           "Run `parley doctor --data " + data + "` for details."}};
}

StartFailure stores_failure(const core::Error& error, const sql::StorePlace& place) {
  if (place.url.empty() || error.field == event::kDataDirLocked) {
    return data_failure(error, place.data_dir);
  }
  return {kExitDataBroken,
          {"The server cannot open its stores.", error.message,
           "`parley doctor` looks at the database of store.url and at the data directory."}};
}

StartFailure part_failure(const core::Error& error, const sql::StorePlace& place) {
  if (error.code != Code::invalid_argument) return stores_failure(error, place);
  return error.field == "studies.kit" ? kit_failure(error) : setting_failure(error);
}

StartFailure no_memory_failure(const std::string& why) {
  return {kExitNoMemory,
          {"The server has too little memory, address space or threads.", why,
           "Raise the limit (`ulimit -v`, `ulimit -u`; MemoryMax, LimitAS and TasksMax of "
           "systemd), or start fewer threads with --shards 1."}};
}

StartFailure listen_failure(const core::Error& error, const net::Endpoint& at) {
  if (error.code == Code::failed_precondition) {
    return {kExitAddressInUse,
            {"The address " + at.to_string() + " is in use.", error.message,
             "Stop the program that uses it, or give another address with --listen (port 0 picks a "
             "free port)."}};
  }
  return {kExitFailure,
          {"The server cannot listen on " + at.to_string() + ".", error.message,
           "Give an address of this computer with --listen, and a port from 1024 up unless you are "
           "root."}};
}

StartFailure certificate_failure(const core::Error& error) {
  return {kExitUsage,
          {"The certificate or its key cannot be used.", error.message,
           "tls.cert and tls.key must be PEM files that belong together."}};
}

StartFailure kit_failure(const core::Error& error) {
  return {kExitUsage,
          {"The study kit cannot be used.", error.message,
           "Correct the file; `parley study kit check FILE` checks it without a server."}};
}

StartFailure setting_failure(const core::Error& error) {
  return {kExitUsage,
          {"A setting is not valid.", error.message,
           "`parley config show` shows the settings, and where each comes from."}};
}

StartFailure cluster_failure(const core::Error& error) {
  const bool is_setting = error.code == Code::invalid_argument && error.field != "cluster.listen";
  if (is_setting) return setting_failure(error);
  if (error.field == "cluster.listen") {
    return {error.code == Code::failed_precondition ? kExitAddressInUse : kExitFailure,
            {"The node cannot listen for the other nodes.", error.message,
             "Give an address of this computer with cluster.listen; port 0 picks a free port."}};
  }
  if (error.code == Code::already_exists) {
    return {kExitDataInUse,
            {"Another node of the cluster has this name.", error.message,
             "Give each node a name of its own with cluster.node."}};
  }
  if (error.code == Code::failed_precondition) {
    return {kExitDataInUse,
            {"This server cannot join the cluster.", error.message,
             "A server without cluster.node has its database alone: stop it first."}};
  }
  return {kExitDataBroken,
          {"This server cannot join the cluster.", error.message,
           "`parley doctor` looks at the database of store.url."}};
}

StartFailure tailnet_failure(const tailnet::Fault& fault) {
  return {kExitFailure, {fault.what, fault.why, fault.next}};
}

}  // namespace parley::app
