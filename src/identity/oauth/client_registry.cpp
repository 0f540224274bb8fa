// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "identity/oauth/client_registry.h"

#include <algorithm>
#include <utility>

#include "base/core/ascii.h"
#include "base/core/cancel.h"
#include "base/core/number_text.h"
#include "base/core/result.h"
#include "identity/oauth/parameters.h"

namespace parley::oauth {
namespace {

core::Error unknown_client(std::string message) {
  return protocol_error("invalid_client", std::move(message));
}

// The validity that an answer gives: max-age of Cache-Control, within the limits.
core::Millis life_of(std::string_view cache_control) {
  constexpr std::string_view kMaxAge = "max-age=";
  const std::string fields = core::lowered(cache_control);
  const std::size_t at = fields.find(kMaxAge);
  const bool entry =
      fields.find("no-store") == std::string::npos && fields.find("no-cache") == std::string::npos;
  if (at == std::string::npos || !entry) return kLeastDocumentLife;
  const std::size_t begin = at + kMaxAge.size();
  const std::size_t end = std::min(fields.find_first_not_of("0123456789", begin), fields.size());
  const auto seconds =
      core::parse_number<std::uint32_t>(std::string_view(fields).substr(begin, end - begin));
  const core::Millis life = seconds ? std::chrono::seconds(*seconds) : kLeastDocumentLife;
  return std::clamp(life, kLeastDocumentLife, kLongestDocumentLife);
}

}  // namespace

struct ClientRegistry::Fetch {
  std::string id;
  int status = 0;
  std::string type;
  std::string cache_control;
  std::string body;
  Done done;
};

ClientRegistry::ClientRegistry(std::vector<Client> preregistered, const GrantStore& grants,
                               http_client::Fetcher* fetcher, const core::Clock& clock)
    : preregistered_(std::move(preregistered)), grants_(grants), fetcher_(fetcher), clock_(clock) {}

std::optional<Client> ClientRegistry::known(std::string_view id) {
  const auto found = std::find_if(preregistered_.begin(), preregistered_.end(),
                                  [&](const Client& client) { return client.id == id; });
  if (found != preregistered_.end()) return *found;
  if (std::optional<Client> registered = grants_.registered(id)) return registered;
  const std::scoped_lock lock(mutex_);
  const auto entry = clients_.find(id);
  if (entry == clients_.end() || entry->second.until <= clock_.mono()) return std::nullopt;
  return entry->second.client;
}

void ClientRegistry::find(std::string_view id, core::Scheduler& scheduler, Done done) {
  if (std::optional<Client> client = known(id)) return done(*std::move(client));
  if (fetcher_ == nullptr || !is_document_id(id)) {
    return done(core::fail(unknown_client("This client is not known to the server.")));
  }
  if (!may_fetch()) {
    return done(core::fail(core::Code::resource_exhausted,
                           "Too many clients are being looked up. Try again in a minute."));
  }
  fetch(std::string(id), scheduler, std::move(done));
}

bool ClientRegistry::may_fetch() {
  const core::MonoTime now = clock_.mono();
  const std::scoped_lock lock(mutex_);
  while (!recent_.empty() && recent_.front() + std::chrono::minutes(1) <= now) recent_.pop_front();
  if (fetching_ >= kMaxFetches || recent_.size() >= kMaxFetchesInMinute) return false;
  ++fetching_;
  ++fetches_;
  recent_.push_back(now);
  return true;
}

void ClientRegistry::fetch(std::string id, core::Scheduler& scheduler, Done done) {
  auto state = std::make_shared<Fetch>();
  state->id = std::move(id);
  state->done = std::move(done);
  http_client::FetchRequest request;
  request.url = state->id;
  request.headers = {"Accept: application/json"};
  request.connect_timeout = kDocumentTime;
  request.idle_timeout = kDocumentTime;
  request.total_timeout = kDocumentTime;
  request.max_bytes = kMaxDocumentBytes;
  request.public_only = true;
  http_client::FetchEvents events;
  events.on_head = [state](const http_client::FetchHead& head) {
    state->status = head.status;
    state->type = core::lowered(head.header("content-type").value_or(""));
    state->cache_control = head.header("cache-control").value_or("");
  };
  events.on_body = [state](std::string_view bytes) { state->body += bytes; };
  fetcher_->fetch(std::move(request), std::move(events), scheduler, core::CancelToken(),
                  [this, state](http_client::FetchEnd end) {
                    core::Result<Client> found = finish(*state, end);
                    state->done(std::move(found));
                  });
}

core::Result<Client> ClientRegistry::finish(const Fetch& fetch, const http_client::FetchEnd& end) {
  const std::scoped_lock lock(mutex_);
  --fetching_;
  if (end.kind != http_client::FetchEnd::Kind::complete || fetch.status != 200) {
    return core::fail(unknown_client(
        "The document of this client cannot be read; perhaps this server has no way to the "
        "internet. Give the program a client id that the setting mcp.oauth_clients names "
        "(Claude Code: --client-id), or let programs register with mcp.oauth_registration (Codex: "
        "--oauth-client-registration dcr)."));
  }
  if (fetch.type.find("json") == std::string::npos) {
    return core::fail(unknown_client("The document of this client is not JSON."));
  }
  PARLEY_TRY(Client client, parse_document(fetch.id, fetch.body));
  const core::MonoTime now = clock_.mono();
  std::erase_if(clients_, [now](const auto& each) { return each.second.until <= now; });
  if (clients_.size() >= kMaxKeptDocuments) {
    clients_.erase(std::min_element(
        clients_.begin(), clients_.end(),
        [](const auto& a, const auto& b) { return a.second.until < b.second.until; }));
  }
  clients_.insert_or_assign(fetch.id, Entry{client, now + life_of(fetch.cache_control)});
  return client;
}

bool ClientRegistry::may_stay(std::string_view id) {
  return is_document_id(id) || known(id).has_value();
}

std::uint64_t ClientRegistry::fetches() const {
  const std::scoped_lock lock(mutex_);
  return fetches_;
}

}  // namespace parley::oauth
