// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/json/value.hpp>
#include <memory>
#include <string>
#include <string_view>

#include "base/core/result.h"

namespace parley::conformance {

// Messages of a .proto file, or of a FileDescriptorSet (*.binpb, *.desc), converted from and to
// protojson. Read at run time, so that the runner is built without them. Thread-safe.
class ProtoSchema {
 public:
  // Errors: `not_found`, `invalid_argument` (with the compiler's message).
  static core::Result<std::shared_ptr<const ProtoSchema>> load(const std::string& path);
  virtual ~ProtoSchema() = default;

  // Errors: `invalid_argument` (no such message, or `value` has another form).
  virtual core::Result<std::string> encode(const std::string& message,
                                           const boost::json::value& value) const = 0;
  virtual core::Result<boost::json::value> decode(const std::string& message,
                                                  std::string_view bytes) const = 0;
};

}  // namespace parley::conformance
