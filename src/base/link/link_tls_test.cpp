// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "base/link/link_tls.h"

#include <gmock/gmock.h>
#include <openssl/ssl.h>

#include <memory>
#include <string>
#include <string_view>

#include "tests/support/link/link_world.h"

namespace parley::link {
namespace {

using ::testing::HasSubstr;

// Keys of a client that breaks the rules of the link. Trusts everything.
net::TlsContext::Handle rogue(const NodeCertificate* node, std::string_view protocol,
                              int version = TLS1_3_VERSION) {
  net::TlsContext::Handle out(SSL_CTX_new(TLS_client_method()), SSL_CTX_free);
  SSL_CTX_set_max_proto_version(out.get(), version);
  if (node != nullptr) {
    SSL_CTX_use_certificate(out.get(), node->certificate.get());
    SSL_CTX_use_PrivateKey(out.get(), node->key.get());
  }
  if (!protocol.empty()) {
    std::string list(1, static_cast<char>(protocol.size()));
    list += protocol;
    SSL_CTX_set_alpn_protos(out.get(), reinterpret_cast<const unsigned char*>(list.data()),
                            static_cast<unsigned>(list.size()));
  }
  return out;
}

class LinkTlsTest : public ::testing::Test {
 protected:
  // Node "b" accepts one connection.
  std::unique_ptr<net::Stream> accept() {
    auto pair = world.memory.make_pair(world.scheduler, world.scheduler);
    at_server = LinkPeer();
    at_client = LinkPeer();
    server = b->accept(std::move(pair.first));
    server->set_handler(&at_server);
    return std::move(pair.second);
  }
  void use(std::unique_ptr<net::TlsStream> stream) {
    client = std::move(stream);
    client->set_handler(&at_client);
    client->write("hello");
    world.scheduler.run_ready();
  }
  void connect(const LinkTls& from, std::string_view to = "b",
               std::string_view cluster = kTestCluster) {
    auto pipe = accept();
    use(from.connect(std::move(pipe), cluster, to));
  }
  void connect_as_rogue(net::TlsContext::Handle keys) {
    auto pipe = accept();
    use(std::make_unique<net::TlsStream>(std::move(pipe), std::move(keys),
                                         net::TlsStream::Side::client,
                                         node_host(kTestCluster, "b")));
  }
  // The server has refused the client, which got nothing and whose bytes arrived nowhere.
  void expect_refused(std::string_view by, const std::string& reason) {
    world.scheduler.advance(net::Stream::kLingerTime);
    EXPECT_TRUE(at_server.closed);
    EXPECT_TRUE(at_client.closed);
    EXPECT_EQ(at_server.bytes, "");
    EXPECT_EQ(at_client.bytes, "");
    EXPECT_THAT(std::string((by == "server" ? server : client)->fault()), HasSubstr(reason));
  }

