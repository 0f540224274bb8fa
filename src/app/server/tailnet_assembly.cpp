// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "app/server/tailnet_assembly.h"

#include <spdlog/spdlog.h>

#include <utility>

#include "base/certificate/certificate_files.h"
#include "base/core/contain.h"
#include "base/net/http/https_redirect.h"
#include "base/net/http/origin_policy.h"
#include "services/tailnet/tailnet_certificate.h"

namespace parley::app {
namespace {

using tailnet::Found;

tl::unexpected<tailnet::Fault> not_stored(const core::Error& error) {
  return tailnet::fault("The certificate of the tailnet cannot be kept.", error.message,
                        "Look at the files tailnet.pem and tailnet.key of the data directory.");
}

}  // namespace

TailnetAssembly::TailnetAssembly(const std::string& data_dir, const core::Clock& clock,
                                 net::Network& plain, tailnet::TailscaleProgram program,
                                 OnOpen on_open)
    : data_dir_(data_dir),
      clock_(clock),
      plain_(plain),
      program_(std::move(program)),
      on_open_(std::move(on_open)) {}

TailnetAssembly::~TailnetAssembly() { stop(); }

Found<void> TailnetAssembly::find() {
  spdlog::info("asking Tailscale for the name and the certificate of this computer");
  auto status = program_.status();
  if (!status) return tl::unexpected(std::move(status.error()));
  auto self = tailnet::read_status(*status);
  if (!self) return tl::unexpected(std::move(self.error()));
  self_ = std::move(*self);
  auto fetched = fetch();
  if (!fetched) return tl::unexpected(std::move(fetched.error()));
  auto context = net::TlsContext::server(certificate::file_in(data_dir_, tailnet::kTailnetFile),
                                         certificate::file_in(data_dir_, tailnet::kTailnetKeyFile));
  if (!context) return not_stored(context.error());
  context_ = std::move(*context);
  return {};
}

// True: the certificate is another one than before.
Found<bool> TailnetAssembly::fetch() {
  auto answer = program_.certificate(self_.name);
  if (!answer) return tl::unexpected(std::move(answer.error()));
  auto pair = tailnet::read_pair(*answer, self_.name, clock_.wall());
  if (!pair) return tl::unexpected(std::move(pair.error()));
  const auto stored = tailnet::keep_pair(data_dir_, *pair);
  if (!stored) return not_stored(stored.error());
  return *stored;
}

Found<void> TailnetAssembly::listen(net::Server& server,
                                    const std::vector<core::Scheduler*>& schedulers,
                                    const net::Endpoint& taken) {
  const std::string port = std::to_string(taken.port);
  const std::string origin = "https://" + self_.name + ":" + port;
  std::string why;
  bool listens = false;
  for (const std::string& address : self_.addresses) {
    if (address == taken.host) {
      return tailnet::fault("The server listens on " + address + " already.",
                            "There it has another certificate or none, and one address cannot "
                            "have both.",
                            "Start it with --listen 127.0.0.1:" + port + ", or without --listen.");
    }
  }
  for (const std::string& address : self_.addresses) {
    const net::Endpoint at{address, taken.port};
    net::PlainAnswer redirect = [policy = net::OriginPolicy(at, {origin})](std::string_view head) {
      return net::https_redirect(head, policy);
    };
    networks_.push_back(
        std::make_unique<net::TlsNetwork>(plain_, context_, nullptr, std::move(redirect)));
    const auto listening = server.listen(schedulers, at, {networks_.back().get(), {origin}});
    if (listening) {
      listens = true;
    } else {
      why = at.to_string() + ": " + listening.error().message;
      spdlog::warn("the server does not listen on the tailnet's address {}", why);
    }
  }
  if (!listens) {
    networks_.clear();
    return tailnet::fault("The server cannot listen on the tailnet.", why,
                          "Look whether `tailscale ip` names an address of this computer, and give "
                          "another port with --listen if this one is taken.");
  }
  origin_ = origin;
  spdlog::info("the server listens on the tailnet as {}", origin_);
  on_open_(origin_);
  worker().post([this] { arm(); });
  return {};
}

Found<void> TailnetAssembly::find_and_listen(net::Server& server,
                                             const std::vector<core::Scheduler*>& schedulers,
                                             const net::Endpoint& taken) {
  if (!origin_.empty()) return {};
  if (auto found = find(); !found) return found;
  return listen(server, schedulers, taken);
}

void TailnetAssembly::open(net::Server& server, std::vector<core::Scheduler*> schedulers,
                           const net::Endpoint& taken,
                           std::function<void(core::Result<void>)> done) {
  if (opening_.exchange(true)) {
    return done(core::fail(core::Code::resource_exhausted, "Tailscale is being asked already."));
  }
  worker().post([this, &server, schedulers = std::move(schedulers), taken, done] {
    const auto opened = core::contain("opening to the tailnet", [&]() -> core::Result<void> {
      const auto listening = find_and_listen(server, schedulers, taken);
      if (listening) return {};
      const tailnet::Fault& fault = listening.error();
      return core::fail(core::Code::failed_precondition,
                        fault.what + " " + fault.why + " " + fault.next);
    });
    opening_ = false;
    done(opened);
  });
}

core::Worker& TailnetAssembly::worker() {
  const std::scoped_lock lock(mutex_);
  if (!worker_) worker_ = std::make_unique<core::Worker>(clock_);
  return *worker_;
}

void TailnetAssembly::arm() {
  worker().after(kRenewInterval, [this] {
    arm();  // first: an exception in renew() must not end the renewals
    renew();
  });
}

void TailnetAssembly::renew_soon() {
  worker().post([this] {
    if (!origin_.empty()) renew();
  });
}

// Open connections keep the certificate with which they began.
void TailnetAssembly::renew() {
  const auto fetched = fetch();
  if (!fetched) {
    spdlog::error("the tailnet's certificate was not renewed: {} {} {}", fetched.error().what,
                  fetched.error().why, fetched.error().next);
    return;
  }
  if (!*fetched) return;
  const auto loaded = context_->load(certificate::file_in(data_dir_, tailnet::kTailnetFile),
                                     certificate::file_in(data_dir_, tailnet::kTailnetKeyFile));
  if (!loaded) {
    spdlog::error("the tailnet's certificate was not renewed: {}", loaded.error().message);
  } else {
    spdlog::info("the tailnet's certificate was renewed");
  }
}

void TailnetAssembly::stop() {
  cancel();
  if (worker_) worker_->stop();
}

}  // namespace parley::app
