// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
/// <reference types="vite/client" />

declare module '*.css';
declare module '*.sass';
