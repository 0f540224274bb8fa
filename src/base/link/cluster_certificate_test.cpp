// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "base/link/cluster_certificate.h"

#include <gmock/gmock.h>
#include <openssl/x509_vfy.h>
#include <openssl/x509v3.h>

#include <memory>
#include <string>

#include "base/certificate/certificate_maker.h"
#include "tests/support/core/fake_scheduler.h"

namespace parley::link {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

// The result of a peer that trusts the authority and expects `host`, as a server or as a client.
int verified_as(const NodeCertificate& node, const ClusterAuthority& authority, core::WallTime now,
                int purpose, const std::string& host) {
  const std::unique_ptr<X509_STORE, decltype(&X509_STORE_free)> store(X509_STORE_new(),
                                                                      &X509_STORE_free);
  const std::unique_ptr<X509_STORE_CTX, decltype(&X509_STORE_CTX_free)> context(
      X509_STORE_CTX_new(), &X509_STORE_CTX_free);
  X509_STORE_add_cert(store.get(), &authority.certificate());
  X509_STORE_CTX_init(context.get(), store.get(), node.certificate.get(), nullptr);
  X509_VERIFY_PARAM* const param = X509_STORE_CTX_get0_param(context.get());
  X509_VERIFY_PARAM_set_time(param, core::to_unix_s(now));
  X509_VERIFY_PARAM_set_purpose(param, purpose);
  X509_VERIFY_PARAM_set_flags(param, X509_V_FLAG_X509_STRICT);
  X509_VERIFY_PARAM_set1_host(param, host.data(), host.size());
  X509_verify_cert(context.get());
  return X509_STORE_CTX_get_error(context.get());
}

std::string common_name_of(X509& certificate) {
  std::string out(100, '\0');
  const int size = X509_NAME_get_text_by_NID(X509_get_subject_name(&certificate), NID_commonName,
                                             out.data(), static_cast<int>(out.size()));
  out.resize(size < 0 ? 0 : static_cast<std::size_t>(size));
  return out;
}

class ClusterCertificateTest : public ::testing::Test {
 protected:
  NodeCertificate node(std::string_view name) {
    return make_node_certificate(authority, "c-1", name, clock.wall()).value();
  }

