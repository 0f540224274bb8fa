// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "dialects/external_agent/message_check.h"

#include <spdlog/spdlog.h>

#include <array>
#include <utility>

#include "dialects/external_agent/relay_frames.h"

namespace parley::external_agent {
namespace {

constexpr double kLoggedVersions = 20;

void note_version(RelayContext& context) {
  net::Counter& counter = context.counters().other_version;
  if (counter.value() < kLoggedVersions) {
    spdlog::info("a message with another version is handled as version {}", kVersion);
  }
  counter.add();
}

std::string label(const std::vector<JsonField>& fields, std::string_view name) {
  const JsonField* field = find_field(fields, name);
  if (field == nullptr) return {};
  if (field->type == JsonType::string) return decode_json_string(field->value);
  if (field->type == JsonType::number) return std::string(field->value);
  return {};
}

}  // namespace

std::string oversized_text(const RelayOptions& options) {
  return "Message must be at most " + std::to_string(options.max_envelope_bytes) + " bytes.";
}

std::optional<std::string> read_message(EnvelopeReader& reader, std::string_view data,
                                        RelayContext& context) {
  const RelayOptions& options = context.options();
  if (data.size() > options.max_envelope_bytes) {
    return oversized_text(options);
  }
  switch (reader.read(data)) {
    case ReadResult::ok:
      break;
    case ReadResult::malformed:
      return std::string(text::kNotAMessage);
    case ReadResult::too_deep:
      return "Message must be nested at most " + std::to_string(options.max_depth) + " deep.";
    case ReadResult::too_many_fields:
      return std::string(text::kTooManyFields);
    case ReadResult::long_id:
      return std::string(text::kLongId);
  }
  if (!reader.envelope().speaks_our_version()) note_version(context);
  return std::nullopt;
}

bool is_payload_usable(const Envelope& envelope) {
  return envelope.payload.empty() || envelope.payload_type == JsonType::object ||
         envelope.payload_type == JsonType::null;
}

study::StudyStart read_study_labels(const std::vector<JsonField>& fields) {
  study::StudyStart out;
  out.study_id = label(fields, "studyId");
  out.participant_id = label(fields, "participantId");
  out.condition = label(fields, "condition");
  out.scenario = label(fields, "scenario");
  return out;
}

study::StudyStart read_study_labels(std::string_view raw_object) {
  std::vector<JsonField> fields;
  std::vector<JsonField> inner;
  // The object is part of a scanned message, so only too many members can make the scan fail.
  if (scan_object(raw_object, raw_object.size(), {}, fields, inner) != ScanResult::ok) return {};
  return read_study_labels(fields);
}

std::string wrong_label(const study::StudyStart& start) {
  const std::array<std::pair<std::string_view, const std::string*>, 4> labels = {{
      {"studyId", &start.study_id},
      {"participantId", &start.participant_id},
      {"condition", &start.condition},
      {"scenario", &start.scenario},
  }};
  for (const auto& [name, value] : labels) {
    if (value->size() > study::kMaxLabelBytes) {
      return std::string(name) + " must be at most " + std::to_string(study::kMaxLabelBytes) +
             " bytes.";
    }
  }
  return {};
}

}  // namespace parley::external_agent
