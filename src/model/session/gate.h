// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/core/result.h"

namespace parley::session {

// The way by which an act on an interaction reached the server.
enum class Channel : std::uint8_t {
  unknown,    // none (a deadline), or an event of before channels were stored
  console,    // Parley's own page, over the Agent Assistant protocol
  assistant,  // another client of that protocol
  push,       // a button or the page of a notice on a device with Web Push
  ntfy,
  mail,
  webhook,
  link,  // an answer link of a notifier that is not configured any more
  mcp,   // the window of an MCP client
  chat,
  loom,
  api,  // the HTTP API below /v1
  run,  // an earlier answer in the same run
};

std::string_view channel_name(Channel channel);  // "console", ...; "" for unknown
std::optional<Channel> channel_from_name(std::string_view name);

// The holder of an authority as the server knows it, whatever name a client gives itself.
struct Holder {
  std::string token;  // id of the token, the login or the grant; empty: none (a link, a guest)
  std::string name;   // of the token, the user, the device or the notifier
  bool operator==(const Holder&) const = default;
};

// The one that ended an interaction. Empty for a deadline, and in events of before it was stored.
struct Answerer {
  Holder holder = {};
  Channel channel = Channel::unknown;
  bool operator==(const Answerer&) const = default;
};

// The text on which an answer was given: its SHA-256, as model/session/shown.h makes it.
struct Shown {
  enum class Source : std::uint8_t {
    nothing,    // the client cannot say
    by_client,  // the client sent the hash with its answer
    by_server,  // the server made the text itself: notices, the pages of answer links
  };
  Source source = Source::nothing;
  std::string sha256;  // hexadecimal digits; empty for `nothing`
  bool operator==(const Shown&) const = default;
};

std::string_view shown_source_name(Shown::Source source);  // "not told", "client", "server"
std::optional<Shown::Source> shown_source_from_name(std::string_view name);

struct Interaction;

// The asker of an interaction, as it is stored with it. Without a token the asker is the server
// itself (a run), or is not known: interactions of before askers were stored.
struct Asker {
  std::string token;    // id of the token, the login or the grant
  bool window = false;  // the asker may pass on an answer that its person gave in its own window
  bool operator==(const Asker&) const = default;
};

// What an actor does with an interaction.
enum class Deed : std::uint8_t {
  answer,
  cancel,
  read,  // sees its text and its outcome, also by asking again with the same key
};

// The authority by which an actor acts on the interactions of a session. There is none by default:
// each act names its own. Dialects make theirs with access::authority_of().
class Authority {
 public:
  // The rights of a token that count here.
  struct Rights {
    bool answer = false;
    bool read = false;
  };

  // A caller with a token of the session's owner. `token`: the id under which it asks; two callers
  // with one id are one asker. Without an id it has asked nothing. `name`: of the token, for
  // people.
  static Authority of_token(std::string token, Rights rights, std::string name = {}) {
    Holder holder{token, std::move(name)};
    return {Source::token, std::move(token), rights, std::move(holder)};
  }
  // The asking agent's own window: passes on the answers of its person to the questions that the
  // same token has asked there, whatever rights it has.
  static Authority of_window(std::string token, std::string name = {}) {
    Holder holder{token, std::move(name)};
    return {Source::window, std::move(token), {}, std::move(holder)};
  }
  // The holder of the secret of a link, which is for the interaction with this key alone.
  static Authority of_answer_link(std::string key, Holder holder = {}) {
    return {Source::answer_link, std::move(key), {}, std::move(holder)};
  }
  // A run of the server, for its own questions and approvals.
  static Authority of_run() { return {Source::run, {}, {}, {}}; }
  // A person's earlier answer that allows the later calls of a tool in the same run.
  static Authority of_run_allowance(Holder person = {}) {
    return {Source::run_allowance, {}, {}, std::move(person)};
  }
  // The limit of pending notices.
  static Authority of_notice_limit() { return {Source::notice_limit, {}, {}, {}}; }

  // Stored with the interactions that this authority ends.
  const Holder& holder() const { return holder_; }

  // The asker that is stored with an interaction that this authority asks.
  Asker asker() const;

 private:
  enum class Source : std::uint8_t { token, window, answer_link, run, run_allowance, notice_limit };

  Authority(Source source, std::string id, Rights rights, Holder holder)
      : source_(source), id_(std::move(id)), rights_(rights), holder_(std::move(holder)) {}

  bool permits(const Interaction& interaction, Deed deed) const;
  bool has_asked(const Interaction& interaction) const;
  friend core::Result<void> permitted(const Authority& by, const Interaction& interaction,
                                      Deed deed);

  Source source_;
  std::string id_;  // of the token; of a link: the key of its interaction
  Rights rights_;
  Holder holder_;
};

// The one decision about acts on interactions; docs/security.md has its table. Every answer and
// every cancellation of a session passes here, pending and ended interactions alike.
// Errors: `permission_denied` (field "rights").
core::Result<void> permitted(const Authority& by, const Interaction& interaction, Deed deed);

}  // namespace parley::session
