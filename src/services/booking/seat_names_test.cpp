// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "services/booking/seat_names.h"

#include <gtest/gtest.h>

#include "services/booking/model.h"

namespace parley::booking {
namespace {

TEST(SeatNames, SeatNames_AreUniqueAndReversible) {
  for (std::size_t seat = 0; seat < kSeatsPerShowing; ++seat) {
    EXPECT_EQ(seat_of_label(seat_label(seat)), seat);
    EXPECT_EQ(seat_of_id(12, seat_id(12, seat)), seat);
  }
  EXPECT_EQ(seat_id(3, 0), "s3-A1");
  EXPECT_EQ(seat_id(3, 99), "s3-J10");
}

TEST(SeatNames, OtherForms_NameNoSeat) {
  for (const char* label : {"", "A", "A0", "A11", "K1", "a1", "A01", "A+1", "A1 ", "1A", "A1x"}) {
    EXPECT_FALSE(seat_of_label(label).has_value()) << label;
  }
}

TEST(SeatNames, SeatOfOtherShowing_IsNotFound) {
  EXPECT_FALSE(seat_of_id(1, "s12-A1").has_value());
  EXPECT_FALSE(seat_of_id(12, "s1-A1").has_value());
  EXPECT_FALSE(seat_of_id(1, "A1").has_value());
  EXPECT_FALSE(seat_of_id(1, "s1-").has_value());
}

TEST(SeatNames, ShowingIds_HaveOneForm) {
  EXPECT_EQ(showing_number("s1"), 1U);
  EXPECT_EQ(showing_number("s4294967295"), 4294967295U);
  for (const char* id : {"", "s", "s0", "s01", "1", "S1", "s-1", "s1 ", "s4294967296", "s1x"}) {
    EXPECT_FALSE(showing_number(id).has_value()) << id;
  }
}

}  // namespace
}  // namespace parley::booking
