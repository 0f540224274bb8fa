// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "base/net/loop/tls.h"

#include <gtest/gtest.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>

#include <cstdio>
#include <fstream>
#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "base/core/temp_folder.h"
#include "base/net/loop/assembly_budget.h"
#include "base/net/loop/tls_stream.h"
#include "tests/support/core/fake_scheduler.h"
#include "tests/support/net/memory_network.h"

namespace parley::net {
namespace {

// A directory with a self-signed certificate for localhost and its key.
class CertificateFiles {
 public:
  explicit CertificateFiles(const std::string& name) {
    certificate = folder_.file(name + ".pem");
    key = folder_.file(name + ".key");
    make();
  }

  std::string certificate;
  std::string key;

 private:
  void make() const {
    EVP_PKEY* const pkey = EVP_EC_gen("P-256");
    X509* const x509 = X509_new();
    X509_set_version(x509, 2);
    ASN1_INTEGER_set(X509_get_serialNumber(x509), 1);
    X509_gmtime_adj(X509_getm_notBefore(x509), -3600);
    X509_gmtime_adj(X509_getm_notAfter(x509), 3600);
    X509_set_pubkey(x509, pkey);
    X509_NAME* const subject = X509_get_subject_name(x509);
    X509_NAME_add_entry_by_txt(subject, "CN", MBSTRING_ASC,
                               reinterpret_cast<const unsigned char*>("localhost"), -1, -1, 0);
    X509_set_issuer_name(x509, subject);
    X509_EXTENSION* const names =
        X509V3_EXT_conf_nid(nullptr, nullptr, NID_subject_alt_name, "DNS:localhost");
    X509_add_ext(x509, names, -1);
    X509_EXTENSION_free(names);
    X509_sign(x509, pkey, EVP_sha256());
    std::FILE* file = std::fopen(certificate.c_str(), "wb");
    PEM_write_X509(file, x509);
    std::fclose(file);
    file = std::fopen(key.c_str(), "wb");
    PEM_write_PrivateKey(file, pkey, nullptr, nullptr, 0, nullptr, nullptr);
    std::fclose(file);
    X509_free(x509);
    EVP_PKEY_free(pkey);
  }
  core::TempFolder folder_{"parley-tls"};
};

struct TlsPeer : StreamHandler {
  void on_data(Stream& stream, char* data, std::size_t size) override {
    bytes.append(data, size);
    if (received) received(stream);
  }
  void on_end(Stream&) override { ended = true; }
  void on_closed(Stream&) override { closed = true; }
  std::string bytes;
  std::function<void(Stream&)> received;
  bool ended = false;
  bool closed = false;
};

class TlsTest : public ::testing::Test {
 protected:
  void SetUp() override {
    context = TlsContext::server(files.certificate, files.key).value();
    trusting = TlsContext::client(files.certificate).value();
  }
  void connect(const std::string& host, std::shared_ptr<TlsContext> client_context) {
    tls = std::make_unique<TlsNetwork>(memory, context, std::move(client_context));
    listener = std::move(*tls->listen(scheduler, {}, [this](std::unique_ptr<Stream> stream) {
      server = std::move(stream);
      server->set_handler(&at_server);
    }));
    tls->connect(scheduler, {host, listener->endpoint().port}, [this](auto stream) {
      client = std::move(*stream);
      client->set_handler(&at_client);
    });
    scheduler.run_ready();
  }

