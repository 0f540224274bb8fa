// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
// Bundles the headless host for Node into one file: dist-host/parley-host.mjs.
import { builtinModules } from 'node:module';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vite';

export default defineConfig({
  logLevel: 'warn',
  publicDir: false,
  resolve: { alias: { '@': fileURLToPath(new URL('./src', import.meta.url)) } },
  ssr: { noExternal: true },
  build: {
    ssr: 'host/headless/parley_host.ts',
    outDir: 'dist-host',
    target: 'node20',
    rollupOptions: {
      // `ws` tries these two and does without them.
      external: [...builtinModules, /^node:/, 'bufferutil', 'utf-8-validate'],
      output: { entryFileNames: 'parley-host.mjs' },
    },
  },
});
