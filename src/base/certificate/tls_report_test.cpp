// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "base/certificate/tls_report.h"

#include <gmock/gmock.h>

#include "base/certificate/apple_profile.h"
#include "base/core/base64.h"

namespace parley::certificate {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

const std::vector<InterfaceAddress> kAddresses = {{"127.0.0.1", false, true},
                                                  {"192.168.1.5", false, false},
                                                  {"::1", true, true},
                                                  {"2001:db8::5", true, false}};

TEST(OutsideOrigins, AnyAddress_GivesThoseOfInterfaces) {
  EXPECT_THAT(outside_origins(TlsMode::automatic, {"::", 22080, false}, kAddresses, "desk.lan"),
              ElementsAre("https://192.168.1.5:22080", "https://[2001:db8::5]:22080",
                          "https://desk.local:22080"));
  EXPECT_THAT(outside_origins(TlsMode::off, {"0.0.0.0", 80, false}, kAddresses, "desk"),
              ElementsAre("http://192.168.1.5:80", "http://desk.local:80"));
}

TEST(OutsideOrigins, SingleAddress_GivesItself) {
  EXPECT_THAT(outside_origins(TlsMode::own, {"2001:db8::5", 443, false}, kAddresses, "desk"),
              ElementsAre("https://[2001:db8::5]:443"));
}

TEST(OutsideOrigins, Loopback_GivesNone) {
  EXPECT_THAT(outside_origins(TlsMode::automatic, {"127.0.0.1", 1, true}, kAddresses, "desk"),
              IsEmpty());
}

TEST(AppleProfile, Identifiers_DependOnCertificateAlone) {
  TlsFacts facts;
  facts.mode = TlsMode::automatic;
  facts.host = "desk";
  facts.authority_der = "DER";
  facts.fingerprint = "AA:BB";
  const std::string profile = apple_profile(facts);
  EXPECT_THAT(profile, HasSubstr("<string>com.apple.security.root</string>"));
  EXPECT_THAT(profile, HasSubstr("<data>" + core::base64_encode("DER") + "</data>"));
  EXPECT_EQ(apple_profile(facts), profile);
  facts.fingerprint = "AA:CC";
  EXPECT_NE(apple_profile(facts), profile);
}

}  // namespace
}  // namespace parley::certificate
