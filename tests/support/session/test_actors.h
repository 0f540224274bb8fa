// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>

#include "model/session/session.h"

// Actors for tests.
namespace parley::session {

// A token that may only ask.
inline Authority asking_token(std::string id = "asker") {
  return Authority::of_token(std::move(id), {});
}

// A token that may answer and read, as those of people.
inline Authority answering_token(std::string id = "person") {
  return Authority::of_token(std::move(id), {.answer = true, .read = true});
}

// A person with such a token.
inline Actor person(std::string client_id, std::string nickname) {
  return {answering_token(), {std::move(client_id), std::move(nickname)}};
}

}  // namespace parley::session