  core::FakeClock clock;
  ClusterAuthority authority = ClusterAuthority::make("c-1", clock.wall()).value();
};

TEST_F(ClusterCertificateTest, Node_IsValidForBothSides_UnderItsNameOnly) {
  const NodeCertificate one = node("a.example");
  for (const int purpose : {X509_PURPOSE_SSL_CLIENT, X509_PURPOSE_SSL_SERVER}) {
    EXPECT_EQ(verified_as(one, authority, clock.wall(), purpose, "a.example.c-1.parley.internal"),
              X509_V_OK);
    EXPECT_EQ(verified_as(one, authority, clock.wall(), purpose, node_host("c-1", "b")),
              X509_V_ERR_HOSTNAME_MISMATCH);
    EXPECT_EQ(verified_as(one, authority, clock.wall(), purpose, node_host("c-2", "a.example")),
              X509_V_ERR_HOSTNAME_MISMATCH);
  }
  EXPECT_EQ(common_name_of(*one.certificate), "a.example");
}

TEST_F(ClusterCertificateTest, OtherAuthority_DoesNotVerify) {
  const auto other = ClusterAuthority::make("c-1", clock.wall()).value();
  EXPECT_NE(
      verified_as(node("a"), other, clock.wall(), X509_PURPOSE_SSL_SERVER, node_host("c-1", "a")),
      X509_V_OK);
}

TEST_F(ClusterCertificateTest, Life_HasSlackAndAnEnd) {
  const NodeCertificate one = node("a");
  EXPECT_EQ(certificate::begin_of(*one.certificate) + certificate::kClockSlack, clock.wall());
  EXPECT_EQ(certificate::end_of(*one.certificate), clock.wall() + kNodeCertificateLife);
  const auto verified_at = [&](core::WallTime now) {
    return verified_as(one, authority, now, X509_PURPOSE_SSL_SERVER, node_host("c-1", "a"));
  };
  EXPECT_EQ(verified_at(clock.wall() - std::chrono::hours(1)), X509_V_OK);
  EXPECT_EQ(verified_at(clock.wall() + kNodeCertificateLife + std::chrono::seconds(2)),
            X509_V_ERR_CERT_HAS_EXPIRED);
}

TEST_F(ClusterCertificateTest, Node_DoesNotOutliveAuthority) {
  clock.set_wall(authority.end() - std::chrono::days(10));
  EXPECT_EQ(certificate::end_of(*node("a").certificate), authority.end());
}

TEST_F(ClusterCertificateTest, Authority_IsReadFromItsText) {
  const auto again = ClusterAuthority::parse(authority.pem(), clock.wall());
  ASSERT_TRUE(again.has_value());
  EXPECT_EQ(again->pem(), authority.pem());
  const auto one = make_node_certificate(*again, "c-1", "a", clock.wall()).value();
  EXPECT_EQ(
      verified_as(one, authority, clock.wall(), X509_PURPOSE_SSL_CLIENT, node_host("c-1", "a")),
      X509_V_OK);
}

TEST_F(ClusterCertificateTest, BrokenAuthority_IsRefusedInWords) {
  const std::string certificate_pem = certificate::pem_of(authority.certificate());
  const std::string key_pem = certificate::pem_of(authority.key());
  const NodeCertificate one = node("a");
  const struct {
    std::string pem;
    const char* says;
  } cases[] = {
      {"", "no private key"},
      {certificate_pem, "no private key"},
      {key_pem, "no certificate"},
      {certificate_pem + certificate::pem_of(*certificate::new_key()), "does not belong"},
      {certificate::pem_of(*one.certificate) + certificate::pem_of(*one.key), "may not issue"},
  };
  for (const auto& [pem, says] : cases) {
    const auto read = ClusterAuthority::parse(pem, clock.wall());
    ASSERT_FALSE(read.has_value()) << says;
    EXPECT_EQ(read.error().code, core::Code::data_loss);
    EXPECT_THAT(read.error().message, HasSubstr(says));
    EXPECT_THAT(read.error().message, Not(HasSubstr("BEGIN")));
  }
}

TEST_F(ClusterCertificateTest, ExpiredAuthority_IsRefused) {
  const auto read = ClusterAuthority::parse(authority.pem(), authority.end());
  ASSERT_FALSE(read.has_value());
  EXPECT_EQ(read.error().code, core::Code::failed_precondition);
}

TEST_F(ClusterCertificateTest, Names_AreChecked) {
  const std::string longest(kMaxNodeNameBytes, 'n');
  for (const std::string& good : {std::string("a"), std::string("node-1.example"), longest}) {
    EXPECT_TRUE(is_node_name(good)) << good;
  }
  for (const std::string& bad : {std::string(), std::string("A"), std::string("a_b"),
                                 std::string("*"), std::string("a,DNS:b"), std::string("a."),
                                 std::string(".a"), std::string("1.2.3.4"), longest + "n"}) {
    EXPECT_FALSE(is_node_name(bad)) << bad;
    const auto made = make_node_certificate(authority, "c-1", bad, clock.wall());
    ASSERT_FALSE(made.has_value()) << bad;
    EXPECT_EQ(made.error().field, "node");
  }
  for (const char* bad : {"", "c.1", "C", "c 1"}) {
    EXPECT_FALSE(is_cluster_id(bad)) << bad;
    EXPECT_EQ(ClusterAuthority::make(bad, clock.wall()).error().field, "cluster");
    EXPECT_EQ(make_node_certificate(authority, bad, "a", clock.wall()).error().field, "cluster");
  }
}

}  // namespace
}  // namespace parley::link
