// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
// parley-fake-comfyui as a process, and workflows for it.
import { spawn } from 'node:child_process';
import { join } from 'node:path';

const program = join(process.env.PARLEY_BIN_DIR ?? '../../build/test/bin', 'parley-fake-comfyui');

export class StandIn {
  static async start(...flags) {
    const server = new StandIn();
    // An inherited stderr that stays open would block the test runner.
    server.child = spawn(program, ['--tick', '2', ...flags], { stdio: ['ignore', 'pipe', 'ignore'] });
    process.once('exit', () => server.child.kill('SIGKILL'));
    server.exited = new Promise((resolve) => {
      server.child.once('exit', resolve);
    });
    server.url = await new Promise((resolve, reject) => {
      let said = '';
      server.child.once('error', reject);
      server.child.once('exit', () => reject(new Error(`${program} ended`)));
      server.child.stdout.on('data', (bytes) => {
        said += bytes;
        const ready = /^ready (\S+)$/m.exec(said);
        if (ready) resolve(ready[1]);
      });
    });
    return server;
  }

  get host() {
    return this.url.slice('http://'.length);
  }

  async inject(fault) {
    const answer = await fetch(`${this.url}/fake/inject`, { method: 'POST', body: JSON.stringify(fault) });
    if (!answer.ok) throw new Error(`${answer.status} ${await answer.text()}`);
  }

  async stop() {
    this.child.kill('SIGTERM');
    return this.exited;
  }
}

export function pictureOf({
  text = 'a lighthouse',
  seed = 5,
  steps = 3,
  checkpoint = 'dreamshaper_8.safetensors',
} = {}) {
  const node = (class_type, inputs) => ({ class_type, inputs });
  return {
    3: node('KSampler', {
      model: ['4', 0],
      positive: ['6', 0],
      negative: ['7', 0],
      latent_image: ['5', 0],
      seed,
      steps,
      cfg: 7,
      sampler_name: 'euler',
      scheduler: 'normal',
      denoise: 1,
    }),
    4: node('CheckpointLoaderSimple', { ckpt_name: checkpoint }),
    5: node('EmptyLatentImage', { width: 64, height: 64, batch_size: 1 }),
    6: node('CLIPTextEncode', { text, clip: ['4', 1] }),
    7: node('CLIPTextEncode', { text: '', clip: ['4', 1] }),
    8: node('VAEDecode', { samples: ['3', 0], vae: ['4', 2] }),
    9: node('SaveImage', { images: ['8', 0], filename_prefix: 'check' }),
  };
}

export function slow(ticks) {
  return {
    1: { class_type: 'LoadImage', inputs: { image: 'example.png' } },
    2: { class_type: 'TestSlow', inputs: { image: ['1', 0], ticks } },
    3: { class_type: 'PreviewImage', inputs: { images: ['2', 0] } },
  };
}

export const failing = {
  1: { class_type: 'TestFail', inputs: { message: 'out of memory', image: ['3', 0] } },
  2: { class_type: 'PreviewImage', inputs: { images: ['1', 0] } },
  3: { class_type: 'TestSlow', inputs: { ticks: 5 } },
};
