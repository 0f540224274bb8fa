// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <openssl/x509_vfy.h>
#include <openssl/x509v3.h>
#include <sys/stat.h>

#include <algorithm>
#include <fstream>
#include <sstream>

#include "base/certificate/authority.h"
#include "base/certificate/certificate_store.h"
#include "base/certificate/server_certificate.h"
#include "base/core/temp_folder.h"
#include "tests/support/core/fake_scheduler.h"

namespace parley::certificate {
namespace {

using std::chrono::days;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::string text_of(const std::string& file) {
  std::ostringstream out;
  out << std::ifstream(file, std::ios::binary).rdbuf();
  return out.str();
}

mode_t mode_of(const std::string& file) {
  struct stat info {};
  return ::stat(file.c_str(), &info) == 0 ? info.st_mode & 0777U : 0;
}

// The result of a client that trusts `authority` and connects to a name or an address.
int verified(X509& certificate, X509& authority, core::WallTime now, const std::string& to) {
  const std::unique_ptr<X509_STORE, decltype(&X509_STORE_free)> store(X509_STORE_new(),
                                                                      &X509_STORE_free);
  const std::unique_ptr<X509_STORE_CTX, decltype(&X509_STORE_CTX_free)> context(
      X509_STORE_CTX_new(), &X509_STORE_CTX_free);
  X509_STORE_add_cert(store.get(), &authority);
  X509_STORE_CTX_init(context.get(), store.get(), &certificate, nullptr);
  X509_VERIFY_PARAM* const param = X509_STORE_CTX_get0_param(context.get());
  X509_VERIFY_PARAM_set_time(param, core::to_unix_s(now));
  X509_VERIFY_PARAM_set_purpose(param, X509_PURPOSE_SSL_SERVER);
  X509_VERIFY_PARAM_set_flags(param, X509_V_FLAG_X509_STRICT);
  const bool name = to.find_first_not_of("0123456789.:") != std::string::npos;
  if (name) {
    X509_VERIFY_PARAM_set1_host(param, to.data(), to.size());
  } else {
    X509_VERIFY_PARAM_set1_ip_asc(param, to.c_str());
  }
  X509_verify_cert(context.get());
  return X509_STORE_CTX_get_error(context.get());
}

class CertificateTest : public ::testing::Test {
 protected:
  core::Result<std::unique_ptr<CertificateStore>> open() {
    return CertificateStore::open({folder.path(), "desk", [this] { return subjects; }}, clock);
  }
  int verified_now(const std::string& to) {
    return verified(**read_certificate(folder.file("server.pem")),
                    **read_certificate(folder.file("authority.pem")), clock.wall(), to);
  }
  void write(const std::string& name, const std::string& text) const {
    std::ofstream(folder.file(name), std::ios::binary) << text;
  }

