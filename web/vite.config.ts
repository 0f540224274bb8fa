// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
import { fileURLToPath } from 'node:url';
import { quasar, transformAssetUrls } from '@quasar/vite-plugin';
import vue from '@vitejs/plugin-vue';
import type { Plugin } from 'vite';
import { defineConfig } from 'vitest/config';
import { chunkOf } from './chunks.ts';

// The running server that the page is developed against: `parley serve`, at its usual address or at PARLEY_URL.
const target = process.env['PARLEY_URL'] ?? 'http://127.0.0.1:22080';
// The server refuses sockets of pages from another origin.
const passOn = { target, ws: true, changeOrigin: true, rewriteWsOrigin: true };

const source = (path: string) => fileURLToPath(new URL(`./src/${path}`, import.meta.url));
const kShown = /import \{([^}]*)\btoDisplayString as _toDisplayString\b,?([^}]*)\} from ["']vue["']/;

// Every {{ }} of the page's own templates is shown by src/text/display_string.ts: names, titles and
// reasons of others reach the page in many places, and none of them may show another text than it has.
const visibleTemplates: Plugin = {
  name: 'visible-templates',
  transform(code, id) {
    if (!/\.vue(\?|$)/.test(id) || id.includes('node_modules') || !code.includes('_toDisplayString(')) return null;
    if (!kShown.test(code)) this.error('the form of what Vue compiles has changed: {{ }} would show hidden characters');
    const ours = 'import { displayString as _toDisplayString } from "@/text/display_string"';
    return { code: code.replace(kShown, `import {$1$2} from "vue";\n${ours}`), map: null };
  },
};

export default defineConfig({
  plugins: [vue({ template: { transformAssetUrls } }), quasar({ autoImportComponentCase: 'kebab' }), visibleTemplates],
  // Two packages are replaced by files of the console, which save 38 KB of the first load (brotli).
  resolve: {
    alias: {
      '@': source('.'),
      'vue-i18n': source('i18n/translate.ts'),
      ...(process.env['VITEST'] ? {} : { entities: source('text/entities.ts') }),
    },
  },
  define: {
    __VUE_OPTIONS_API__: 'false',
    __VUE_PROD_DEVTOOLS__: 'false',
    __VUE_PROD_HYDRATION_MISMATCH_DETAILS__: 'false',
  },
  build: {
    target: 'es2022',
    // The page's Content-Security-Policy allows fonts and scripts from files only.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    rollupOptions: {
      input: { index: 'index.html', host: 'host/index.html' },
      // A chunk takes only the modules that are named here, not what they import.
      output: {
        codeSplitting: { includeDependenciesRecursively: false, groups: [{ name: chunkOf, debugName: 'by use' }] },
      },
    },
  },
  server: {
    proxy: {
      '/ws': passOn,
      '/agent/ws': passOn,
      '/loom/ws': passOn,
      '/api': passOn,
      '/v1': passOn,
      '/ca.crt': passOn,
      '/ca.mobileconfig': passOn,
      '/agentassistproto.SrvAgentAssist': passOn,
    },
  },
  test: {
    include: ['{src,host}/**/*.test.ts'],
    restoreMocks: true,
    // Files share workers and what these have loaded: a third of the processor time.
    pool: 'threads',
    isolate: false,
    testTimeout: 60_000, // a machine that is busy takes its time
  },
});
