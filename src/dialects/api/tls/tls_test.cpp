// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include "base/certificate/tls_report.h"
#include "tests/support/api/api_world.h"

namespace parley::api {
namespace {

using testing::World;

certificate::TlsFacts automatic() {
  certificate::TlsFacts facts;
  facts.mode = certificate::TlsMode::automatic;
  facts.host = "desk";
  facts.authority_der = "DER";
  facts.fingerprint = "AA:BB";
  facts.expires_at = core::from_unix_ms(1'000);
  facts.authority_expires_at = core::from_unix_ms(2'000);
  return facts;
}

TEST(V1Tls, Facts_AreShownToAnyToken) {
  World world;
  certificate::TlsReport report;
  report.set(automatic());
  report.set_address({"192.0.2.7", 22080, false});
  world.set_tls(report);
  world.add_token("ask", {auth::Right::ask});
  EXPECT_EQ(
      boost::json::serialize(world.call("GET", "/v1/tls", "ask").json()),
      R"({"mode":"auto","fingerprint":"AA:BB","expires_at":1000,)"
      R"("authority_expires_at":2000,"origins":["https://192.0.2.7:22080"],"away":null,"port":22080,)"
      R"("service":"none"})");
}

TEST(V1Tls, AddressThatWorksAway_ComesFirst) {
  World world;
  certificate::TlsReport report;
  report.set(automatic());
  report.set_address({"192.0.2.7", 22080, false});
  report.set_away("https://desk.tail1234.ts.net:22080");
  report.set_service("user");
  world.set_tls(report);
  const auto facts = world.call("GET", "/v1/tls", "alice").json();
  EXPECT_EQ(facts.at("away"), "https://desk.tail1234.ts.net:22080");
  EXPECT_EQ(boost::json::serialize(facts.at("origins")),
            R"(["https://desk.tail1234.ts.net:22080","https://192.0.2.7:22080"])");
  EXPECT_EQ(facts.at("service"), "user");
  EXPECT_EQ(report.link_origin("http://127.0.0.1:22080"), "https://desk.tail1234.ts.net:22080");
}

TEST(V1Tls, ServerWithoutTls_ShowsNulls) {
  World world;
  EXPECT_EQ(boost::json::serialize(world.call("GET", "/v1/tls", "alice").json()),
            R"({"mode":"off","fingerprint":null,"expires_at":null,)"
            R"("authority_expires_at":null,"origins":[],"away":null,"port":0,"service":"none"})");
}

TEST(V1Tls, Authority_IsOfferedWithoutToken) {
  World world;
  certificate::TlsReport report;
  report.set(automatic());
  world.set_tls(report);
  const auto certificate = world.call("GET", "/ca.crt", "");
  EXPECT_EQ(certificate.status(), 200);
  EXPECT_EQ(certificate.response->body, "DER");
  EXPECT_EQ(certificate.response->headers.get("Content-Type"), "application/x-x509-ca-cert");
  EXPECT_EQ(certificate.response->headers.get("Content-Disposition"),
            "attachment; filename=\"parley-authority.crt\"");
  const auto profile = world.call("GET", "/ca.mobileconfig", "");
  EXPECT_EQ(profile.response->headers.get("Content-Type"), "application/x-apple-aspen-config");
  EXPECT_THAT(profile.response->body, ::testing::HasSubstr("com.apple.security.root"));
}

TEST(V1Tls, Authority_IsNotFoundUnlessAuto) {
  for (const auto mode : {certificate::TlsMode::off, certificate::TlsMode::own}) {
    World world;
    certificate::TlsReport report;
    certificate::TlsFacts facts;
    facts.mode = mode;
    report.set(facts);
    world.set_tls(report);
    for (const char* path : {"/ca.crt", "/ca.mobileconfig"}) {
      const auto reply = world.call("GET", path, "");
      EXPECT_EQ(reply.status(), 404);
      EXPECT_EQ(reply.json().at("code"), "not_found");
    }
  }
}

}  // namespace
}  // namespace parley::api
