// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "dialects/external_agent/envelope.h"
#include "dialects/external_agent/relay_context.h"
#include "services/study/study.h"

namespace parley::external_agent {

// Answer to an envelope larger than RelayOptions::max_envelope_bytes.
std::string oversized_text(const RelayOptions& options);

// Reads one message with `reader`. Returns its fault (a sentence for INVALID_MESSAGE, answered
// without replyTo), or std::nullopt. A version other than the relay's is counted.
std::optional<std::string> read_message(EnvelopeReader& reader, std::string_view data,
                                        RelayContext& context);

// True if a payload may be forwarded and logged: an object, null or absent.
bool is_payload_usable(const Envelope& envelope);

// Labels of a study in session.start, or in payload.study of a host's relay.join. A number is read
// as its text; a value of another type counts as absent.
study::StudyStart read_study_labels(const std::vector<JsonField>& fields);
study::StudyStart read_study_labels(std::string_view raw_object);

// Fault of the labels, a sentence for INVALID_PARAMS; empty: the labels are valid.
std::string wrong_label(const study::StudyStart& start);

}  // namespace parley::external_agent
