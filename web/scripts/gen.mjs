// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
// Generates src/gen from the protocol file with protoc and protoc-gen-es. A file that is up to date is not
// touched, and a new one is put in its place whole: builds and tests may do this side by side.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const out = join(root, 'src', 'gen');
mkdirSync(out, { recursive: true });
const scratch = mkdtempSync(join(tmpdir(), 'parley-gen-'));
process.on('exit', () => rmSync(scratch, { recursive: true, force: true }));

const protoc = process.env.PROTOC ?? 'protoc';
const run = spawnSync(
  protoc,
  [
    '-I',
    join(root, '..', 'proto'),
    `--plugin=protoc-gen-es=${join(root, 'node_modules', '.bin', 'protoc-gen-es')}`,
    `--es_out=${scratch}`,
    '--es_opt=target=ts',
    join(root, '..', 'proto', 'agentassist.proto'),
  ],
  { stdio: 'inherit' },
);
if (run.error) {
  console.error(`Cannot run ${protoc}: ${run.error.message}. Install protobuf-compiler or set PROTOC.`);
  process.exit(1);
}
if (run.status !== 0) process.exit(run.status ?? 1);

// The generated names have no resemblance to the lint rules of hand-written code.
const name = 'agentassist_pb.ts';
const generated = `/* eslint-disable */\n${readFileSync(join(scratch, name), 'utf8')}`;
const file = join(out, name);
if (!existsSync(file) || readFileSync(file, 'utf8') !== generated) {
  const whole = `${file}.${process.pid}`;
  writeFileSync(whole, generated);
  renameSync(whole, file);
}
