// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "core/result.h"
#include "net/loop/stream.h"
#include "server/exit_code.h"
#include "server/terminal.h"

namespace parley::app {

// Reason why the server did not start, for a person and for a script.
struct StartFailure {
  ExitCode code = kExitFailure;
  Complaint complaint;
};

// For lack of memory, address space or threads; `why` is a sentence.
StartFailure no_memory_failure(const std::string& why);
// The failure of a store in the data directory `data`; lack of memory is told apart.
StartFailure data_failure(const core::Error& error, const std::string& data);
StartFailure listen_failure(const core::Error& error, const net::Endpoint& at);
StartFailure certificate_failure(const core::Error& error);
StartFailure kit_failure(const core::Error& error);
StartFailure setting_failure(const core::Error& error);

}  // namespace parley::app
