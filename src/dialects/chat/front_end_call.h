// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/core/result.h"
#include "dialects/chat/chat_context.h"
#include "dialects/chat/wrapper.h"
#include "services/front_end/front_end_store.h"

namespace parley::chat {

// A request of a front end that has been admitted.
struct FrontEndCall {
  std::string owner;  // id of the token
  net::Request request;
  WrappedResponder answer;

  core::Scheduler& scheduler() { return answer.scheduler(); }
};

// Adds a route that has a row in the table of rights. Refusals have the form of wrapper.h.
using FrontEndHandler = void (*)(ChatContext& context, FrontEndCall call);
void add_route(net::Router& router, ChatContext& context, std::string_view method,
               std::string_view pattern, FrontEndHandler handler);

// Like add_route(), for a route that needs only the store: `work` runs on the store's thread, and
// its result, JSON text, becomes the answer's `data`.
using FrontEndWork = core::Result<std::string> (*)(const front_end::FrontEndStore::Tables& tables,
                                                   const std::string& owner,
                                                   const net::Request& request);
void add_store_route(net::Router& router, ChatContext& context, std::string_view method,
                     std::string_view pattern, FrontEndWork work);

// Makes the `done` of a store call: it answers with the call's JSON text or with its error.
front_end::FrontEndStore::Done<std::string> send_data(WrappedResponder answer);

// Returns as text a member that front ends send as a string or as a number. Errors: those of
// WrappedBody::text().
core::Result<std::optional<std::string>> id_member(const WrappedBody& body, std::string_view name);

// Reads an id as front ends write it. Returns 0, which no resource has as its id, for any other
// text.
std::int64_t id_from(std::string_view text);

// Call before new content is stored. False: the disk is full (core::WorkGate), and the call was
// answered with `resource_exhausted`.
bool may_store(ChatContext& context, FrontEndCall& call);

void install_agents(net::Router& router, ChatContext& context);
void install_models(net::Router& router, ChatContext& context);
void install_workflows(net::Router& router, ChatContext& context);
void install_files(net::Router& router, ChatContext& context);

}  // namespace parley::chat
