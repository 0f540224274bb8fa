// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <simdjson.h>

#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/core/result.h"

namespace parley::api {

// Reads one JSON object strictly: a member that is missing, of a wrong type, unknown or given twice
// is an error that names its path ("prompt.questions[0].text"). The first error is kept; after it
// every call is a no-op.
class ObjectReader {
 public:
  using Use = std::function<void(ObjectReader&)>;

  enum class Need : std::uint8_t { required, optional };

  ObjectReader(simdjson::dom::object object, std::string path, std::optional<core::Error>& error);

  void text(std::string_view name, std::string& out, Need need = Need::optional);
  void boolean(std::string_view name, bool& out);
  void integer(std::string_view name, std::int64_t& out, std::int64_t min, std::int64_t max);
  // Reads one inner object with `use`. False if it is absent.
  bool object(std::string_view name, const Use& use, Need need = Need::optional);
  // An array of objects.
  void each(std::string_view name, std::size_t limit, const Use& use);
  // An object whose values are all text.
  void texts(std::string_view name, std::function<void(std::string, std::string)> use);
  // Any object, as its JSON text.
  void raw(std::string_view name, std::string& out);
  // Reads a value of any type but null with `use`.
  void any(std::string_view name, const std::function<void(simdjson::dom::element)>& use);
  bool has(std::string_view name);
  // Reports members that no call above has read as an error. Call it last.
  void finish();

  bool ok() const { return !error_.has_value(); }
  void fail(std::string_view name, std::string message);

 private:
  std::optional<simdjson::dom::element> take(std::string_view name);
  std::string path_of(std::string_view name) const;

  simdjson::dom::object object_;
  std::string path_;
  std::optional<core::Error>& error_;
  std::vector<std::string_view> known_;
};

// Parses `body` as one object and reads it with `use`. Errors: `invalid_argument`. An empty body
// counts as {}.
core::Result<void> read_object(std::string_view body, const ObjectReader::Use& use);

}  // namespace parley::api
