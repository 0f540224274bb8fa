// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const folders = ['..', '../../host'].map((folder) => fileURLToPath(new URL(folder, import.meta.url)));
const kShared = /\b(plain|link|icon|word|row|tab|jump|option)-button\b/;

const components = folders.flatMap((folder) =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.vue'))
    .map((name) => ({ name, text: readFileSync(`${folder}/${name}`, 'utf8') })),
);

it.each(components)('every button of $name takes a shared class', ({ text }) => {
  const buttons = [...text.matchAll(/<button\b(?:[^>"]|"[^"]*")*>/g)].map(([button]) => button);
  expect(buttons.filter((button) => !kShared.test(button))).toEqual([]);
});

it('every class of the style files is used', () => {
  const folder = fileURLToPath(new URL('.', import.meta.url));
  const sheets = readdirSync(folder).filter((name) => name.endsWith('.css') && name !== 'tokens.css');
  const css = sheets.map((name) => readFileSync(`${folder}/${name}`, 'utf8')).join('\n');
  const names = [...css.matchAll(/^\.([\w-]+)/gm)].map(([, name = '']) => name);
  const all = components.map(({ text }) => text).join('\n');
  const words = new Set(all.match(/[\w-]+/g));
  expect(names.length).toBeGreaterThan(50);
  expect(names.filter((name) => !name.startsWith('q-') && !words.has(name))).toEqual([]);
});
