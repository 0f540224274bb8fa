// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include <spdlog/spdlog.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/certificate/apple_profile.h"
#include "base/core/ask.h"
#include "base/core/visible_text.h"
#include "dialects/api/disk_work.h"
#include "dialects/api/handlers.h"

namespace parley::api {
namespace {

using certificate::TlsFacts;
using certificate::TlsMode;

TlsFacts facts_of(const Context& context) {
  return context.tls != nullptr ? context.tls->facts() : TlsFacts();
}

// A file that makes a device trust the server, or 404.
template <typename Body>
void send_file(const Context& context, net::Responder responder, std::string_view type,
               std::string_view name, const Body& body) {
  const TlsFacts facts = facts_of(context);
  if (facts.mode != TlsMode::automatic) {
    return responder.send(
        net::Response::error({core::Code::not_found,
                              "This server has no certificate authority: start it with --tls auto.",
                              {}}));
  }
  net::Response response;
  response.headers.add("Content-Type", std::string(type));
  response.headers.add("Content-Disposition", "attachment; filename=\"" + std::string(name) + "\"");
  response.headers.add("Cache-Control", "no-store");
  response.body = body(facts);
  responder.send(std::move(response));
}

}  // namespace

void get_tls(const Context& context, Call call) {
  using Origins = std::vector<std::string>;
  with_disk<Origins>(
      context, std::move(call), "addresses",
      [tls = context.tls]() -> core::Result<Origins> {
        return tls != nullptr ? tls->origins() : Origins();
      },
      [&context](Call& from, const Origins& origins) {
        const TlsFacts facts = facts_of(context);
        send_object(from, 200, [&](core::JsonWriter& json) {
          json.key("mode").string(certificate::mode_name(facts.mode)).key("fingerprint");
          facts.fingerprint.empty() ? json.null() : json.string(facts.fingerprint);
          write_time(json, "expires_at", facts.expires_at);
          write_time(json, "authority_expires_at", facts.authority_expires_at);
          json.key("origins").strings(origins).key("away");
          const std::string away = context.tls != nullptr ? context.tls->away() : std::string();
          away.empty() ? json.null() : json.string(away);
          json.key("port").number(context.tls != nullptr ? context.tls->port() : 0);
          json.key("service").string(context.tls != nullptr ? context.tls->service() : "none");
        });
      });
}

void open_tailnet(const Context& context, Call call) {
  if (!context.open_tailnet) {
    return send_error(call,
                      {core::Code::failed_precondition, "This server listens on no tailnet.", {}});
  }
  spdlog::info("the token {} asks to open the server to its tailnet",
               core::visible_line(call.identity.name));
  core::Scheduler& back = call.responder.scheduler();
  const auto waiting = std::make_shared<Call>(std::move(call));
  context.open_tailnet(core::reply_on(back, [&context, waiting](const core::Result<void>& opened) {
    if (!opened) return send_error(*waiting, opened.error());
    get_tls(context, std::move(*waiting));
  }));
}

void install_authority(net::Router& router, const Context& context) {
  router.add("GET", "/ca.crt", [&context](net::Request, net::Responder responder) {
    send_file(context, std::move(responder), "application/x-x509-ca-cert", "parley-authority.crt",
              [](const TlsFacts& facts) { return facts.authority_der; });
  });
  router.add("GET", "/ca.mobileconfig", [&context](net::Request, net::Responder responder) {
    send_file(context, std::move(responder), "application/x-apple-aspen-config",
              "parley-authority.mobileconfig", certificate::apple_profile);
  });
}

}  // namespace parley::api
