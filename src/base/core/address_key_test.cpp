// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "base/core/address_key.h"

#include <gtest/gtest.h>

namespace parley::core {
namespace {

TEST(AddressKey, IPv6Key_IsNetwork) {
  EXPECT_EQ(address_key("2001:db8:1:2::1"), address_key("2001:db8:1:2:ffff:ffff:ffff:ffff"));
  EXPECT_NE(address_key("2001:db8:1:2::1"), address_key("2001:db8:1:3::1"));
  EXPECT_EQ(address_key("fe80::1%eth0"), address_key("fe80::2%eth1"));
}

TEST(AddressKey, IPv4Key_IsAddress_AlsoInsideIPv6) {
  EXPECT_EQ(address_key("10.0.0.1"), "10.0.0.1");
  EXPECT_NE(address_key("10.0.0.1"), address_key("10.0.0.2"));
  EXPECT_EQ(address_key("::ffff:10.0.0.1"), "10.0.0.1");
}

}  // namespace
}  // namespace parley::core
