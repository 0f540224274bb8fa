// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
// `make pictures`, into a folder of the test.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';

const kRoot = fileURLToPath(new URL('../../../', import.meta.url));

test('make pictures takes every picture of the documents', () => {
  const folder = mkdtempSync(join(tmpdir(), 'parley-pictures-'));
  try {
    const images = join(folder, 'images');
    mkdirSync(images);
    const env = { ...process.env, PARLEY_PICTURES: images, PARLEY_PICTURE_FOLDER: join(folder, 'shop') };
    const ran = spawnSync(process.execPath, ['pictures.js'], { cwd: join(kRoot, 'tests/e2e'), env, encoding: 'utf8' });
    assert.equal(ran.status, 0, `${ran.stdout}${ran.stderr}`);
    // The pictures of the desktop program have a maker of their own (tests/desktop), the drawing of the wings too.
    const shown = readdirSync(join(kRoot, 'docs/images')).filter(
      (name) => /\.(png|webp)$/.test(name) && !name.startsWith('desktop'),
    );
    assert.deepEqual(readdirSync(images).sort(), shown.sort());
    for (const name of shown) {
      const bytes = readFileSync(join(images, name));
      assert.ok(
        name.endsWith('.png') ? bytes.subarray(1, 4).toString() === 'PNG' : bytes.subarray(8, 12).toString() === 'WEBP',
        name,
      );
      assert.ok(bytes.length > 10_000, `${name} shows nothing`);
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