  core::TempFolder folder;
  core::FakeClock clock;
  Subjects subjects{{"localhost", "desk", "desk.local"}, {"127.0.0.1", "::1", "192.168.1.5"}};
};

TEST_F(CertificateTest, Chain_VerifiesForNamesAndAddresses) {
  ASSERT_TRUE(open().has_value());
  for (const char* to : {"localhost", "desk", "desk.local", "127.0.0.1", "::1", "192.168.1.5"}) {
    EXPECT_EQ(verified_now(to), X509_V_OK) << to;
  }
  EXPECT_EQ(verified_now("other.local"), X509_V_ERR_HOSTNAME_MISMATCH);
  EXPECT_EQ(verified_now("192.168.1.6"), X509_V_ERR_IP_ADDRESS_MISMATCH);
}

TEST_F(CertificateTest, OtherAuthority_DoesNotVerify) {
  ASSERT_TRUE(open().has_value());
  const core::TempFolder other;
  const auto stranger = Authority::open(other.path(), "desk", clock.wall());
  EXPECT_NE(verified(**read_certificate(folder.file("server.pem")), stranger->certificate(),
                     clock.wall(), "localhost"),
            X509_V_OK);
}

TEST_F(CertificateTest, Certificates_HaveDocumentedTimes) {
  const auto store = open();
  const auto facts = (*store)->facts();
  ASSERT_TRUE(facts.has_value());
  const auto server = read_certificate(folder.file("server.pem"));
  EXPECT_EQ(end_of(**server) - begin_of(**server), days(397));
  EXPECT_EQ(*facts->expires_at, end_of(**server));
  EXPECT_EQ(*facts->authority_expires_at, clock.wall() + days(3'652));
}

TEST_F(CertificateTest, Authority_IssuesOnlyServerCertificates) {
  ASSERT_TRUE(open().has_value());
  const auto authority = read_certificate(folder.file("authority.pem"));
  EXPECT_EQ(X509_check_ca(authority->get()), 1);
  EXPECT_EQ(X509_get_pathlen(authority->get()), 0);
  EXPECT_EQ(X509_get_key_usage(authority->get()), static_cast<unsigned>(KU_KEY_CERT_SIGN));
  const auto server = read_certificate(folder.file("server.pem"));
  EXPECT_EQ(X509_check_ca(server->get()), 0);
  EXPECT_EQ(X509_get_extended_key_usage(server->get()), static_cast<unsigned>(XKU_SSL_SERVER));
  std::array<char, 128> name{};
  X509_NAME_get_text_by_NID(X509_get_subject_name(authority->get()), NID_commonName, name.data(),
                            name.size());
  EXPECT_STREQ(name.data(), "Parley authority of desk");
}

TEST_F(CertificateTest, Files_AreForTheirOwnerOnly) {
  ASSERT_TRUE(open().has_value());
  for (const char* name : {"authority.key", "authority.pem", "server.key", "server.pem"}) {
    EXPECT_EQ(mode_of(folder.file(name)), 0600U) << name;
  }
}

TEST_F(CertificateTest, SecondStart_KeepsEverything) {
  ASSERT_TRUE(open().has_value());
  std::string before;
  std::string after;
  const auto read_all = [this](std::string& into) {
    for (const char* name : {"authority.key", "authority.pem", "server.key", "server.pem"}) {
      into += text_of(folder.file(name));
    }
  };
  read_all(before);
  clock.advance(days(300));
  const auto again = open();
  ASSERT_TRUE(again.has_value());
  EXPECT_FALSE(*(*again)->check());
  read_all(after);
  EXPECT_EQ(before, after);
}

TEST_F(CertificateTest, LastThirtyDays_RenewCertificate) {
  const auto store = open();
  ASSERT_TRUE(store.has_value());
  const std::string authority = text_of(folder.file("authority.pem"));
  clock.advance(days(365));
  EXPECT_FALSE(*(*store)->check());
  clock.advance(days(2));
  EXPECT_TRUE(*(*store)->check());
  EXPECT_EQ(verified_now("desk"), X509_V_OK);
  EXPECT_GT(*(*store)->facts()->expires_at, clock.wall() + days(390));
  EXPECT_EQ(text_of(folder.file("authority.pem")), authority);
}

TEST_F(CertificateTest, NewAddressOrName_RenewsCertificate) {
  const auto store = open();
  subjects.addresses.emplace_back("10.0.0.7");
  EXPECT_TRUE(*(*store)->check());
  EXPECT_EQ(verified_now("10.0.0.7"), X509_V_OK);
  subjects.names.emplace_back("parley.example.org");
  EXPECT_TRUE(*(*store)->check());
  EXPECT_EQ(verified_now("parley.example.org"), X509_V_OK);
  subjects.addresses.pop_back();
  EXPECT_FALSE(*(*store)->check()) << "an address that is gone changes nothing";
}

TEST_F(CertificateTest, LostOrBrokenServerFiles_AreMadeAgain) {
  const auto store = open();
  for (const char* name : {"server.pem", "server.key"}) {
    write(name, "not PEM");
    EXPECT_TRUE(*(*store)->check()) << name;
    ASSERT_EQ(::unlink(folder.file(name).c_str()), 0);
    EXPECT_TRUE(*(*store)->check()) << name;
  }
  EXPECT_EQ(verified_now("desk"), X509_V_OK);
}

TEST_F(CertificateTest, OtherAuthorityOnDisk_RenewsCertificate) {
  ASSERT_TRUE(open().has_value());
  ASSERT_EQ(::unlink(folder.file("authority.pem").c_str()), 0);
  ASSERT_EQ(::unlink(folder.file("authority.key").c_str()), 0);
  ASSERT_TRUE(open().has_value());
  EXPECT_EQ(verified_now("desk"), X509_V_OK);
}

TEST_F(CertificateTest, BrokenAuthority_IsNamedAndKept) {
  ASSERT_TRUE(open().has_value());
  for (const char* name : {"authority.pem", "authority.key"}) {
    const std::string good = text_of(folder.file(name));
    write(name, "not PEM");
    const auto broken = open();
    ASSERT_FALSE(broken.has_value()) << name;
    EXPECT_EQ(broken.error().code, core::Code::data_loss);
    EXPECT_THAT(broken.error().message, HasSubstr(folder.file(name)));
    EXPECT_EQ(text_of(folder.file(name)), "not PEM");
    write(name, good);
  }
  EXPECT_TRUE(open().has_value());
}

TEST_F(CertificateTest, KeyOfOtherAuthority_IsAnError) {
  ASSERT_TRUE(open().has_value());
  write("authority.key", text_of(folder.file("server.key")));
  const auto mixed = open();
  ASSERT_FALSE(mixed.has_value());
  EXPECT_THAT(mixed.error().message, HasSubstr("does not belong to authority.pem"));
}

TEST_F(CertificateTest, LostAuthorityKey_IsAnError) {
  ASSERT_TRUE(open().has_value());
  ASSERT_EQ(::unlink(folder.file("authority.key").c_str()), 0);
  EXPECT_THAT(open().error().message, HasSubstr(folder.file("authority.key")));
}

// A crash between the writes of the two files.
TEST_F(CertificateTest, KeyWithoutAuthority_IsUsed) {
  ASSERT_TRUE(open().has_value());
  const std::string key = text_of(folder.file("authority.key"));
  ASSERT_EQ(::unlink(folder.file("authority.pem").c_str()), 0);
  ASSERT_TRUE(open().has_value());
  EXPECT_EQ(text_of(folder.file("authority.key")), key);
  EXPECT_EQ(verified_now("desk"), X509_V_OK);
}

TEST_F(CertificateTest, ExpiredAuthority_IsAnError) {
  ASSERT_TRUE(open().has_value());
  clock.advance(days(3'640));
  const auto last_days = open();
  ASSERT_TRUE(last_days.has_value());
  EXPECT_FALSE(*(*last_days)->check()) << "it ends with its authority";
  clock.advance(days(13));
  EXPECT_EQ(open().error().code, core::Code::failed_precondition);
}

TEST_F(CertificateTest, Fingerprint_IsSha256InHex) {
  const auto authority = Authority::open(folder.path(), "desk", clock.wall());
  const std::string text = authority->fingerprint();
  EXPECT_EQ(text.size(), 95U);
  EXPECT_EQ(std::count(text.begin(), text.end(), ':'), 31);
  EXPECT_EQ(Authority::read(folder.path(), clock.wall())->fingerprint(), text);
}

TEST_F(CertificateTest, LongHostName_IsCut) {
  const std::string host(200, 'h');
  EXPECT_TRUE(Authority::open(folder.path(), host, clock.wall()).has_value());
}

TEST(Subjects, Hosts_AreSortedIntoNamesAndAddresses) {
  Subjects subjects;
  for (const char* host :
       {"Desk.Example.org.", "192.168.1.5", "0:0:0:0:0:0:0:1", "0.0.0.0", "::", "desk.example.org",
        "bad_name", "a,DNS:evil", "-x", "*.org", "", "a..b"}) {
    subjects.add(host);
  }
  EXPECT_THAT(subjects.names, ElementsAre("desk.example.org"));
  EXPECT_THAT(subjects.addresses, ElementsAre("192.168.1.5", "::1"));
}

TEST(Subjects, ThisComputer_IsCovered) {
  const Subjects subjects = subjects_of_this_computer({"parley.example.org"});
  EXPECT_THAT(subjects.names, ::testing::Contains("localhost"));
  EXPECT_THAT(subjects.names, ::testing::Contains("parley.example.org"));
  EXPECT_THAT(subjects.addresses, ::testing::IsSupersetOf({"127.0.0.1", "::1"}));
}

}  // namespace
}  // namespace parley::certificate
