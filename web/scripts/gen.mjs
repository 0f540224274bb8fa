// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
// Generates src/gen from the protocol file with protoc and protoc-gen-es.
import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const out = join(root, 'src', 'gen');
mkdirSync(out, { recursive: true });

const protoc = process.env.PROTOC ?? 'protoc';
const run = spawnSync(
  protoc,
  [
    '-I', join(root, '..', 'proto'),
    `--plugin=protoc-gen-es=${join(root, 'node_modules', '.bin', 'protoc-gen-es')}`,
    `--es_out=${out}`,
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
const file = join(out, 'agentassist_pb.ts');
writeFileSync(file, `/* eslint-disable */\n${readFileSync(file, 'utf8')}`);
