// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "services/tailnet/tailnet_status.h"

#include <gmock/gmock.h>

namespace parley::tailnet {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

// An answer of Tailscale 1.6x without peers, whose members a test replaces.
struct Answer {
  std::string state = R"("Running")";
  std::string tun = "true";
  std::string name = R"("Desk.tail1234.ts.net.")";
  std::string addresses = R"(["fd7a:115c:a1e0::1234","100.101.102.103"])";
  std::string domains = R"(["desk.tail1234.ts.net"])";

  std::string json() const {
    return R"({"Version":"1.66.4","TUN":)" + tun + R"(,"BackendState":)" + state +
           R"(,"AuthURL":"","Self":{"ID":"n1","HostName":"desk","DNSName":)" + name +
           R"(,"TailscaleIPs":)" + addresses +
           R"(,"Online":true},"MagicDNSSuffix":"tail1234.ts.net",)" + R"("CertDomains":)" +
           domains + R"(,"Peer":null})";
  }
  Fault fault() const {
    const auto read = read_status(json());
    EXPECT_FALSE(read.has_value()) << json();
    return read ? Fault() : read.error();
  }
};

TEST(TailnetStatus, ConnectedComputer_HasNameAndAddressesIpv4First) {
  const auto self = read_status(Answer().json());
  ASSERT_TRUE(self.has_value()) << self.error().why;
  EXPECT_EQ(self->name, "desk.tail1234.ts.net");
  EXPECT_THAT(self->addresses, ElementsAre("100.101.102.103", "fd7a:115c:a1e0::1234"));
}

TEST(TailnetStatus, OtherStates_SayWhatToDo) {
  const std::pair<const char*, const char*> kStates[] = {
      {"NeedsLogin", "sudo tailscale up"},    {"NoState", "Wait until"},
      {"Stopped", "sudo tailscale up"},       {"Starting", "tailscale status"},
      {"NeedsMachineAuth", "admin/machines"}, {"InUseOtherUser", "Log that user out"},
      {"Dreaming", "Update Tailscale"},
  };
  for (const auto& [state, advice] : kStates) {
    Answer answer;
    answer.state = "\"" + std::string(state) + "\"";
    const Fault fault = answer.fault();
    EXPECT_THAT(fault.next, HasSubstr(advice)) << state;
    EXPECT_NE(fault.what, "") << state;
    EXPECT_NE(fault.why, "") << state;
  }
}

TEST(TailnetStatus, HttpsOff_SaysWhereToSwitchItOn) {
  for (const char* domains : {"null", "[]", R"(["other.tail1234.ts.net"])", "7"}) {
    Answer answer;
    answer.domains = domains;
    EXPECT_THAT(answer.fault().next, HasSubstr("HTTPS Certificates")) << domains;
  }
}

TEST(TailnetStatus, UserSpaceNetworking_NamesTheOtherWay) {
  Answer answer;
  answer.tun = "false";
  EXPECT_THAT(answer.fault().next, HasSubstr("tailscale serve"));
}

TEST(TailnetStatus, NameThatIsNoHostName_IsShownVisibly) {
  for (const char* name :
       {R"("desk")", R"("a b.ts.net")", R"("-x;rm.ts.net\u202e")", "7", R"("desk.ts.net/x")"}) {
    Answer answer;
    answer.name = name;
    const Fault fault = answer.fault();
    EXPECT_THAT(fault.why, Not(HasSubstr("\u202e")));
    EXPECT_NE(fault.why, "");
  }
  Answer without;
  without.name = R"("")";
  EXPECT_THAT(without.fault().why, HasSubstr("MagicDNS"));
}

TEST(TailnetStatus, AddressesOutsideOfTailnets_AreNotListenedOn) {
  for (const char* address :
       {"0.0.0.0", "::", "192.168.1.5", "8.8.8.8", "100.128.0.1", "fd7b::1", "desk", ""}) {
    EXPECT_FALSE(is_tailnet_address(address)) << address;
    Answer answer;
    answer.addresses = "[\"" + std::string(address) + "\"]";
    EXPECT_THAT(answer.fault().why, HasSubstr("no address of a tailnet")) << address;
  }
  for (const char* address : {"100.64.0.1", "100.127.255.254", "fd7a:115c:a1e0::1", "127.0.0.2"}) {
    EXPECT_TRUE(is_tailnet_address(address)) << address;
  }
}

TEST(TailnetStatus, WrongJson_IsNotUnderstood) {
  for (const char* text : {"", "null", "[]", "{", "{}", R"({"BackendState":"Running"})",
                           R"({"BackendState":7})", "Tailscale is stopped."}) {
    const auto read = read_status(text);
    ASSERT_FALSE(read.has_value()) << text;
    EXPECT_THAT(read.error().what, HasSubstr("not understood")) << text;
  }
  EXPECT_FALSE(read_status(std::string(100'000, '[')).has_value());
}

}  // namespace
}  // namespace parley::tailnet
