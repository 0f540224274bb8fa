// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

// The tests play against the host page's own engine, which names the console's sources so.
export default defineConfig({
  resolve: { alias: { '@': fileURLToPath(new URL('../../web/src', import.meta.url)) } },
});
