// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
// The stand-in's rules for origins, its deterministic mode, and its command line.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { get } from 'node:http';
import { join } from 'node:path';
import { test } from 'node:test';
import { StandIn, pictureOf } from './lib/stand_in.js';

// With node:http, because fetch() cannot set an Origin.
const statusFor = (url, headers) =>
  new Promise((resolve, reject) => {
    get(url, { headers }, (answer) => {
      answer.resume();
      resolve(answer.statusCode);
    }).once('error', reject);
  });

test('pages of another origin get 403, programs and own pages are served', async () => {
  const server = await StandIn.start();
  try {
    assert.equal(await statusFor(`${server.url}/queue`, {}), 200);
    assert.equal(await statusFor(`${server.url}/queue`, { Origin: server.url }), 200);
    for (const Origin of ['http://127.0.0.1:1', 'https://evil.example', 'null']) {
      assert.equal(await statusFor(`${server.url}/queue`, { Origin }), 403, Origin);
    }
  } finally {
    await server.stop();
  }
});

test('--any-origin admits every page', async () => {
  const server = await StandIn.start('--any-origin');
  try {
    assert.equal(await statusFor(`${server.url}/queue`, { Origin: 'https://page.example' }), 200);
  } finally {
    await server.stop();
  }
});

test('files outside the folders are not served', async () => {
  const server = await StandIn.start();
  try {
    const status = (query) => statusFor(`${server.url}/view?${query}`, {});
    assert.equal(await status('filename=example.png&type=input'), 200);
    assert.equal(await status('filename=..%2Fetc%2Fpasswd'), 400);
    assert.equal(await status('filename=%2Fetc%2Fpasswd'), 400);
    assert.equal(await status('filename=a.png&subfolder=..%2F..'), 403);
    assert.equal(await status('filename=missing.png'), 404);
  } finally {
    await server.stop();
  }
});

test('--deterministic gives the same ids, times and pictures', async () => {
  const runOnce = async () => {
    const server = await StandIn.start('--deterministic');
    try {
      const body = JSON.stringify({ prompt: pictureOf() });
      const { prompt_id } = await (await fetch(`${server.url}/prompt`, { method: 'POST', body })).json();
      let history = {};
      while (!history[prompt_id]) history = await (await fetch(`${server.url}/history/${prompt_id}`)).json();
      const [image] = history[prompt_id].outputs[9].images;
      const picture = await (await fetch(`${server.url}/view?${new URLSearchParams(image)}`)).arrayBuffer();
      return { history, picture: Buffer.from(picture).toString('base64') };
    } finally {
      await server.stop();
    }
  };
  assert.deepEqual(await runOnce(), await runOnce());
});

test('a fault flag applies from the start; wrong flags are refused', async () => {
  const server = await StandIn.start('--inject', '{"fault":"status","route":"/queue","status":503}');
  try {
    assert.equal(await statusFor(`${server.url}/queue`, {}), 503);
    assert.equal(await statusFor(`${server.url}/queue`, {}), 200);
  } finally {
    assert.equal(await server.stop(), 0);
  }
  const program = join(process.env.PARLEY_BIN_DIR ?? '../../build/test/bin', 'parley-fake-comfyui');
  for (const args of [['--port', 'x'], ['--wrong'], ['--inject', '{"fault":"fire"}'], ['--tick']]) {
    const { status, stderr } = spawnSync(program, args, { encoding: 'utf8', timeout: 60_000 });
    assert.equal(status, 2, args.join(' '));
    assert.match(stderr, /^parley-fake-comfyui: /);
  }
});
