// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "app/server/exit_code.h"
#include "app/server/terminal.h"
#include "base/core/result.h"
#include "base/net/loop/stream.h"
#include "base/sql/store_place.h"
#include "services/tailnet/tailnet_fault.h"

namespace parley::app {

// Reason why the server did not start, for a person and for a script.
struct StartFailure {
  ExitCode code = kExitFailure;
  Complaint complaint;
};

// The failure for an error of a part of the server, with what the operator can do about it.

// `data`: the data directory. Looks at the free space of its disk: a full one has many errors.
StartFailure data_failure(const core::Error& error, const std::string& data);
// The same for a part of the stores, which may be in a database.
StartFailure stores_failure(const core::Error& error, const sql::StorePlace& place);
// The same for a part that reads settings of its own: those that are not valid, a study kit.
StartFailure part_failure(const core::Error& error, const sql::StorePlace& place);
// For lack of memory, address space or threads; `why` is a sentence.
StartFailure no_memory_failure(const std::string& why);
StartFailure listen_failure(const core::Error& error, const net::Endpoint& at);
StartFailure certificate_failure(const core::Error& error);
StartFailure kit_failure(const core::Error& error);
StartFailure setting_failure(const core::Error& error);
// For the part of a node in its cluster.
StartFailure cluster_failure(const core::Error& error);
StartFailure tailnet_failure(const tailnet::Fault& fault);

}  // namespace parley::app
