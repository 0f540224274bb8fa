// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/tool/repeated_member.h"

#include <boost/json/basic_parser_impl.hpp>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_set.h"

namespace parley::tool {
namespace {

namespace json = boost::json;

// Events of boost::json::basic_parser: false ends the reading.
class NameReader {
 public:
  static constexpr std::size_t max_object_size = std::numeric_limits<std::size_t>::max();
  static constexpr std::size_t max_array_size = std::numeric_limits<std::size_t>::max();
  static constexpr std::size_t max_key_size = std::numeric_limits<std::size_t>::max();
  static constexpr std::size_t max_string_size = std::numeric_limits<std::size_t>::max();
  using Failure = json::error_code;

  std::optional<std::string> repeated;

  bool on_object_begin(Failure&) {
    objects_.emplace_back();
    return true;
  }
  bool on_object_end(std::size_t, Failure&) {
    objects_.pop_back();
    return true;
  }
  bool on_key_part(json::string_view part, std::size_t, Failure&) {
    name_.append(part.data(), part.size());
    return true;
  }
  bool on_key(json::string_view part, std::size_t, Failure&) {
    name_.append(part.data(), part.size());
    std::string name = std::exchange(name_, {});
    if (objects_.back().insert(name).second) return true;
    repeated = std::move(name);
    return false;
  }

  bool on_document_begin(Failure&) { return true; }
  bool on_document_end(Failure&) { return true; }
  bool on_array_begin(Failure&) { return true; }
  bool on_array_end(std::size_t, Failure&) { return true; }
  bool on_string_part(json::string_view, std::size_t, Failure&) { return true; }
  bool on_string(json::string_view, std::size_t, Failure&) { return true; }
  bool on_number_part(json::string_view, Failure&) { return true; }
  bool on_int64(std::int64_t, json::string_view, Failure&) { return true; }
  bool on_uint64(std::uint64_t, json::string_view, Failure&) { return true; }
  bool on_double(double, json::string_view, Failure&) { return true; }
  bool on_bool(bool, Failure&) { return true; }
  bool on_null(Failure&) { return true; }
  bool on_comment_part(json::string_view, Failure&) { return true; }
  bool on_comment(json::string_view, Failure&) { return true; }

 private:
  std::vector<absl::flat_hash_set<std::string>> objects_;  // names of each open object
  std::string name_;                                       // the parts of it so far
};

}  // namespace

std::optional<std::string> repeated_member(std::string_view text, std::size_t max_depth) {
  json::parse_options options;
  options.max_depth = max_depth;
  json::basic_parser<NameReader> parser(options);
  json::error_code failed;
  parser.write_some(false, text.data(), text.size(), failed);
  return std::move(parser.handler().repeated);
}

}  // namespace parley::tool
