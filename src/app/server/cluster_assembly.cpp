// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "app/server/cluster_assembly.h"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <condition_variable>
#include <fstream>
#include <iterator>
#include <mutex>
#include <optional>
#include <string_view>
#include <thread>
#include <utility>

#include "app/server/cluster_gauges.h"
#include "app/server/data_directory.h"
#include "app/server/version.h"
#include "base/core/private_files.h"
#include "base/core/result.h"
#include "base/link/announced_answer.h"
#include "base/link/cluster_certificate.h"
#include "base/link/link_listener.h"
#include "base/link/link_tls.h"
#include "base/link/owner_router.h"
#include "base/net/loop/tcp.h"
#include "identity/access/access_table.h"
#include "identity/auth/secret_files.h"
#include "model/placement/cluster_view.h"
#include "model/placement/membership_thread.h"
#include "model/placement/postgres_home_store.h"

namespace parley::app {
namespace {

using core::Code;
using placement::Slot;
using placement::SlotSet;
using placement::TakenSlot;

constexpr std::string_view kNodeSetting = "cluster.node";
constexpr std::string_view kNameSetting = "cluster.name";
constexpr std::string_view kListenSetting = "cluster.listen";
constexpr std::string_view kLinkSetting = "cluster.link";

constexpr std::string_view kClusterFile = "cluster.pem";
constexpr std::array kClusterSecret = {kClusterFile};
// The name of a cluster is a part of its authority's name, which X.509 limits to 64 bytes.
// Limit (Cluster, bytes): name of a cluster. Reached: the server does not start.
constexpr std::size_t kMaxClusterName = 48;

// Limit (Cluster): start of a node until it is a member. Reached: the server does not start.
constexpr core::Millis kJoinLimit{10'000};
// Pause before what is open in gained slots is read again, after a failure.
constexpr core::Millis kRecoveryPause{500};
// A certificate is renewed when this much of its life is over.
constexpr std::chrono::days kCertificateAge = link::kNodeCertificateLife / 2;

SlotSet set_of(const std::vector<Slot>& slots) {
  SlotSet out;
  for (const Slot slot : slots) out.set(slot);
  return out;
}

SlotSet set_of(const std::vector<TakenSlot>& slots) {
  SlotSet out;
  for (const TakenSlot& each : slots) out.set(each.slot);
  return out;
}

core::Result<void> check_settings(const Settings& settings) {
  if (settings.store_url.empty()) {
    return core::fail(Code::invalid_argument,
                      "cluster.node needs store.url: the nodes of a cluster share a database.",
                      std::string(kNodeSetting));
  }
  if (!link::is_node_name(settings.cluster_node)) {
    return core::fail(Code::invalid_argument,
                      "cluster.node must be a DNS name in lower case of at most " +
                          std::to_string(link::kMaxNodeNameBytes) + " bytes.",
                      std::string(kNodeSetting));
  }
  const std::string& name = settings.cluster_name;
  if (!link::is_cluster_id(name) || name.size() > kMaxClusterName) {
    return core::fail(Code::invalid_argument,
                      "cluster.name must be at most " + std::to_string(kMaxClusterName) +
                          " lower-case letters, digits and hyphens.",
                      std::string(kNameSetting));
  }
  return {};
}

// The address that other nodes connect to; the host is numeric. `listening`: where this node
// listens.
core::Result<std::string> link_address(const Settings& settings, const net::Endpoint& listening) {
  net::Endpoint at = listening;
  if (!settings.cluster_link.empty()) {
    PARLEY_TRY(at, net::Endpoint::parse(settings.cluster_link));
    if (at.port == 0) at.port = listening.port;
  }
  const auto numeric = net::resolved(at);
  const bool is_any = !numeric || numeric->host == "0.0.0.0" || numeric->host == "::";
  if (!is_any) return numeric->to_string();
  return core::fail(
      Code::invalid_argument,
      "cluster.link must be the address at which other nodes reach this one, HOST:PORT.",
      std::string(kLinkSetting));
}

// The authority of the database's cluster, made if there is none.
core::Result<link::ClusterAuthority> shared_authority(const Settings& settings,
                                                      const core::Clock& clock) {
  const std::string file = settings.data + "/" + std::string(kClusterFile);
  PARLEY_TRY_VOID(
      auth::share_secret(settings.stores(), kClusterSecret, [&]() -> core::Result<void> {
        PARLEY_TRY(const auto created,
                   link::ClusterAuthority::make(settings.cluster_name, clock.wall()));
        return core::write_private_file(file, created.pem());
      }));
  std::ifstream in(file);
  const std::string pem{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
  PARLEY_TRY(auto authority, link::ClusterAuthority::parse(pem, clock.wall()));
  if (const std::string known = authority.cluster(); known != settings.cluster_name) {
    return core::fail(Code::invalid_argument,
                      "cluster.name is " + settings.cluster_name +
                          ", but the database of store.url belongs to the cluster " + known +
                          ". Another cluster needs another database.",
                      std::string(kNameSetting));
  }
  return authority;
}

link::NodeNumbers live_nodes(const placement::View& view) {
  link::NodeNumbers out;
  for (const placement::Node& node : view.nodes) {
    if (node.is_live) out.push_back(node.id);
  }
  return out;
}

std::optional<link::LinkTarget> target(const std::optional<placement::Node>& node) {
  if (!node) return std::nullopt;
  auto at = net::Endpoint::parse(node->description.link);
  if (!at) return std::nullopt;
  return link::LinkTarget{std::move(*at), node->description.name, node->id};
}

// The owner for whom a handshake speaks; empty: its login is a message, or it is refused.
std::string owner_of(const net::Request& handshake, auth::Verifier& tokens,
                     auth::Verifier* guests) {
  const std::string sent = handshake.token();
  const access::Row* const row = access::find_row("WS", handshake.path);
  const bool is_guest = sent.empty() && row != nullptr && row->guests;
  auth::Verifier* const by = is_guest ? guests : &tokens;
  if (by == nullptr || (sent.empty() && !is_guest)) return {};
  const auto identity = by->verify(sent, handshake.peer);
  return identity ? identity->workspace : std::string();
}

}  // namespace

struct ClusterAssembly::Parts final : public placement::HomeUser {
  explicit Parts(const Dependencies& dependencies)
      : settings(dependencies.settings),
        clock(dependencies.clock),
        entropy(dependencies.entropy),
        tcp(dependencies.tcp),
        metrics(dependencies.metrics) {}

  core::Result<void> open();
  core::Result<void> new_certificate();
  core::Result<void> listen();
  core::Result<void> wait_for_membership();
  // `is_first`: a failure is logged.
  void recover(std::vector<TakenSlot> slots, Done done, bool is_first = true);
  std::size_t held() const;
  bool serves(std::string_view owner) const {
    return homes.serves(placement::slot_of(owner), clock.mono());
  }
  link::OwnerHome home_of(std::string_view owner) const;
  std::vector<link::LinkTarget> others() const;

  void on_view(const placement::View& shown, placement::NodeId self) override;
  void on_lost(const std::vector<Slot>& slots) override;
  void on_gained(const std::vector<TakenSlot>& slots, Done done) override;
  void on_leaving(const std::vector<Slot>& slots, Done done) override;
  void on_trouble(const std::optional<core::Error>& trouble) override;
  void on_ended(const core::Error& why) override;

  const Settings& settings;
  core::CorrectedClock& clock;
  core::Entropy& entropy;
  net::Network& tcp;
  net::Metrics& metrics;
  placement::HomeMap homes;
  placement::ClusterView view;
  std::atomic<placement::NodeId> number{placement::kNobody};
  std::atomic<bool> is_draining{false};
  std::atomic<bool> has_drained{false};  // takes no connections of other nodes any more
  std::optional<link::ClusterAuthority> authority;
  std::shared_ptr<link::LinkTls> tls;
  core::WallTime renew_at{};  // of the certificate
  std::unique_ptr<placement::HomeStore> store;
  std::shared_ptr<link::ForwardCounters> requests = std::make_shared<link::ForwardCounters>();
  std::shared_ptr<link::HandshakeCounters> handshakes = std::make_shared<link::HandshakeCounters>();
  std::shared_ptr<link::LinkCounters> links = std::make_shared<link::LinkCounters>();
  std::function<void(core::Task done)> reread;
  std::unique_ptr<link::OwnerRouter> ways;
  std::optional<Users> users;
  std::string instance;
  std::string link;  // address
  std::vector<std::unique_ptr<link::LinkListener>> listeners;
  mutable std::mutex mutex;
  std::condition_variable changed;
  std::optional<core::Error> trouble;  // guarded
  std::optional<core::Error> ended;    // guarded
  std::unique_ptr<placement::MembershipThread> membership;
};

core::Result<void> ClusterAssembly::Parts::open() {
  PARLEY_TRY(instance, ensure_node_id(settings.data, entropy));
  PARLEY_TRY(authority, shared_authority(settings, clock));
  PARLEY_TRY_VOID(new_certificate());
  PARLEY_TRY(store, placement::PostgresHomeStore::open(settings.stores()));
  add_cluster_gauges(metrics, {homes, view, number, clock, requests, handshakes, links});
  return {};
}

core::Result<void> ClusterAssembly::Parts::new_certificate() {
  const core::WallTime now = clock.wall();
  PARLEY_TRY(
      const link::NodeCertificate certificate,
      link::make_node_certificate(*authority, settings.cluster_name, settings.cluster_node, now));
  renew_at = now + kCertificateAge;
  if (tls == nullptr) {
    tls = std::make_shared<link::LinkTls>(*authority, certificate, clock);
  } else {
    tls->renew(*authority, certificate);
  }
  return {};
}

std::size_t ClusterAssembly::Parts::held() const {
  std::size_t count = 0;
  for (std::size_t slot = 0; slot < placement::kSlots; ++slot) {
    if (homes.epoch(static_cast<Slot>(slot)) != 0) ++count;
  }
  return count;
}

// A node that serves an owner says so whatever the last view has shown.
link::OwnerHome ClusterAssembly::Parts::home_of(std::string_view owner) const {
  if (serves(owner)) return {};
  const std::optional<placement::Node> home = view.home_of(owner);
  std::optional<link::LinkTarget> elsewhere;
  if (home && home->id != number.load()) elsewhere = target(*home);
  return {elsewhere, !elsewhere};
}

std::vector<link::LinkTarget> ClusterAssembly::Parts::others() const {
  std::vector<link::LinkTarget> out;
  for (const placement::Node& node : view.nodes()) {
    if (!node.is_live || node.id == number.load()) continue;
    if (auto other = target(node)) out.push_back(std::move(*other));
  }
  return out;
}

core::Result<void> ClusterAssembly::Parts::listen() {
  net::Endpoint at = settings.cluster_listen;
  link::LinkListener::Limits limits;
  limits.open = settings.server.max_connections;
  for (core::Scheduler* const scheduler : users->schedulers) {
    auto listener = std::make_unique<link::LinkListener>(
        *scheduler, tls,
        [this](const link::Preface& /*preface*/) {
          return link::LinkHome{settings.cluster_name, number.load(), link::kNoNode,
                                has_drained.load()};
        },
        [this](link::LinkConnection connection) {
          users->server.adopt(std::move(connection.stream), connection.preface.hops);
        },
        links, limits);
    auto listening = listener->listen(tcp, at);
    if (!listening) {
      core::Error error = std::move(listening.error());
      error.field = kListenSetting;
      return core::fail(std::move(error));
    }
    at = *listening;
    listeners.push_back(std::move(listener));
  }
  PARLEY_TRY(link, link_address(settings, at));
  return {};
}

core::Result<void> ClusterAssembly::Parts::wait_for_membership() {
  std::unique_lock lock(mutex);
  const bool is_decided = changed.wait_for(
      lock, kJoinLimit, [this] { return ended || number.load() != placement::kNobody; });
  if (is_decided && !ended) return {};
  if (ended) return core::fail(*ended);
  if (trouble) return core::fail(*trouble);
  return core::fail(Code::deadline_exceeded, "The database did not answer in time.");
}

void ClusterAssembly::Parts::recover(std::vector<TakenSlot> slots, Done done, bool is_first) {
  core::Scheduler& scheduler = *users->schedulers.front();
  users->hub.recover(users->store, scheduler, slots,
                     [this, slots, &scheduler, is_first,
                      done = std::move(done)](const core::Result<std::size_t>& count) mutable {
                       if (count) {
                         if (*count > 0)
                           spdlog::info("cluster: {} pending interactions came here", *count);
                         return users->gained(set_of(slots), std::move(done));
                       }
                       if (is_first) {
                         spdlog::warn("cluster: what is open in {} slots is read again: {}",
                                      slots.size(), count.error().message);
                       }
                       scheduler.after(kRecoveryPause, [this, slots = std::move(slots),
                                                        done = std::move(done)]() mutable {
                         recover(std::move(slots), std::move(done), false);
                       });
                     });
}

void ClusterAssembly::Parts::on_view(const placement::View& shown, placement::NodeId self) {
  view.set(shown);
  // Deadlines of questions, expiries and the times of events are the same on all nodes.
  if (shown.read_at && clock.correct(*shown.read_at)) {
    spdlog::warn(
        "cluster: the clock of this computer is off by {} ms from that of the database,"
        " which counts",
        -clock.correction().count());
  }
  if (number.exchange(self) != self) {
    spdlog::info("cluster: this is node {}, {}", self, settings.cluster_node);
    const std::scoped_lock lock(mutex);
    changed.notify_all();
  }
  ways->keep_only(live_nodes(shown));
  if (clock.wall() < renew_at) return;
  if (const core::Result<void> done = new_certificate(); !done) {
    spdlog::error("cluster: the certificate of this node: {}", done.error().message);
  }
}

void ClusterAssembly::Parts::on_lost(const std::vector<Slot>& slots) {
  spdlog::info("cluster: {} slots went to other nodes", slots.size());
  users->hub.leave_home(set_of(slots), *users->schedulers.front(), [] {});
}

void ClusterAssembly::Parts::on_gained(const std::vector<TakenSlot>& slots, Done done) {
  spdlog::info("cluster: {} slots came here", slots.size());
  recover(slots, std::move(done));
}

void ClusterAssembly::Parts::on_leaving(const std::vector<Slot>& slots, Done done) {
  users->hub.leave_home(set_of(slots), *users->schedulers.front(), std::move(done));
}

void ClusterAssembly::Parts::on_trouble(const std::optional<core::Error>& now) {
  if (now) {
    spdlog::warn("cluster: {}", now->message);
  } else {
    spdlog::info("cluster: the database answers again");
  }
  const std::scoped_lock lock(mutex);
  trouble = now;
}

void ClusterAssembly::Parts::on_ended(const core::Error& why) {
  spdlog::error("cluster: {}", why.message);
  const std::scoped_lock lock(mutex);
  ended = why;
  changed.notify_all();
}

ClusterAssembly::ClusterAssembly(std::unique_ptr<Parts> parts) : parts_(std::move(parts)) {}

ClusterAssembly::~ClusterAssembly() { leave(); }

core::Result<std::unique_ptr<ClusterAssembly>> ClusterAssembly::make(
    const Dependencies& dependencies) {
  if (dependencies.settings.cluster_node.empty()) return nullptr;
  PARLEY_TRY_VOID(check_settings(dependencies.settings));
  // The constructor is private, so make_unique cannot reach it.
  return std::unique_ptr<ClusterAssembly>(
      new ClusterAssembly(std::make_unique<Parts>(dependencies)));
}

core::Result<void> ClusterAssembly::open() { return parts_->open(); }

bool ClusterAssembly::serves(std::string_view owner) const { return parts_->serves(owner); }

bool ClusterAssembly::serves_shared() const { return parts_->serves(kNobodysOwner); }

bool ClusterAssembly::has_shared(const placement::SlotSet& slots) {
  return slots.test(placement::slot_of(kNobodysOwner));
}

const placement::HomeMap& ClusterAssembly::homes() const { return parts_->homes; }

session::Placement ClusterAssembly::placement() {
  return [parts = parts_.get()](std::string_view owner) -> std::optional<std::string> {
    if (parts->serves(owner)) return std::nullopt;
    const std::optional<placement::Node> home = parts->view.home_of(owner);
    const bool is_elsewhere = home && home->id != parts->number.load();
    return is_elsewhere ? home->description.name : std::string();
  };
}

void ClusterAssembly::open_ways(const std::vector<core::Scheduler*>& schedulers,
                                Identities identities) {
  Parts& parts = *parts_;
  link::LinkNode node{
      .network = parts.tcp,
      .tls = parts.tls,
      .self =
          [&parts] {
            return link::LinkSender{parts.settings.cluster_name, parts.settings.cluster_node,
                                    parts.number.load()};
          },
      .home_of = [&parts](std::string_view owner) { return parts.home_of(owner); },
      .find = [&parts](link::NodeNumber number) { return target(parts.view.find(number)); },
      .owner_of_route =
          [&parts](std::string_view method, std::string_view pattern) {
            const access::Row* const row =
                access::row_of_route(method, pattern, parts.settings.booking_prefix);
            return std::string(row != nullptr && row->shared ? ClusterAssembly::kNobodysOwner : "");
          },
      .announces =
          [](std::string_view method, std::string_view pattern) {
            const access::Row* const row = access::find_row(method, pattern);
            return row != nullptr && row->announced;
          },
      .others = [&parts] { return parts.others(); },
      .owner_of =
          [of = identities](const net::Request& handshake) {
            return owner_of(handshake, of.tokens, of.guests());
          },
      .max_sockets = parts.settings.server.max_connections,
      .requests = parts.requests,
      .handshakes = parts.handshakes,
  };
  parts.ways = std::make_unique<link::OwnerRouter>(std::move(node), schedulers);
  parts.reread = std::move(identities.reread);
}

net::HomePassage& ClusterAssembly::ways() { return *parts_->ways; }

void ClusterAssembly::install(net::Router& router) {
  Parts& parts = *parts_;
  router.add("POST", std::string(link::kChangesPath),
             [&parts](const net::Request& request, net::Responder responder) {
               // Only nodes reach this: none passes on a request of a client for this route. A
               // client whose WebSocket its home has refused reaches it too, and gets a read that
               // all share.
               if (request.hops == 0) return responder.send(net::Response::text(404, ""));
               core::Scheduler& back = responder.scheduler();
               parts.reread([&back, responder = std::move(responder)]() mutable {
                 back.post([responder = std::move(responder)]() mutable {
                   responder.send(net::Response::text(204, ""));
                 });
               });
             });
  parts.ways->wrap(router);
}

core::Result<void> ClusterAssembly::join(Users users) {
  Parts& parts = *parts_;
  parts.users.emplace(std::move(users));
  PARLEY_TRY_VOID(parts.listen());
  const placement::NodeDescription self{parts.settings.cluster_node, parts.instance, parts.link,
                                        std::string(kVersion)};
  parts.membership = std::make_unique<placement::MembershipThread>(self, std::move(parts.store),
                                                                   parts.homes, parts, parts.clock);
  return parts.wait_for_membership();
}

core::Result<void> ClusterAssembly::readiness() const {
  const std::scoped_lock lock(parts_->mutex);
  if (parts_->ended) return core::fail(*parts_->ended);
  if (parts_->is_draining) {
    return core::fail(Code::unavailable, "This node gives its sessions to other nodes.");
  }
  if (parts_->homes.lease_holds(parts_->clock.mono())) return {};
  return core::fail(Code::unavailable,
                    "The lease of this node is over: the database does not answer.");
}

std::optional<core::Error> ClusterAssembly::ended() const {
  const std::scoped_lock lock(parts_->mutex);
  return parts_->ended;
}

void ClusterAssembly::drain(core::Millis patience) {
  Parts& parts = *parts_;
  if (!parts.membership || parts.is_draining.exchange(true)) return;
  parts.membership->drain();
  const auto has_others = [&parts] {
    const std::vector<placement::Node> nodes = parts.view.nodes();
    return std::any_of(nodes.begin(), nodes.end(), [&parts](const placement::Node& node) {
      return node.is_live && !node.is_draining && node.id != parts.number.load();
    });
  };
  constexpr core::Millis kLook{50};
  const core::MonoTime end = parts.clock.mono() + patience;
  while (parts.held() > 0 && has_others() && !ended() && parts.clock.mono() < end) {
    std::this_thread::sleep_for(kLook);
  }
  parts.has_drained = true;
}

void ClusterAssembly::leave() {
  if (parts_->membership) parts_->membership->stop();
  parts_->listeners.clear();
  parts_->ways.reset();
}

std::function<bool(std::string_view)> owners_at_home(const ClusterAssembly* cluster) {
  if (cluster == nullptr) return nullptr;
  return [cluster](std::string_view owner) { return cluster->serves(owner); };
}

std::function<bool()> shared_at_home(const ClusterAssembly* cluster) {
  if (cluster == nullptr) return nullptr;
  return [cluster] { return cluster->serves_shared(); };
}

}  // namespace parley::app