  LinkWorld world{{.max_piece = 700, .seed = 3}};
  std::unique_ptr<LinkTls> a = world.tls_of("a");
  std::unique_ptr<LinkTls> b = world.tls_of("b");
  LinkPeer at_server;
  LinkPeer at_client;
  std::unique_ptr<net::TlsStream> server;
  std::unique_ptr<net::TlsStream> client;
};

TEST_F(LinkTlsTest, Nodes_KnowEachOther) {
  connect(*a);
  server->write("welcome");
  world.scheduler.run_ready();
  EXPECT_EQ(at_server.bytes, "hello");
  EXPECT_EQ(at_client.bytes, "welcome");
  EXPECT_TRUE(server->peer_is(node_host(kTestCluster, "a")));
  EXPECT_FALSE(server->peer_is(node_host(kTestCluster, "b")));
  EXPECT_FALSE(server->peer_is(node_host("c-2", "a")));
  EXPECT_TRUE(client->peer_is(node_host(kTestCluster, "b")));
  EXPECT_EQ(server->fault(), "");
  EXPECT_EQ(client->fault(), "");
}

TEST_F(LinkTlsTest, Peer_IsNobodyBeforeTheHandshake) {
  const auto pipe = accept();
  EXPECT_FALSE(server->peer_is(node_host(kTestCluster, "a")));
}

TEST_F(LinkTlsTest, ClientWithoutCertificate_IsRefused) {
  connect_as_rogue(rogue(nullptr, "parley-link/1"));
  expect_refused("server", "did not return a certificate");
  EXPECT_THAT(std::string(client->fault()), HasSubstr("certificate required"));
}

TEST_F(LinkTlsTest, ClientOfOtherAuthority_IsRefused) {
  const auto other = ClusterAuthority::make(kTestCluster, world.clock.wall()).value();
  const auto node = make_node_certificate(other, kTestCluster, "a", world.clock.wall()).value();
  connect(LinkTls(world.authority, node, world.clock));
  expect_refused("server", "issuer certificate");
}

TEST_F(LinkTlsTest, ServerOfOtherAuthority_IsRefused) {
  const auto other = ClusterAuthority::make(kTestCluster, world.clock.wall()).value();
  const auto node = make_node_certificate(other, kTestCluster, "a", world.clock.wall()).value();
  connect(LinkTls(other, node, world.clock));
  expect_refused("client", "issuer certificate");
}

TEST_F(LinkTlsTest, ServerOfOtherName_IsRefused) {
  connect(*a, "c");
  expect_refused("client", "hostname mismatch");
  connect(*a, "b", "c-2");
  expect_refused("client", "hostname mismatch");
}

TEST_F(LinkTlsTest, ExpiredCertificate_IsRefused) {
  const core::WallTime made = world.clock.wall() - kNodeCertificateLife - std::chrono::hours(1);
  const auto node = make_node_certificate(world.authority, kTestCluster, "a", made).value();
  connect(LinkTls(world.authority, node, world.clock));
  expect_refused("server", "expired");
}

TEST_F(LinkTlsTest, Certificates_ExpireWhileTheNodeRuns_UntilRenewed) {
  world.clock.set_wall(world.clock.wall() + kNodeCertificateLife + std::chrono::hours(1));
  connect(*a);
  expect_refused("client", "expired");
  for (const auto& [name, tls] : {std::pair("a", a.get()), std::pair("b", b.get())}) {
    const auto node =
        make_node_certificate(world.authority, kTestCluster, name, world.clock.wall()).value();
    tls->renew(world.authority, node);
  }
  connect(*a);
  EXPECT_EQ(at_server.bytes, "hello");
}

TEST_F(LinkTlsTest, CertificateOfClockAnHourAhead_IsAccepted) {
  const core::WallTime ahead = world.clock.wall() + std::chrono::hours(1);
  const auto node = make_node_certificate(world.authority, kTestCluster, "a", ahead).value();
  connect(LinkTls(world.authority, node, world.clock));
  EXPECT_EQ(at_server.bytes, "hello");
}

TEST_F(LinkTlsTest, Renewal_KeepsOpenConnections) {
  connect(*a);
  const auto other = ClusterAuthority::make(kTestCluster, world.clock.wall()).value();
  const auto node = make_node_certificate(other, kTestCluster, "b", world.clock.wall()).value();
  b->renew(other, node);
  client->write(" again");
  world.scheduler.run_ready();
  EXPECT_EQ(at_server.bytes, "hello again");
  connect(*a);
  expect_refused("client", "issuer certificate");
}

TEST_F(LinkTlsTest, OtherProtocol_IsRefused) {
  const auto node =
      make_node_certificate(world.authority, kTestCluster, "a", world.clock.wall()).value();
  connect_as_rogue(rogue(&node, "parley-link/1"));
  EXPECT_EQ(at_server.bytes, "hello") << "the certificate is good";
  for (const char* protocol : {"", "http/1.1", "parley-link/2", "h2"}) {
    connect_as_rogue(rogue(&node, protocol));
    expect_refused("server", "no application protocol");
  }
}

TEST_F(LinkTlsTest, OldTls_IsRefused) {
  const auto node =
      make_node_certificate(world.authority, kTestCluster, "a", world.clock.wall()).value();
  connect_as_rogue(rogue(&node, "parley-link/1", TLS1_2_VERSION));
  expect_refused("server", "unsupported protocol");
}

TEST_F(LinkTlsTest, PeerWithoutTls_IsRefused) {
  const auto pipe = accept();
  pipe->set_handler(&at_client);
  pipe->write("GET / HTTP/1.1\r\nHost: b\r\n\r\n");
  world.scheduler.advance(net::Stream::kLingerTime);
  EXPECT_TRUE(at_server.closed);
  EXPECT_NE(server->fault(), "");
}

}  // namespace
}  // namespace parley::link