  CertificateFiles files{"first"};
  core::FakeClock clock;
  core::FakeScheduler scheduler{clock};
  MemoryNetwork memory{{.max_piece = 700, .seed = 9}};
  std::shared_ptr<TlsContext> context;
  std::shared_ptr<TlsContext> trusting;
  std::unique_ptr<TlsNetwork> tls;
  TlsPeer at_server;
  TlsPeer at_client;
  std::unique_ptr<Listener> listener;
  std::unique_ptr<Stream> server;
  std::unique_ptr<Stream> client;
};

TEST_F(TlsTest, Bytes_AreCarriedBothWays_EndIsClean) {
  connect("localhost", trusting);
  std::string large;
  for (int i = 0; large.size() < 200'000; ++i) large += std::to_string(i);
  client->write(large);
  client->write("end");
  server->write("from the server");
  scheduler.run_ready();
  EXPECT_TRUE(at_server.bytes == large + "end");
  EXPECT_EQ(at_client.bytes, "from the server");
  EXPECT_TRUE(server->secure());
  server->finish();
  scheduler.run_ready();
  EXPECT_TRUE(at_client.ended);
  client->finish();
  scheduler.run_ready();
  EXPECT_TRUE(at_client.closed);
  EXPECT_TRUE(at_server.closed);
}

TEST_F(TlsTest, End_WithPausedReading_FollowsEarlierBytes) {
  connect("localhost", trusting);
  const std::string large(300'000, 'x');
  bool ended_early = false;
  at_server.received = [](Stream& stream) { stream.pause_reading(true); };
  client->write(large);
  client->finish();
  scheduler.run_ready();
  for (int i = 0; i < 1'000 && !at_server.ended; ++i) {
    server->pause_reading(false);
    scheduler.run_ready();
    ended_early = ended_early || (at_server.ended && at_server.bytes.size() < large.size());
  }
  EXPECT_FALSE(ended_early);
  EXPECT_TRUE(at_server.ended);
  EXPECT_EQ(at_server.bytes.size(), large.size());
}

TEST_F(TlsTest, End_WithoutCloseNotify_IsTold) {
  connect("localhost", trusting);
  client->write("the last words");
  scheduler.run_ready();
  client.reset();
  scheduler.run_ready();
  EXPECT_EQ(at_server.bytes, "the last words");
  EXPECT_TRUE(at_server.ended);
}

TEST_F(TlsTest, BytesWrittenInHandshake_ArriveAfterwards) {
  tls = std::make_unique<TlsNetwork>(memory, context, trusting);
  listener = std::move(*tls->listen(scheduler, {}, [this](std::unique_ptr<Stream> stream) {
    server = std::move(stream);
    server->set_handler(&at_server);
    server->write("welcome");
    server->finish();
  }));
  tls->connect(scheduler, {"localhost", listener->endpoint().port}, [this](auto stream) {
    client = std::move(*stream);
    client->set_handler(&at_client);
  });
  scheduler.run_ready();
  EXPECT_EQ(at_client.bytes, "welcome");
  EXPECT_TRUE(at_client.ended);
}

TEST_F(TlsTest, UntrustedCertificate_EndsConnection) {
  const CertificateFiles others("other");
  connect("localhost", TlsContext::client(others.certificate).value());
  scheduler.advance(Stream::kLingerTime);
  EXPECT_TRUE(at_client.closed);
  EXPECT_TRUE(at_server.closed);
  EXPECT_EQ(at_server.bytes, "");
}

TEST_F(TlsTest, CertificateOfOtherHost_EndsConnection) {
  connect("elsewhere.example", trusting);
  scheduler.advance(Stream::kLingerTime);
  EXPECT_TRUE(at_client.closed);
}

TEST_F(TlsTest, Fault_IsTheReasonOfTheFailure) {
  const auto fault_of = [](const std::unique_ptr<Stream>& stream) {
    return std::string(dynamic_cast<TlsStream&>(*stream).fault());
  };
  connect("localhost", trusting);
  EXPECT_EQ(fault_of(client), "");
  EXPECT_EQ(fault_of(server), "");
  const CertificateFiles others("other");
  connect("localhost", TlsContext::client(others.certificate).value());
  scheduler.advance(Stream::kLingerTime);
  EXPECT_EQ(fault_of(client), "self-signed certificate");
  EXPECT_NE(fault_of(server).find("alert"), std::string::npos) << fault_of(server);
  server.reset();
  client.reset();
  memory.connect(scheduler, listener->endpoint(),
                 [this](auto stream) { client = std::move(*stream); });
  scheduler.advance(TlsNetwork::kHandshakeTimeout);
  EXPECT_EQ(fault_of(server), "the handshake took too long");
}

TEST_F(TlsTest, Peer_IsKnownByItsCertificate) {
  connect("localhost", trusting);
  EXPECT_TRUE(dynamic_cast<TlsStream&>(*client).peer_is("localhost"));
  EXPECT_FALSE(dynamic_cast<TlsStream&>(*client).peer_is("elsewhere"));
  EXPECT_FALSE(dynamic_cast<TlsStream&>(*server).peer_is("localhost")) << "it has no certificate";
}

TEST_F(TlsTest, CipherWithoutForwardSecrecy_IsNotSpoken) {
  for (const auto& [ciphers, spoken] :
       {std::pair("AES128-SHA:AES256-GCM-SHA384:ECDHE-ECDSA-AES128-SHA", false),
        std::pair("ECDHE-ECDSA-AES128-GCM-SHA256", true)}) {
    const auto old = TlsContext::client(files.certificate).value();
    SSL_CTX_set_max_proto_version(old->handle().get(), TLS1_2_VERSION);
    ASSERT_EQ(SSL_CTX_set_cipher_list(old->handle().get(), ciphers), 1);
    at_client = {};
    at_server = {};
    connect("localhost", old);
    client->write("hello");
    scheduler.run_ready();
    EXPECT_EQ(at_server.bytes == "hello", spoken) << ciphers;
  }
}

TEST_F(TlsTest, PlainHttpOnTlsPort_IsCut) {
  tls = std::make_unique<TlsNetwork>(memory, context);
  listener = std::move(*tls->listen(scheduler, {}, [this](std::unique_ptr<Stream> stream) {
    server = std::move(stream);
    server->set_handler(&at_server);
  }));
  memory.connect(scheduler, listener->endpoint(), [this](auto stream) {
    client = std::move(*stream);
    client->set_handler(&at_client);
    client->write("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
  });
  scheduler.run_ready();
  EXPECT_TRUE(at_client.ended);
  scheduler.advance(Stream::kLingerTime);
  EXPECT_TRUE(at_server.closed);
}

// Peers of a TLS server whose connections count to a budget.
class TlsBudgetTest : public TlsTest {
 protected:
  // The server's connections may hold `room` bytes together.
  void limit(std::size_t room) {
    budget = std::make_shared<AssemblyBudget>(AssemblyBudget::Limits{
        .total = room, .per_account = room, .unknown = room, .unknown_address = room});
    tls = std::make_unique<TlsNetwork>(whole, context, trusting,
                                       [](std::string_view) { return std::string("answer"); });
    listener = std::move(*tls->listen(scheduler, {}, [this](std::unique_ptr<Stream> stream) {
      server = std::move(stream);
      server->set_handler(&at_server);
      server->count_to(*budget, "");
    }));
  }
  void connect_raw() {
    whole.connect(scheduler, listener->endpoint(), [this](auto stream) {
      client = std::move(*stream);
      client->set_handler(&at_client);
    });
    scheduler.run_ready();
  }
  void connect_tls() {
    tls->connect(scheduler, {"localhost", listener->endpoint().port}, [this](auto stream) {
      client = std::move(*stream);
      client->set_handler(&at_client);
    });
    scheduler.run_ready();
  }
  void send(std::string_view bytes) {
    client->write(bytes);
    scheduler.run_ready();
  }
  // The first record of a client.
  std::string hello() {
    TlsPeer recorder;
    std::unique_ptr<Stream> accepted;
    const auto recording =
        std::move(*whole.listen(scheduler, {}, [&](std::unique_ptr<Stream> stream) {
          accepted = std::move(stream);
          accepted->set_handler(&recorder);
        }));
    std::unique_ptr<Stream> speaker;
    tls->connect(scheduler, {"localhost", recording->endpoint().port},
                 [&](auto stream) { speaker = std::move(*stream); });
    scheduler.run_ready();
    return recorder.bytes;
  }

  MemoryNetwork whole;  // delivers as much as is there
  static constexpr std::size_t kAmple = 1U << 20U;
  std::shared_ptr<AssemblyBudget> budget;
};

TEST_F(TlsBudgetTest, IncompleteRecord_CostsItsBytesOnly) {
  limit(kAmple);
  const std::string all = hello();
  connect_raw();
  EXPECT_EQ(budget->bytes(), 0U);
  send(all.substr(0, 1));
  EXPECT_EQ(budget->bytes(), 1U);
  send(all.substr(1, all.size() - 2));
  EXPECT_EQ(budget->bytes(), all.size() - 1);
  send(all.substr(all.size() - 1));
  EXPECT_EQ(budget->bytes(), TlsStream::kHandshakeBytes + all.size());
  scheduler.advance(TlsNetwork::kHandshakeTimeout);
  EXPECT_TRUE(at_server.closed);
  server.reset();
  EXPECT_EQ(budget->bytes(), 0U);
}

TEST_F(TlsBudgetTest, CompleteHandshake_CostsLess) {
  limit(kAmple);
  connect_tls();
  EXPECT_EQ(budget->bytes(), TlsStream::kSessionBytes);
  ASSERT_TRUE(server->hold(1'000));
  EXPECT_EQ(budget->bytes(), TlsStream::kSessionBytes + 1'000);
  server.reset();
  EXPECT_EQ(budget->bytes(), 0U);
}

TEST_F(TlsBudgetTest, UndeliveredBytes_Count) {
  constexpr std::size_t kMuch = 100'000;
  constexpr std::size_t kRecord = 16U << 10U;
  limit(kAmple);
  connect_tls();
  at_server.received = [](Stream& stream) { stream.pause_reading(true); };
  send(std::string(kMuch, 'x'));
  EXPECT_EQ(at_server.bytes.size(), kRecord);
  EXPECT_GT(budget->bytes(), TlsStream::kSessionBytes + kMuch - kRecord);
  at_server.received = nullptr;
  server->pause_reading(false);
  scheduler.run_ready();
  EXPECT_EQ(at_server.bytes.size(), kMuch);
  EXPECT_EQ(budget->bytes(), TlsStream::kSessionBytes);
}

TEST_F(TlsBudgetTest, HandshakeBeyondLimit_IsEnded) {
  limit(TlsStream::kHandshakeBytes - 1);
  connect_tls();
  scheduler.advance(Stream::kLingerTime);
  EXPECT_TRUE(at_client.closed);
  EXPECT_TRUE(at_server.closed);
  EXPECT_EQ(budget->ended(), 1U);
  EXPECT_EQ(budget->bytes(), 0U);
}

TEST_F(TlsBudgetTest, BytesWithoutTls_BeyondLimit_AreNotAnswered) {
  limit(100);
  connect_raw();
  send("GET /" + std::string(90, 'x'));
  EXPECT_EQ(budget->bytes(), 95U);
  send(std::string(90, 'x') + " HTTP/1.1\r\n\r\n");
  EXPECT_EQ(at_client.bytes, "");
  EXPECT_TRUE(at_client.ended);
  EXPECT_EQ(budget->bytes(), 0U);
}

// A network whose answer to peers without TLS is the length of what they sent.
class PlainPeerTest : public TlsTest {
 protected:
  void SetUp() override {
    TlsTest::SetUp();
    tls = std::make_unique<TlsNetwork>(memory, context, trusting, [](std::string_view head) {
      return "got " + std::to_string(head.size());
    });
    listener = std::move(*tls->listen(scheduler, {}, [this](std::unique_ptr<Stream> stream) {
      server = std::move(stream);
      server->set_handler(&at_server);
    }));
    memory.connect(scheduler, listener->endpoint(), [this](auto stream) {
      client = std::move(*stream);
      client->set_handler(&at_client);
    });
    scheduler.run_ready();
  }
  void send(std::string_view bytes) {
    client->write(bytes);
    scheduler.run_ready();
  }
};

TEST_F(PlainPeerTest, Head_IsAnsweredOnceComplete) {
  for (const char c : std::string("GET / HTTP/1.1\r\nHost: x\r\n\r")) send({&c, 1});
  EXPECT_EQ(at_client.bytes, "");
  send("\nrest");
  EXPECT_EQ(at_client.bytes, "got 27");
  EXPECT_TRUE(at_client.ended);
  send("more");
  scheduler.advance(Stream::kLingerTime);
  EXPECT_TRUE(at_server.closed);
  EXPECT_EQ(at_server.bytes, "");
}

TEST_F(PlainPeerTest, EndlessHead_IsAnsweredAtLimit) {
  send(std::string(TlsNetwork::kMaxPlainBytes - 1, 'x'));
  EXPECT_EQ(at_client.bytes, "");
  send("xxx");
  EXPECT_EQ(at_client.bytes, "got " + std::to_string(TlsNetwork::kMaxPlainBytes));
  EXPECT_TRUE(at_client.ended);
}

TEST_F(PlainPeerTest, StalledHead_IsCut) {
  send("GET /");
  scheduler.advance(TlsNetwork::kHandshakeTimeout);
  EXPECT_TRUE(at_server.closed);
  EXPECT_EQ(at_client.bytes, "");
}

TEST_F(PlainPeerTest, Handshake_StillSpeaksTls) {
  tls->connect(scheduler, {"localhost", listener->endpoint().port}, [this](auto stream) {
    client = std::move(*stream);
    client->set_handler(&at_client);
  });
  scheduler.run_ready();
  send("over TLS");
  EXPECT_EQ(at_server.bytes, "over TLS");
}

TEST_F(TlsTest, StalledHandshake_IsCut) {
  tls = std::make_unique<TlsNetwork>(memory, context);
  listener = std::move(*tls->listen(scheduler, {}, [this](std::unique_ptr<Stream> stream) {
    server = std::move(stream);
    server->set_handler(&at_server);
  }));
  memory.connect(scheduler, listener->endpoint(),
                 [this](auto stream) { client = std::move(*stream); });
  scheduler.advance(TlsNetwork::kHandshakeTimeout - core::Millis(1));
  EXPECT_FALSE(at_server.closed);
  scheduler.advance(core::Millis(1));
  EXPECT_TRUE(at_server.closed);
}

TEST_F(TlsTest, ReloadedCertificate_ServesOnlyNewConnections) {
  connect("localhost", trusting);
  const CertificateFiles renewed("renewed");
  ASSERT_TRUE(context->load(renewed.certificate, renewed.key).has_value());
  client->write("still here");
  scheduler.run_ready();
  EXPECT_EQ(at_server.bytes, "still here");
  at_client = TlsPeer();
  connect("localhost", trusting);
  scheduler.advance(Stream::kLingerTime);
  EXPECT_TRUE(at_client.closed) << "the old certificate is no longer served";
  at_client = TlsPeer();
  at_server = TlsPeer();
  connect("localhost", TlsContext::client(renewed.certificate).value());
  client->write("new");
  scheduler.run_ready();
  EXPECT_EQ(at_server.bytes, "new");
}

TEST_F(TlsTest, BadFiles_AreNamed_ChangeNothing) {
  const auto missing = TlsContext::server("/no/such/file.pem", files.key);
  ASSERT_FALSE(missing.has_value());
  EXPECT_EQ(missing.error().code, core::Code::invalid_argument);
  EXPECT_EQ(missing.error().message, "/no/such/file.pem: No such file or directory.");
  EXPECT_EQ(missing.error().field, "tls-cert");
  const auto swapped = context->load(files.key, files.certificate);
  ASSERT_FALSE(swapped.has_value());
  EXPECT_NE(swapped.error().message.find(files.key), std::string::npos);
  const CertificateFiles others("other");
  const auto mixed = context->load(files.certificate, others.key);
  ASSERT_FALSE(mixed.has_value());
  EXPECT_EQ(mixed.error().field, "tls-key");
  connect("localhost", trusting);
  client->write("works");
  scheduler.run_ready();
  EXPECT_EQ(at_server.bytes, "works");
}

TEST_F(TlsTest, MoveToOtherThread_KeepsEncryptedBytes) {
  connect("localhost", trusting);
  core::FakeScheduler target(clock);
  at_server.received = [&](Stream& stream) {
    at_server.received = nullptr;
    stream.move_to(target, [&] { at_server.bytes += "|moved|"; });
  };
  std::string rest(40'000, 'r');
  client->write("first");
  client->write(rest);
  for (int i = 0; i < 200; ++i) {
    scheduler.run_ready();
    target.run_ready();
  }
  EXPECT_TRUE(at_server.bytes == "first|moved|" + rest);
  EXPECT_EQ(&server->scheduler(), &target);
  server.reset();
  client.reset();
}

TEST_F(TlsTest, PausedReader_GetsRestWhenResumed) {
  connect("localhost", trusting);
  server->pause_reading(true);
  client->write("held");
  scheduler.run_ready();
  EXPECT_EQ(at_server.bytes, "");
  server->pause_reading(false);
  scheduler.run_ready();
  EXPECT_EQ(at_server.bytes, "held");
}

}  // namespace
}  // namespace parley::net
