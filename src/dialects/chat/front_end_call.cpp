// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "dialects/chat/front_end_call.h"

#include <charconv>
#include <utility>

#include "identity/access/entrance.h"

namespace parley::chat {

using core::Result;

void add_route(net::Router& router, ChatContext& context, std::string_view method,
               std::string_view pattern, FrontEndHandler handler) {
  access::add_route(
      router, access::row_of(method, pattern), std::string(pattern), context.verifier,
      [&context, handler](net::Request request, net::Responder responder, auth::Identity identity) {
        handler(context,
                {std::move(identity.workspace), std::move(request), {std::move(responder)}});
      },
      wrapped_refusal);
}

void add_store_route(net::Router& router, ChatContext& context, std::string_view method,
                     std::string_view pattern, FrontEndWork work) {
  access::add_route(
      router, access::row_of(method, pattern), std::string(pattern), context.verifier,
      [&context, work](net::Request request, net::Responder responder, auth::Identity identity) {
        core::Scheduler& home = responder.scheduler();
        const std::size_t bytes = request.body.size();
        context.front_end->run<std::string>(
            home, bytes,
            [work, owner = std::move(identity.workspace),
             request = std::move(request)](const front_end::FrontEndStore::Tables& tables) {
              return work(tables, owner, request);
            },
            send_data({std::move(responder)}));
      },
      wrapped_refusal);
}

front_end::FrontEndStore::Done<std::string> send_data(WrappedResponder answer) {
  return [answer = std::move(answer)](const Result<std::string>& data) mutable {
    if (!data) return answer.refuse(data.error());
    answer.data(*data);
  };
}

Result<std::optional<std::string>> id_member(const WrappedBody& body, std::string_view name) {
  if (const auto member = body.member(name)) {
    std::int64_t number = 0;
    if (member->get(number) == simdjson::SUCCESS) return std::to_string(number);
  }
  return body.text(name);
}

bool may_store(ChatContext& context, FrontEndCall& call) {
  const Result<void> may = context.gate.admit();
  if (!may) call.answer.refuse(may.error());
  return may.has_value();
}

std::int64_t id_from(std::string_view text) {
  std::int64_t id = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), id);
  return error == std::errc() && end == text.data() + text.size() ? id : 0;
}

}  // namespace parley::chat
