// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "protocol/external_agent/envelope.h"
#include "protocol/external_agent/relay_context.h"
#include "study/study.h"

namespace parley::external_agent {

// What an envelope over RelayOptions::max_envelope_bytes is answered.
std::string oversized_text(const RelayOptions& options);

// Reads one message with `reader`. Returns what is wrong with it (a sentence for INVALID_MESSAGE,
// which is answered without replyTo), or std::nullopt. Another version than ours is counted.
std::optional<std::string> read_message(EnvelopeReader& reader, std::string_view data,
                                        RelayContext& context);

// Whether a payload may be passed on and logged: an object, null or not there.
bool is_payload_usable(const Envelope& envelope);

// The labels of a study in session.start, or in payload.study of a host's relay.join. Numbers count
// as their text; other values as not given.
study::StudyStart read_study_labels(const std::vector<JsonField>& fields);
study::StudyStart read_study_labels(std::string_view raw_object);

// What is wrong with labels: a sentence for INVALID_PARAMS; empty: nothing.
std::string wrong_label(const study::StudyStart& start);

}  // namespace parley::external_agent
