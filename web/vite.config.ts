// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
import { fileURLToPath } from 'node:url';
import { quasar, transformAssetUrls } from '@quasar/vite-plugin';
import vue from '@vitejs/plugin-vue';
import { defineConfig } from 'vitest/config';

// A running server to develop against: the mock one unless PARLEY_URL names another.
const target = process.env['PARLEY_URL'] ?? 'http://127.0.0.1:22090';

export default defineConfig({
  plugins: [vue({ template: { transformAssetUrls } }), quasar({ autoImportComponentCase: 'kebab' })],
  resolve: { alias: { '@': fileURLToPath(new URL('./src', import.meta.url)) } },
  define: {
    __VUE_OPTIONS_API__: 'false',
    __VUE_PROD_DEVTOOLS__: 'false',
    __VUE_PROD_HYDRATION_MISMATCH_DETAILS__: 'false',
    __VUE_I18N_FULL_INSTALL__: 'false',
    __VUE_I18N_LEGACY_API__: 'false',
    __INTLIFY_PROD_DEVTOOLS__: 'false',
  },
  build: {
    target: 'es2022',
    // The page's Content-Security-Policy allows fonts and scripts from files only.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    rollupOptions: {
      output: {
        manualChunks(id: string): string | undefined {
          if (!id.includes('node_modules')) return undefined;
          if (/markdown-it|dompurify|linkify-it|mdurl|uc\.micro|entities|punycode/.test(id)) return 'markdown';
          if (id.includes('@bufbuild')) return 'protobuf';
          return 'vendor';
        },
      },
    },
  },
  server: {
    proxy: {
      '/ws': { target, ws: true, changeOrigin: true },
      '/agent/ws': { target, ws: true, changeOrigin: true },
      '/v1': { target, changeOrigin: true },
      '/agentassistproto.SrvAgentAssist': { target, changeOrigin: true },
    },
  },
  test: { include: ['src/**/*.test.ts'], restoreMocks: true },
});
