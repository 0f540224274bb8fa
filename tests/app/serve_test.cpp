// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>

#include <array>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <sstream>

#include "base/core/temp_folder.h"
#include "figures.h"
#include "program.h"

namespace parley::tests {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr const char* kToken = "a-token-of-the-serve-test";
constexpr const char* kAsk = R"({"key":"k","prompt":{"text":"Go?"}})";

std::vector<std::string> flags(const core::TempFolder& dir, std::vector<std::string> more = {}) {
  std::vector<std::string> out = {"--listen", "127.0.0.1:0", "--data", dir.file("data")};
  out.insert(out.end(), more.begin(), more.end());
  return out;
}

std::vector<std::string> with_token(const core::TempFolder& dir) {
  return flags(dir, {"--token", kToken});
}

TEST(Serve, Start_PrintsSingleLineAndServes) {
  const core::TempFolder dir;
  Server server(dir, with_token(dir));
  EXPECT_EQ(server.call("GET", "/v1/me", kToken).status, 200);
  EXPECT_EQ(server.call("GET", "/v1/me", "wrong").status, 401);
  EXPECT_EQ(server.call("GET", "/healthz", "").status, 200);
  EXPECT_EQ(server.call("GET", "/readyz", "").status, 200);
  EXPECT_EQ(server.call("GET", "/", "").status, 200);
  EXPECT_THAT(server.call("GET", "/metrics", "").body, HasSubstr("parley_interactions_pending 0"));
  server.signal(SIGTERM);
  EXPECT_EQ(server.wait(), 0);
  EXPECT_EQ(server.out(), "ready " + server.url() + "\n");
}

TEST(Serve, SecondSignal_EndsServerAtOnce) {
  const core::TempFolder dir;
  Server server(dir, with_token(dir));
  const Wire half(server);
  half.send("POST /v1/interactions HTTP/1.1\r\nHost: 127.0.0.1\r\n");
  server.signal(SIGTERM);
  const auto give_up = in_ms(kPatience);
  while (server.errors().find("shutting down") == std::string::npos) {
    ASSERT_LT(std::chrono::steady_clock::now(), give_up) << server.errors();
  }
  server.signal(SIGTERM);
  EXPECT_EQ(server.wait(), 1);
  EXPECT_THAT(server.errors(), HasSubstr("second signal: exiting at once"));
}

TEST(Serve, EachFigure_IsDocumented) {
  const core::TempFolder dir;
  Server server(dir, flags(dir, {"--token", kToken, "--mcp-oauth", "true"}));
  EXPECT_EQ(server.call("GET", "/" + std::string(20'000, 'x'), "").status, 414);
  const std::set<std::string> served = figures_served(server.call("GET", "/metrics", "").body);
  EXPECT_GT(served.size(), 50U);
  const std::set<std::string> documented = documented_figures(Figures::of_a_server);
  EXPECT_THAT(documented, ::testing::ContainerEq(served));
}

TEST(Serve, FirstToken_IsMadePrivate) {
  const core::TempFolder dir;
  Server server(dir, flags(dir));
  const std::string file = dir.file("data/token");
  EXPECT_EQ(mode_of(file), 0600U);
  EXPECT_EQ(mode_of(dir.file("data")), 0700U);
  std::string token = read_file(file);
  ASSERT_FALSE(token.empty());
  token.pop_back();
  const auto me = server.call("GET", "/v1/me", token);
  ASSERT_EQ(me.status, 200);
  EXPECT_EQ(me.json().at("name"), "default");
  EXPECT_THAT(server.errors(), Not(HasSubstr(token)));
}

TEST(Serve, Guests_MayBookOnlyOnPrivateServer) {
  const core::TempFolder dir;
  {
    Server alone(dir, with_token(dir));
    EXPECT_EQ(alone.call("GET", "/v1/booking/movies", "").status, 200);
    EXPECT_EQ(alone.call("GET", "/v1/booking/movies", "wrong").status, 401);
    EXPECT_EQ(alone.call("GET", "/v1/studies", "").status, 401);
    alone.signal(SIGTERM);
    EXPECT_EQ(alone.wait(), 0);
  }
  Server proxied(dir,
                 flags(dir, {"--token", kToken, "--public-url", "https://studies.example.org"}));
  EXPECT_EQ(proxied.call("GET", "/v1/booking/movies", "").status, 401);
  EXPECT_EQ(proxied.call("GET", "/v1/booking/movies", kToken).status, 200);
}

TEST(Serve, FullDisk_RefusesNewWorkWithReason) {
  const core::TempFolder dir;
  std::vector<std::string> all = with_token(dir);
  all.insert(all.end(), {"--store-min-free", "1024GiB"});
  Server server(dir, all);
  EXPECT_EQ(server.call("GET", "/healthz", "").status, 200);
  const auto ready = server.call("GET", "/readyz", "");
  EXPECT_EQ(ready.status, 503);
  EXPECT_THAT(ready.body, HasSubstr("store.min_free is 1048576 MiB"));
  const auto asked =
      server.call("POST", "/v1/interactions", kToken, R"({"key":"k","prompt":{"text":"Go on?"}})");
  EXPECT_EQ(asked.status, 429) << asked.body;
  EXPECT_THAT(asked.body, HasSubstr("takes no new work"));
  const auto run = server.call("POST", "/v1/runs", kToken, R"({"message":"hello"})");
  EXPECT_EQ(run.status, 429) << run.body;
  EXPECT_EQ(server.call("POST", "/v1/booking/datasets", kToken, R"({"seed":3,"days":2})").status,
            429);
  EXPECT_THAT(server.call("GET", "/metrics", "").body, HasSubstr("parley_work_refused 3"));
}

TEST(Serve, Address_IsToldToProgramsOfSameUser) {
  const core::TempFolder dir;
  const std::string file = dir.file("data/endpoint.json");
  Server server(dir, with_token(dir));
  EXPECT_EQ(mode_of(file), 0600U);
  const auto endpoint = boost::json::parse(read_file(file));
  EXPECT_EQ(endpoint.at("url"), server.url().c_str());
  EXPECT_EQ(endpoint.at("token"), kToken);
  EXPECT_GT(endpoint.at("pid").as_int64(), 1);
  server.signal(SIGTERM);
  EXPECT_EQ(server.wait(), 0);
  EXPECT_FALSE(std::filesystem::exists(file));
}

TEST(Serve, SecondServerOnSameData_IsRefused) {
  const core::TempFolder dir;
  const Server server(dir, with_token(dir));
  std::vector<std::string> again = with_token(dir);
  again.insert(again.begin(), "serve");
  const Ran second = run(dir, again);
  EXPECT_EQ(second.status, 6);
  EXPECT_EQ(second.out, "");
  EXPECT_THAT(second.errors, HasSubstr("is in use"));
  EXPECT_EQ(server.call("GET", "/v1/me", kToken).status, 200);
}

TEST(Serve, AddressInUse_IsRefused) {
  const core::TempFolder dir;
  const Server server(dir, with_token(dir));
  const Ran second = run(dir, {"serve", "--listen", "127.0.0.1:" + server.port(), "--data",
                               dir.file("other"), "--token", kToken});
  EXPECT_EQ(second.status, 7);
  EXPECT_THAT(second.errors, HasSubstr("127.0.0.1:" + server.port() + " is in use"));
}

TEST(Serve, WrongFlag_IsAnsweredWithAllowedFlags) {
  const core::TempFolder dir;
  const Ran wrong = run(dir, {"serve", "--shards", "many"});
  EXPECT_EQ(wrong.status, 2);
  EXPECT_THAT(wrong.errors, HasSubstr("a whole number from 0 to 256"));
  EXPECT_EQ(run(dir, {"serve", "--lisen", "127.0.0.1:0"}).status, 2);
}

TEST(Serve, PublicAddress_NeedsTlsOrAllowPlain) {
  const core::TempFolder dir;
  const Ran refused = run(dir, {"serve", "--listen", "0.0.0.0:0", "--data", dir.file("data")});
  EXPECT_EQ(refused.status, 2);
  EXPECT_THAT(refused.errors, HasSubstr("in the clear"));
  const Server allowed(dir, {"--listen", "0.0.0.0:0", "--data", dir.file("data"), "--allow-plain",
                             "--token", kToken});
  EXPECT_EQ(allowed.call("GET", "/v1/me", kToken).status, 200);
}

TEST(Serve, PendingQuestion_SurvivesProcess) {
  for (const int how : {SIGTERM, SIGKILL}) {
    const core::TempFolder dir;
    Server first(dir, with_token(dir));
    ASSERT_EQ(first.call("POST", "/v1/interactions", kToken, kAsk).status, 201);
    first.signal(how);
    EXPECT_EQ(first.wait(), how == SIGTERM ? 0 : 128 + SIGKILL);
    const Server second(dir, with_token(dir));
    EXPECT_EQ(second.call("GET", "/v1/interactions/k", kToken).json().at("state"), "pending");
    const auto answer =
        second.call("POST", "/v1/interactions/k/answer", kToken, R"({"text":"yes"})");
    EXPECT_EQ(answer.status, 200) << answer.body;
  }
}

TEST(Serve, Termination_TellsWaitsAndStreams_ThenEnds) {
  const core::TempFolder dir;
  Server server(dir, with_token(dir));
  const auto waiting = server.start("POST", "/v1/interactions", kToken,
                                    R"({"key":"k","prompt":{"text":"Go?"},"wait":600})");
  const std::string session(server.call("GET", "/v1/me", kToken).json().at("session").as_string());
  const auto stream =
      server.start("GET", "/v1/sessions/" + session + "/events", kToken, "", "text/event-stream");
  ASSERT_TRUE(stream->head(in_ms(kPatience)).has_value());
  std::string text;
  while (text.find("interaction.opened") == std::string::npos) {
    ASSERT_TRUE(stream->read_body_some(text, in_ms(kPatience)).value_or(false));
  }
  server.signal(SIGTERM);
  const auto head = waiting->head(in_ms(kPatience));
  ASSERT_TRUE(head.has_value());
  EXPECT_EQ(head->status, 503);
  while (stream->read_body_some(text, in_ms(kPatience)).value_or(false)) {
  }
  EXPECT_THAT(text, HasSubstr("event: end\ndata: {\"reason\":\"shutting_down\"}"));
  EXPECT_EQ(server.wait(), 0);
}

TEST(Serve, SilentConnection_DoesNotDelayEnd) {
  const core::TempFolder dir;
  Server server(dir, with_token(dir));
  const auto target = conformance::Target::parse(server.url());
  const auto idle = conformance::Channel::connect(*target, in_ms(kPatience));
  ASSERT_TRUE(idle.has_value());
  ASSERT_TRUE(
      (*idle)->write_all("POST /v1/interactions HTTP/1.1\r\nHost: x\r\n", in_ms(kPatience)));
  server.signal(SIGINT);
  EXPECT_EQ(server.wait(), 0);
}

TEST(Serve, RevokedToken_IsOutWithinSeconds) {
  const core::TempFolder dir;
  const Ran created = run(dir, {"token", "create", "--name", "phone", "--data", dir.file("data")});
  ASSERT_EQ(created.status, 0) << created.errors;
  const Server server(dir, flags(dir));
  const std::string token = created.out.substr(0, created.out.find('\n'));
  const auto me = server.call("GET", "/v1/me", token);
  ASSERT_EQ(me.status, 200);
  const std::string session(me.json().at("session").as_string());
  const auto stream =
      server.start("GET", "/v1/sessions/" + session + "/events", token, "", "text/event-stream");
  ASSERT_TRUE(stream->head(in_ms(kPatience)).has_value());
  EXPECT_EQ(run(dir, {"token", "revoke", "phone", "--data", dir.file("data")}).status, 0);
  std::string text;
  while (stream->read_body_some(text, in_ms(kPatience)).value_or(false)) {
  }
  EXPECT_THAT(text, HasSubstr("token_revoked"));
  EXPECT_EQ(server.call("GET", "/v1/me", token).status, 401);
}

TEST(Serve, Logs_AreJsonOnRequest) {
  const core::TempFolder dir;
  Server server(dir, flags(dir, {"--token", kToken, "--log-format", "json"}));
  server.call("GET", "/v1/me", kToken);
  server.signal(SIGTERM);
  EXPECT_EQ(server.wait(), 0);
  std::istringstream lines(server.errors());
  int count = 0;
  for (std::string line; std::getline(lines, line); ++count) {
    const auto entry = boost::json::parse(line);
    EXPECT_TRUE(entry.at("level").is_string() && entry.at("message").is_string()) << line;
  }
  EXPECT_GE(count, 3);
}

TEST(Serve, Welcome_IsShownOnlyOnRequest) {
  const core::TempFolder dir;
  {
    Server quiet(dir, with_token(dir));
    EXPECT_THAT(quiet.errors(), Not(HasSubstr(kToken)));
  }
  const Server server(dir, flags(dir, {"--token", kToken, "--welcome"}));
  while (server.errors().find("Stop") == std::string::npos) {
    ASSERT_EQ(server.call("GET", "/v1/me", kToken).status, 200);
  }
  EXPECT_THAT(server.errors(), HasSubstr(server.url() + "/?token=" + kToken));
  EXPECT_THAT(server.errors(), HasSubstr("parley setup --all"));
  EXPECT_THAT(server.errors(), HasSubstr("mcpServers"));
}

TEST(Serve, OpenedBrowser_WritesNothingToStdout) {
  const core::TempFolder dir;
  std::filesystem::create_directories(dir.file("bin"));
  const std::string browser = dir.file("bin/xdg-open");
  std::ofstream(browser) << "#!/bin/sh\necho \"opening $1\"\necho \"$1\" > "
                         << dir.file("opened.new") << "\nmv " << dir.file("opened.new") << " "
                         << dir.file("opened") << "\n";
  std::filesystem::permissions(browser, std::filesystem::perms::owner_all);
  Server server(dir, flags(dir, {"--token", kToken, "--open"}));
  while (!std::filesystem::exists(dir.file("opened"))) {
    ASSERT_EQ(server.call("GET", "/v1/me", kToken).status, 200);
  }
  EXPECT_EQ(read_file(dir.file("opened")), server.url() + "/?token=" + kToken + "\n");
  server.signal(SIGTERM);
  EXPECT_EQ(server.wait(), 0);
  EXPECT_EQ(server.out(), "ready " + server.url() + "\n");
}

// A self-signed certificate for 127.0.0.1, identified by its serial number.
void write_certificate(const core::TempFolder& dir, long serial) {
  const std::unique_ptr<EVP_PKEY, decltype(&EVP_PKEY_free)> key(EVP_EC_gen("P-256"),
                                                                &EVP_PKEY_free);
  const std::unique_ptr<X509, decltype(&X509_free)> certificate(X509_new(), &X509_free);
  ASN1_INTEGER_set(X509_get_serialNumber(certificate.get()), serial);
  X509_gmtime_adj(X509_getm_notBefore(certificate.get()), 0);
  X509_gmtime_adj(X509_getm_notAfter(certificate.get()), 3'600);
  X509_set_pubkey(certificate.get(), key.get());
  X509_NAME* name = X509_get_subject_name(certificate.get());
  const auto* host = reinterpret_cast<const unsigned char*>("127.0.0.1");
  X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_ASC, host, -1, -1, 0);
  X509_set_issuer_name(certificate.get(), name);
  X509_sign(certificate.get(), key.get(), EVP_sha256());
  const auto open = [&dir](const char* file) {
    return std::unique_ptr<std::FILE, decltype(&std::fclose)>(
        std::fopen(dir.file(file).c_str(), "w"), &std::fclose);
  };
  PEM_write_X509(open("cert.pem").get(), certificate.get());
  PEM_write_PrivateKey(open("key.pem").get(), key.get(), nullptr, nullptr, 0, nullptr, nullptr);
}

using Connection = std::unique_ptr<BIO, decltype(&BIO_free_all)>;

// A connection over TLS; null: the handshake failed.
Connection connect_over_tls(const Server& server) {
  const std::unique_ptr<SSL_CTX, decltype(&SSL_CTX_free)> context(SSL_CTX_new(TLS_client_method()),
                                                                  &SSL_CTX_free);
  Connection connection(BIO_new_ssl_connect(context.get()), &BIO_free_all);
  const std::string to = "127.0.0.1:" + server.port();
  BIO_set_conn_hostname(connection.get(), to.c_str());
  if (BIO_do_connect(connection.get()) != 1) connection.reset();
  return connection;
}

// The answer to a request with this Host.
std::string get_over_tls(const Server& server, const std::string& host) {
  const Connection connection = connect_over_tls(server);
  if (!connection) return {};
  const std::string request =
      "GET /healthz HTTP/1.1\r\nHost: " + host + "\r\nConnection: close\r\n\r\n";
  BIO_write(connection.get(), request.data(), static_cast<int>(request.size()));
  std::string answer;
  std::array<char, 4'096> buffer{};
  for (int count = 0; (count = BIO_read(connection.get(), buffer.data(), buffer.size())) > 0;) {
    answer.append(buffer.data(), static_cast<std::size_t>(count));
  }
  return answer;
}

// The serial number of the server's current certificate; -1: no TLS.
long serial_of(const Server& server) {
  const Connection connection = connect_over_tls(server);
  if (!connection) return -1;
  SSL* ssl = nullptr;
  BIO_get_ssl(connection.get(), &ssl);
  const std::unique_ptr<X509, decltype(&X509_free)> certificate(SSL_get1_peer_certificate(ssl),
                                                                &X509_free);
  return certificate ? ASN1_INTEGER_get(X509_get0_serialNumber(certificate.get())) : -1;
}

TEST(Serve, Tls_ReloadsCertificateOnSighup) {
  const core::TempFolder dir;
  write_certificate(dir, 1);
  Server server(dir, flags(dir, {"--token", kToken, "--tls-cert", dir.file("cert.pem"), "--tls-key",
                                 dir.file("key.pem")}));
  EXPECT_TRUE(server.url().starts_with("https://")) << server.url();
  EXPECT_EQ(serial_of(server), 1);
  write_certificate(dir, 2);
  server.signal(SIGHUP);
  const auto give_up = in_ms(kPatience);
  while (serial_of(server) != 2) ASSERT_LT(std::chrono::steady_clock::now(), give_up);
  server.signal(SIGTERM);
  EXPECT_EQ(server.wait(), 0);
}

// HSTS is sent over TLS, except to localhost names, which other servers of this computer share.
TEST(Serve, Hsts_IsSentExceptForLoopbackNames) {
  const core::TempFolder dir;
  write_certificate(dir, 1);
  const Server server(dir, flags(dir, {"--token", kToken, "--tls-cert", dir.file("cert.pem"),
                                       "--tls-key", dir.file("key.pem")}));
  const std::string port = ":" + server.port();
  EXPECT_THAT(get_over_tls(server, "127.0.0.1" + port),
              HasSubstr("\r\nStrict-Transport-Security: "));
  for (const char* name : {"localhost", "LocalHost", "app.localhost"}) {
    EXPECT_THAT(get_over_tls(server, name + port),
                AllOf(HasSubstr("HTTP/1.1 "), Not(HasSubstr("Strict-Transport-Security"))));
  }
}

TEST(Serve, UnreadableCertificate_IsNamed) {
  const core::TempFolder dir;
  const Ran ran = run(dir, {"serve", "--data", dir.file("data"), "--tls-cert", dir.file("no.pem"),
                            "--tls-key", dir.file("no.pem")});
  EXPECT_EQ(ran.status, 2);
  EXPECT_THAT(ran.errors, HasSubstr("no.pem"));
}

}  // namespace
}  // namespace parley::tests
