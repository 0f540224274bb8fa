// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
// Builds the service worker for the files of dist: dist/sw.js, and copies of it, of the manifest and of the host page's
// document in dist/console, where the console is if a front end is served at "/".
import { createHash } from 'node:crypto';
import { copyFileSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'vite';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const dist = join(root, 'dist');
const kFiles = [
  '/to_host.js',
  '/offline.html',
  '/offline.css',
  '/favicon.svg',
  '/icons/icon-192.png',
  '/icons/badge-96.png',
];
// Further files to keep, which the index does not name: the other language, and the font.
const kMoreAssets = /^(zh-.*\.js|.*\.woff2)$/;

const namedBy = (page) => [...page.matchAll(/(?:src|href)="(\/assets\/[^"]+)"/g)].map(([, path]) => path);
const index = readFileSync(join(dist, 'index.html'), 'utf8');
const host = readFileSync(join(dist, 'host/index.html'), 'utf8');
const named = namedBy(index);
const others = namedBy(host).filter((path) => path.endsWith('.js') && !named.includes(path));
const more = readdirSync(join(dist, 'assets'))
  .filter((name) => kMoreAssets.test(name))
  .map((name) => `/assets/${name}`);
const assets = [...new Set([...named, ...more])].sort();
if (named.length === 0 || others.length === 0)
  throw new Error('dist/index.html or dist/host/index.html names no files');

const hash = createHash('sha256');
for (const name of readdirSync(join(dist, 'assets')).sort()) hash.update(name);
hash.update(index);
hash.update(host);
for (const path of kFiles) hash.update(readFileSync(join(dist, path)));
const shell = { version: hash.digest('hex').slice(0, 16), assets, others, files: kFiles, offline: '/offline.html' };

await build({
  root,
  configFile: false,
  publicDir: false,
  logLevel: 'warn',
  resolve: { alias: { '@': join(root, 'src') } },
  define: { __SHELL_FILES__: JSON.stringify(shell) },
  build: {
    outDir: dist,
    emptyOutDir: false,
    target: 'es2022',
    lib: { entry: join(root, 'src/pwa/worker.ts'), formats: ['iife'], name: 'parleyWorker', fileName: () => 'sw.js' },
  },
});
mkdirSync(join(dist, 'console', 'host'), { recursive: true });
for (const name of ['sw.js', 'manifest.webmanifest', 'host/index.html'])
  copyFileSync(join(dist, name), join(dist, 'console', name));
