// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "base/link/link_preface.h"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>
#include <vector>

#include "base/core/json_text.h"
#include "base/core/json_writer.h"
#include "base/core/number_text.h"
#include "base/core/utf8.h"
#include "base/link/cluster_certificate.h"

namespace parley::link {
namespace {

using Fields = std::vector<core::JsonField>;

// Most bytes of the first line, with its line feed: the version and the size have at most 9 digits.
constexpr std::size_t kMaxPrefaceLine = kLinkMagic.size() + 20;
// Levels of an object, for unknown members of a newer release.
constexpr std::size_t kMaxPrefaceDepth = 8;
constexpr std::array<std::string_view, 2> kKindNames = {"request", "websocket"};

tl::unexpected<core::Error> bad_field(std::string_view name, const std::string& expected) {
  std::string sentence = "The member \"";
  sentence.append(name).append("\" of the preface must be ").append(expected).append(".");
  return core::fail(core::Code::invalid_argument, std::move(sentence), std::string(name));
}

core::Result<std::string_view> raw_of(const Fields& fields, std::string_view name,
                                      core::JsonType type, const std::string& expected) {
  const core::JsonField* const field = core::find_field(fields, name);
  if (field == nullptr) return bad_field(name, expected + "; it is missing");
  if (field->type != type) return bad_field(name, expected);
  return field->value;
}

core::Result<std::string> text_field(const Fields& fields, std::string_view name) {
  PARLEY_TRY(const std::string_view raw, raw_of(fields, name, core::JsonType::string, "a text"));
  return core::decode_json_string(raw);
}

template <typename Number>
core::Result<Number> number_field(const Fields& fields, std::string_view name) {
  const std::string expected = "a whole number from 1";
  PARLEY_TRY(const std::string_view raw, raw_of(fields, name, core::JsonType::number, expected));
  const auto number = core::parse_number<Number>(raw);
  if (!number) return bad_field(name, expected);
  return *number;
}

core::Result<bool> flag_field(const Fields& fields, std::string_view name) {
  PARLEY_TRY(const std::string_view raw,
             raw_of(fields, name, core::JsonType::boolean, "true or false"));
  return raw == "true";
}

bool is_client_address(std::string_view text) {
  return !text.empty() && text.size() <= kMaxClientAddressBytes &&
         std::all_of(text.begin(), text.end(), [](char c) { return c > ' ' && c <= '~'; });
}

core::Result<LinkKind> kind_of(std::string_view name) {
  const auto* const found = std::find(kKindNames.begin(), kKindNames.end(), name);
  if (found == kKindNames.end()) return bad_field("kind", "\"request\" or \"websocket\"");
  return static_cast<LinkKind>(found - kKindNames.begin());
}

// Checks what the types of the members do not say.
core::Result<void> check(const Preface& preface) {
  if (!is_cluster_id(preface.cluster)) {
    return bad_field("cluster", "1 to 63 lower-case letters, digits and hyphens");
  }
  if (!is_node_name(preface.from_name)) {
    return bad_field("from_name", "a DNS name in lower case of at most " +
                                      std::to_string(kMaxNodeNameBytes) + " bytes");
  }
  const std::string positive = "a whole number from 1";
  if (preface.from_number <= kNoNode) return bad_field("from_number", positive);
  if (preface.to_number <= kNoNode) return bad_field("to_number", positive);
  if (!is_client_address(preface.client)) {
    return bad_field(
        "client", "1 to " + std::to_string(kMaxClientAddressBytes) + " visible ASCII characters");
  }
  if (preface.hops < 1) return bad_field("hops", positive);
  return {};
}

// The fault of the members' names; empty: none is given twice.
std::string repeated_name(const Fields& fields) {
  std::vector<std::string> names;
  names.reserve(fields.size());
  for (const core::JsonField& field : fields) names.push_back(core::decode_json_string(field.name));
  std::sort(names.begin(), names.end());
  const auto found = std::adjacent_find(names.begin(), names.end());
  if (found == names.end()) return {};
  return "The preface must have each member once; one is given twice.";
}

core::Result<Fields> fields_of(std::string_view json) {
  const auto fail = [](std::string sentence) {
    return core::fail(core::Code::invalid_argument, std::move(sentence), "preface");
  };
  if (json.size() > kMaxPrefaceBytes) {
    return fail("The preface must have at most " + std::to_string(kMaxPrefaceBytes) + " bytes.");
  }
  if (!core::is_utf8(json)) return fail("The preface must be UTF-8.");
  Fields fields;
  Fields inner;
  switch (core::scan_object(json, kMaxPrefaceDepth, {}, fields, inner)) {
    case core::ScanResult::ok:
      break;
    case core::ScanResult::malformed:
      return fail("The preface must be one JSON object.");
    case core::ScanResult::too_deep:
      return fail("The preface must be nested at most " + std::to_string(kMaxPrefaceDepth) +
                  " levels deep.");
    case core::ScanResult::too_many_fields:
      return fail("The preface must have at most " + std::to_string(core::kMaxScannedFields) +
                  " members.");
  }
  if (std::string fault = repeated_name(fields); !fault.empty()) return fail(std::move(fault));
  return fields;
}

}  // namespace

core::Result<std::string> encode_preface(const Preface& preface) {
  PARLEY_TRY_VOID(check(preface));
  const std::string object = core::json_object([&preface](core::JsonWriter& json) {
    json.key("cluster").string(preface.cluster);
    json.key("from_name").string(preface.from_name);
    json.key("from_number").number(preface.from_number);
    json.key("to_number").number(preface.to_number);
    json.key("client").string(preface.client);
    json.key("secure").boolean(preface.secure);
    json.key("hops").number(preface.hops);
    json.key("kind").string(kKindNames.at(static_cast<std::size_t>(preface.kind)));
  });
  std::string out(kLinkMagic);
  out.append(std::to_string(kLinkVersion)).append(" ").append(std::to_string(object.size()));
  return out.append("\n").append(object);
}

core::Result<Preface> decode_preface(std::string_view json) {
  PARLEY_TRY(const Fields fields, fields_of(json));
  Preface out;
  PARLEY_TRY(out.cluster, text_field(fields, "cluster"));
  PARLEY_TRY(out.from_name, text_field(fields, "from_name"));
  PARLEY_TRY(out.from_number, number_field<NodeNumber>(fields, "from_number"));
  PARLEY_TRY(out.to_number, number_field<NodeNumber>(fields, "to_number"));
  PARLEY_TRY(out.client, text_field(fields, "client"));
  PARLEY_TRY(out.secure, flag_field(fields, "secure"));
  PARLEY_TRY(out.hops, number_field<int>(fields, "hops"));
  PARLEY_TRY(const std::string kind, text_field(fields, "kind"));
  PARLEY_TRY(out.kind, kind_of(kind));
  PARLEY_TRY_VOID(check(out));
  return out;
}

std::size_t PrefaceReader::take(std::string_view bytes) {
  std::size_t taken = 0;
  if (state_ == State::incomplete && size_ == 0) taken = take_line(bytes);
  if (state_ == State::incomplete && size_ > 0) taken += take_object(bytes.substr(taken));
  return taken;
}

std::size_t PrefaceReader::take_line(std::string_view bytes) {
  const std::size_t end = bytes.substr(0, kMaxPrefaceLine).find('\n');
  const std::size_t room = kMaxPrefaceLine - cut_.size();
  const std::size_t size =
      std::min({bytes.size(), room, end == std::string_view::npos ? bytes.size() : end + 1});
  cut_.append(bytes.substr(0, size));
  const std::size_t known = std::min(cut_.size(), kLinkMagic.size());
  if (cut_.compare(0, known, kLinkMagic.substr(0, known)) != 0) {
    refuse(RefusalCode::malformed,
           "The preface must begin with " + std::string(kLinkMagic) + " and a version.");
  } else if (!cut_.empty() && cut_.back() == '\n') {
    read_line();
  } else if (cut_.size() == kMaxPrefaceLine) {
    refuse(RefusalCode::malformed, "The first line of the preface must have at most " +
                                       std::to_string(kMaxPrefaceLine) + " bytes.");
  }
  return size;
}

// Reads "PARLEY-LINK/VERSION SIZE\n".
void PrefaceReader::read_line() {
  std::string_view rest(cut_);
  rest.remove_prefix(kLinkMagic.size());
  rest.remove_suffix(1);
  const std::size_t space = rest.find(' ');
  const auto version = core::parse_number<int>(rest.substr(0, space));
  if (!version || *version < 1) {
    return refuse(RefusalCode::malformed,
                  "The version of the preface must be a whole number from 1.");
  }
  if (*version != kLinkVersion) {
    return refuse(RefusalCode::version, "This node speaks version " + std::to_string(kLinkVersion) +
                                            " of the link, and the preface has another.");
  }
  std::optional<std::size_t> size;
  if (space != std::string_view::npos) {
    size = core::parse_number<std::size_t>(rest.substr(space + 1));
  }
  if (!size || *size == 0 || *size > kMaxPrefaceBytes) {
    return refuse(RefusalCode::malformed, "The size of the preface must be a number from 1 to " +
                                              std::to_string(kMaxPrefaceBytes) + ".");
  }
  size_ = *size;
  cut_.clear();
}

std::size_t PrefaceReader::take_object(std::string_view bytes) {
  const std::string_view part = bytes.substr(0, size_ - cut_.size());
  if (part.size() == size_) {
    read_object(part);
    return part.size();
  }
  if (cut_.empty()) cut_.reserve(size_);
  cut_.append(part);
  if (cut_.size() == size_) read_object(cut_);
  return part.size();
}

void PrefaceReader::read_object(std::string_view json) {
  core::Result<Preface> read = decode_preface(json);
  if (!read) return refuse(RefusalCode::malformed, std::move(read.error().message));
  preface_ = std::move(*read);
  state_ = State::complete;
  std::string().swap(cut_);
}

void PrefaceReader::refuse(RefusalCode code, std::string sentence) {
  state_ = State::refused;
  refusal_ = {code, std::move(sentence)};
  std::string().swap(cut_);
}

}  // namespace parley::link
