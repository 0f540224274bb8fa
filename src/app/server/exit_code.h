// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// Exit codes of the programs. Scripts depend on them; docs/operations.md lists them.
namespace parley::app {

enum ExitCode : int {
  kExitOk = 0,
  kExitFailure = 1,    // any failure without a code of its own
  kExitUsage = 2,      // a wrong flag, or a fault in the configuration
  kExitTimedOut = 3,   // parley ask: no answer in time
  kExitCancelled = 4,  // parley ask: the question was cancelled; parley run: the run was cancelled
  kExitUnreachable = 5,  // parley ask, parley run: the server cannot be reached
  kExitDataInUse = 6,    // another server has the data directory
  kExitAddressInUse = 7,
  kExitDataBroken = 8,  // the data directory cannot be used
  kExitNoMemory = 9,    // parley serve: too little memory, address space or threads
};

}  // namespace parley::app
