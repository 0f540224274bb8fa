// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// Oids of types, from PostgreSQL's catalogue, where they are fixed. Internal to this room.
namespace parley::sql::oid {

inline constexpr unsigned kBool = 16;
inline constexpr unsigned kBytea = 17;
inline constexpr unsigned kInt8 = 20;
inline constexpr unsigned kInt2 = 21;
inline constexpr unsigned kInt4 = 23;
inline constexpr unsigned kText = 25;
inline constexpr unsigned kNumeric = 1'700;
inline constexpr unsigned kByteaArray = 1'001;
inline constexpr unsigned kTextArray = 1'009;
inline constexpr unsigned kInt8Array = 1'016;

}  // namespace parley::sql::oid
