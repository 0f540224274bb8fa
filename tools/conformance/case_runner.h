// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "base/core/entropy.h"
#include "tools/conformance/case_file.h"
#include "tools/conformance/channel.h"
#include "tools/conformance/proto_schema.h"
#include "tools/conformance/report.h"
#include "tools/conformance/server_process.h"

namespace parley::conformance {

// Cache of .proto files: each is read once. Thread-safe.
class SchemaCache {
 public:
  core::Result<std::shared_ptr<const ProtoSchema>> get(const std::string& path);

 private:
  std::mutex mutex_;
  std::map<std::string, std::shared_ptr<const ProtoSchema>> loaded_;
};

// The environment of a case.
struct Surroundings {
  Target target;
  std::map<std::string, std::string> variables;  // given to every case
  double patience = 1.0;                         // factor of every bounded wait
  SchemaCache* schemas = nullptr;
  ServerProcess* server = nullptr;  // set only for a case that needs "server"
  core::Entropy* entropy = nullptr;
  const core::Clock* clock = nullptr;
};

// Runs one case to its end or its first failure. Independent of any protocol. Blocks; each case
// has a thread of its own.
CaseResult run_case(const Case& wanted, const Surroundings& surroundings);

}  // namespace parley::conformance
