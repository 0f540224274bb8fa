// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>

#include <array>
#include <chrono>
#include <map>

#include "base/core/temp_folder.h"
#include "program.h"

namespace parley::tests {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

constexpr const char* kTlsToken = "a-token-of-the-tls-test";

std::vector<std::string> auto_flags(const core::TempFolder& dir, const std::string& listen,
                                    std::vector<std::string> more = {}) {
  std::vector<std::string> out = {"--listen", listen, "--data",  dir.file("data"),
                                  "--tls",    "auto", "--token", kTlsToken};
  out.insert(out.end(), more.begin(), more.end());
  return out;
}

// A client that trusts the authority of the data directory and no other. `as`: the name or address
// that the certificate must cover. Returns the answer to a GET; empty: the certificate is refused.
std::string trusted_get(const core::TempFolder& dir, const Server& server, const std::string& as,
                        const std::string& path, const std::string& token = {}) {
  const std::unique_ptr<SSL_CTX, decltype(&SSL_CTX_free)> context(SSL_CTX_new(TLS_client_method()),
                                                                  &SSL_CTX_free);
  SSL_CTX_set_verify(context.get(), SSL_VERIFY_PEER, nullptr);
  EXPECT_EQ(SSL_CTX_load_verify_file(context.get(), dir.file("data/authority.pem").c_str()), 1);
  const std::unique_ptr<BIO, decltype(&BIO_free_all)> wire(BIO_new_ssl_connect(context.get()),
                                                           &BIO_free_all);
  const std::string to = "127.0.0.1:" + server.port();
  BIO_set_conn_hostname(wire.get(), to.c_str());
  SSL* ssl = nullptr;
  BIO_get_ssl(wire.get(), &ssl);
  X509_VERIFY_PARAM* const param = SSL_get0_param(ssl);
  if (X509_VERIFY_PARAM_set1_ip_asc(param, as.c_str()) != 1) SSL_set1_host(ssl, as.c_str());
  if (BIO_do_connect(wire.get()) != 1) return {};
  const std::string request = "GET " + path +
                              " HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer " + token +
                              "\r\nConnection: close\r\n\r\n";
  BIO_write(wire.get(), request.data(), static_cast<int>(request.size()));
  std::string answer;
  std::array<char, 4'096> buffer{};
  for (int count = 0; (count = BIO_read(wire.get(), buffer.data(), buffer.size())) > 0;) {
    answer.append(buffer.data(), static_cast<std::size_t>(count));
  }
  return answer;
}

std::string tls_body(const std::string& answer) {
  return answer.substr(answer.find("\r\n\r\n") + 4);
}

// The answer to bytes without TLS.
std::string plain_answer(const Server& server, const std::string& request) {
  const Wire wire(server);
  wire.send(request);
  std::string answer;
  std::array<char, 4'096> buffer{};
  for (ssize_t count = 0; (count = ::recv(wire.fd(), buffer.data(), buffer.size(), 0)) > 0;) {
    answer.append(buffer.data(), static_cast<std::size_t>(count));
  }
  return answer;
}

// The findings of `parley doctor` about TLS: state and detail.
std::string tls_findings(const core::TempFolder& dir,
                         const std::map<std::string, std::string>& more = {}) {
  auto start = command(dir, {"doctor", "--data", dir.file("data"), "--json"});
  start.env["PARLEY_TLS"] = "auto";
  for (const auto& [name, value] : more) start.env[name] = value;
  std::string out;
  const auto process = conformance::Process::start(start);
  while ((*process)->read_some(out, in_ms(kPatience)).value_or(false)) {
  }
  (*process)->wait(in_ms(kPatience));
  std::string found;
  const boost::json::value findings = boost::json::parse(out);
  for (const auto& finding : findings.as_array()) {
    if (finding.at("check") != "tls") continue;
    found += std::string(finding.at("state").as_string()) + " " +
             std::string(finding.at("detail").as_string()) + "\n";
  }
  return found;
}

TEST(TlsAuto, Clients_TrustAuthorityAlone) {
  const core::TempFolder dir;
  Server server(dir, auto_flags(dir, "0.0.0.0:0"));
  EXPECT_TRUE(server.url().starts_with("https://")) << server.url();
  for (const char* as : {"localhost", "127.0.0.1", "::1"}) {
    EXPECT_THAT(trusted_get(dir, server, as, "/healthz"), StartsWith("HTTP/1.1 200 ")) << as;
  }
  EXPECT_EQ(trusted_get(dir, server, "other.example.org", "/healthz"), "");
  for (const char* name : {"authority.pem", "authority.key", "server.pem", "server.key"}) {
    EXPECT_EQ(mode_of(dir.file("data") + "/" + name), 0600U) << name;
  }
  server.signal(SIGTERM);
  EXPECT_EQ(server.wait(), 0);
}

TEST(TlsAuto, Origins_AreCoveredByCertificate) {
  const core::TempFolder dir;
  const Server server(dir, auto_flags(dir, "0.0.0.0:0"));
  const auto tls =
      boost::json::parse(tls_body(trusted_get(dir, server, "localhost", "/v1/tls", kTlsToken)));
  EXPECT_EQ(tls.at("mode"), "auto");
  EXPECT_EQ(tls.at("fingerprint").as_string().size(), 95U);
  EXPECT_GT(tls.at("authority_expires_at").as_int64(), tls.at("expires_at").as_int64());
  const auto& origins = tls.at("origins").as_array();
  ASSERT_FALSE(origins.empty());
  for (const auto& origin : origins) {
    const std::string text(origin.as_string());
    EXPECT_THAT(text, AllOf(StartsWith("https://"), HasSubstr(":" + server.port())));
    const std::string host = text.substr(8, text.rfind(':') - 8);
    EXPECT_THAT(trusted_get(dir, server, host, "/healthz"), StartsWith("HTTP/1.1 200 ")) << text;
  }
}

TEST(TlsAuto, Loopback_HasNoOriginsForOthers) {
  const core::TempFolder dir;
  const Server server(dir, auto_flags(dir, "127.0.0.1:0"));
  EXPECT_THAT(trusted_get(dir, server, "127.0.0.1", "/v1/tls", kTlsToken),
              HasSubstr("\"origins\":[]"));
}

TEST(TlsAuto, Authority_IsOfferedForDevices) {
  const core::TempFolder dir;
  const Server server(dir, auto_flags(dir, "127.0.0.1:0"));
  const std::string der = tls_body(trusted_get(dir, server, "localhost", "/ca.crt"));
  const auto* at = reinterpret_cast<const unsigned char*>(der.data());
  const std::unique_ptr<X509, decltype(&X509_free)> authority(
      d2i_X509(nullptr, &at, static_cast<long>(der.size())), &X509_free);
  ASSERT_NE(authority, nullptr);
  EXPECT_EQ(X509_check_ca(authority.get()), 1);
  EXPECT_THAT(trusted_get(dir, server, "localhost", "/ca.mobileconfig"),
              AllOf(HasSubstr("Content-Type: application/x-apple-aspen-config\r\n"),
                    HasSubstr("com.apple.security.root")));
}

TEST(TlsAuto, PlainRequest_IsRedirected) {
  const core::TempFolder dir;
  const Server server(dir, auto_flags(dir, "127.0.0.1:0"));
  const std::string host = "localhost:" + server.port();
  EXPECT_THAT(plain_answer(server, "GET /a?token=secret-1 HTTP/1.1\r\nHost: " + host + "\r\n\r\n"),
              AllOf(StartsWith("HTTP/1.1 307 "),
                    HasSubstr("\r\nLocation: https://" + host + "/a?token=secret-1\r\n")));
  EXPECT_THAT(plain_answer(server, "POST / HTTP/1.1\r\nHost: " + host + "\r\n\r\n"),
              StartsWith("HTTP/1.1 400 "));
  EXPECT_THAT(plain_answer(server, "GET /a HTTP/1.1\r\nHost: evil.example\r\n\r\n"),
              AllOf(StartsWith("HTTP/1.1 421 "), Not(HasSubstr("evil"))));
  EXPECT_THAT(server.errors(), Not(HasSubstr("secret-1")));
}

TEST(TlsAuto, LostCertificate_IsMadeAgainOnSighup) {
  const core::TempFolder dir;
  Server server(dir, auto_flags(dir, "127.0.0.1:0"));
  const std::string authority = read_file(dir.file("data/authority.pem"));
  const std::string before = read_file(dir.file("data/server.pem"));
  ASSERT_EQ(::unlink(dir.file("data/server.pem").c_str()), 0);
  server.signal(SIGHUP);
  const auto give_up = in_ms(kPatience);
  while (server.errors().find("were reloaded") == std::string::npos) {
    ASSERT_LT(std::chrono::steady_clock::now(), give_up);
  }
  EXPECT_NE(read_file(dir.file("data/server.pem")), before);
  EXPECT_EQ(read_file(dir.file("data/authority.pem")), authority);
  EXPECT_THAT(trusted_get(dir, server, "localhost", "/healthz"), StartsWith("HTTP/1.1 200 "));
}

TEST(TlsAuto, BrokenAuthority_StopsStart) {
  const core::TempFolder dir;
  {
    Server server(dir, auto_flags(dir, "127.0.0.1:0"));
    server.signal(SIGTERM);
    EXPECT_EQ(server.wait(), 0);
  }
  std::ofstream(dir.file("data/authority.key")) << "broken";
  const Ran ran =
      run(dir, {"serve", "--listen", "127.0.0.1:0", "--data", dir.file("data"), "--tls", "auto"});
  EXPECT_NE(ran.status, 0);
  EXPECT_THAT(ran.errors, HasSubstr("authority.key: no private key in PEM."));
  EXPECT_EQ(read_file(dir.file("data/authority.key")), "broken");
  EXPECT_THAT(tls_findings(dir), HasSubstr("fault " + dir.file("data/authority.key")));
}

TEST(TlsAuto, Doctor_ReportsCertificates) {
  const core::TempFolder dir;
  Server server(dir, auto_flags(dir, "127.0.0.1:0"));
  const std::string sound = tls_findings(dir);
  EXPECT_THAT(sound, AllOf(HasSubstr("ok auto: server.pem is valid until "),
                           HasSubstr("ok authority.pem, "), Not(HasSubstr("warning"))));
  EXPECT_THAT(tls_findings(dir, {{"PARLEY_PUBLIC_URL", "https://parley.example.org"}}),
              HasSubstr("warning server.pem does not cover parley.example.org"));
  EXPECT_THAT(tls_findings(dir, {{"PARLEY_TLS", "off"}}), HasSubstr("ok auto"))
      << "the running server counts";
  server.signal(SIGTERM);
  EXPECT_EQ(server.wait(), 0);
  EXPECT_THAT(tls_findings(dir, {{"PARLEY_TLS", "off"}}), HasSubstr("ok off"));
}

TEST(TlsAuto, Welcome_NamesPageForPhones) {
  const core::TempFolder dir;
  const Server server(dir, auto_flags(dir, "0.0.0.0:0", {"--welcome"}));
  const auto tls =
      boost::json::parse(tls_body(trusted_get(dir, server, "localhost", "/v1/tls", kTlsToken)));
  const std::string first(tls.at("origins").as_array().front().as_string());
  if (first.find(".local:") != std::string::npos) return;  // only loopback interfaces are up
  const auto give_up = in_ms(kPatience);
  while (server.errors().find("once per phone") == std::string::npos) {
    ASSERT_LT(std::chrono::steady_clock::now(), give_up);
  }
  EXPECT_THAT(server.errors(), HasSubstr("Trust       " + first + "/#/trust   (three steps"));
  EXPECT_THAT(server.errors(), HasSubstr("On a phone  " + first + "/#/inbox?token="));
}

// Commands of the same user trust the authority of the running server.
TEST(TlsAuto, OwnCommands_ReachServer) {
  const core::TempFolder dir;
  const Server server(dir, auto_flags(dir, "127.0.0.1:0"));
  const Ran ran = run(dir, {"agent", "list", "--data", dir.file("data")});
  EXPECT_EQ(ran.status, 0) << ran.errors;
}

}  // namespace
}  // namespace parley::tests
