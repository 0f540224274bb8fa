// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
// The stand-in for a ComfyUI server must work with @stable-canvas/comfyui-client as a real server does.
import assert from 'node:assert/strict';
import { after, afterEach, before, beforeEach, describe, test } from 'node:test';
import { Client } from '@stable-canvas/comfyui-client';
import WebSocket from 'ws';
import { StandIn, failing, pictureOf, slow } from './lib/stand_in.js';

const isPng = (bytes) => Buffer.from(bytes).subarray(1, 4).toString() === 'PNG';

// The images that are files of the server; this client also lists previews, of type "buff".
const served = ({ images }) => images.filter(({ type }) => type !== 'buff');

// The next event of this kind that fits.
const next = (client, type, fits = () => true) =>
  new Promise((resolve) => {
    const off = client.on(type, (data) => {
      if (!fits(data)) return;
      off();
      resolve(data);
    });
  });

async function bytesOf(image) {
  const answer = await fetch(image.data);
  assert.equal(answer.status, 200);
  assert.equal(answer.headers.get('content-type'), 'image/png');
  return answer.arrayBuffer();
}

describe('@stable-canvas/comfyui-client', () => {
  let server;
  let client;

  before(async () => {
    // enqueue() listens for events only after its answer, so a run must last longer than that.
    server = await StandIn.start('--tick', '20');
  });
  after(() => server.stop());

  beforeEach(async () => {
    client = new Client({ api_host: server.host, clientId: `check-${Math.random()}`, WebSocket, fetch });
    const connected = next(client, 'connected');
    client.connect();
    await connected;
  });
  afterEach(async () => {
    await client.interrupt();
    client.disconnect();
  });

  test('node classes, samplers and models are listed', async () => {
    const nodes = await client.getNodeDefs();
    assert.deepEqual(nodes.KSampler.output, ['LATENT']);
    assert.equal(nodes.SaveImage.output_node, true);
    assert.ok((await client.getSamplers()).includes('euler'));
    assert.ok((await client.getSchedulers()).includes('karras'));
    assert.ok((await client.getSDModels()).includes('dreamshaper_8.safetensors'));
    assert.ok((await client.getLoRAs()).includes('pixel_art.safetensors'));
    assert.ok((await client.getUpscaleModels()).length > 0);
    assert.ok((await client.getModelFolders()).some(({ name }) => name === 'checkpoints'));
    assert.deepEqual((await client.getModels('loras')).map(({ name }) => name), [
      'add_detail.safetensors', 'pixel_art.safetensors',
    ]);
    assert.equal((await client.getSystemStats()).devices.length, 1);
    assert.deepEqual(await client.getEmbeddings(), []);
    assert.deepEqual(await client.getExtensions(), []);
  });

  test('a workflow is queued, followed and returns its picture', async () => {
    const steps = [];
    const result = await client.enqueue(pictureOf({ seed: 11 }), {
      progress: ({ value, max }) => steps.push([value, max]),
    });
    assert.deepEqual(steps, [[1, 3], [2, 3], [3, 3]]);
    assert.equal(served(result).length, 1);
    assert.ok(isPng(await bytesOf(served(result)[0])));
  });

  test('polling finds the same picture', async () => {
    const result = await client.enqueue_polling(pictureOf({ seed: 12 }), { polling_ms: 20 });
    assert.equal(served(result).length, 1);
    assert.ok(isPng(await bytesOf(served(result)[0])));
  });

  test('another seed gives another picture, the same workflow is cached', async () => {
    const picture = async (seed) => served(await client.enqueue_polling(pictureOf({ seed }), { polling_ms: 20 }));
    const [one] = await picture(21);
    const [two] = await picture(22);
    assert.notDeepEqual(Buffer.from(await bytesOf(one)), Buffer.from(await bytesOf(two)));
    const cached = next(client, 'execution_cached');
    const [again] = await picture(22);
    assert.equal((await cached).nodes.length, 7);
    assert.deepEqual(Buffer.from(await bytesOf(again)), Buffer.from(await bytesOf(two)));
  });

  test('previews arrive during the run', async () => {
    const preview = next(client, 'b_preview');
    await client.enqueue(pictureOf({ seed: 31 }));
    const blob = await preview;
    assert.equal(blob.type, 'image/png');
    assert.ok(isPng(await blob.arrayBuffer()));
  });

  test('a bad workflow is refused with node and input', async () => {
    await assert.rejects(client.enqueue(pictureOf({ checkpoint: 'gone.safetensors' })), (error) => {
      const body = error.response ?? error.data ?? error.cause ?? error;
      const text = JSON.stringify(body) + error.message;
      return /400|value_not_in_list|prompt_outputs_failed_validation/.test(text);
    });
    const answer = await fetch(`${server.url}/prompt`, {
      method: 'POST',
      body: JSON.stringify({ prompt: pictureOf({ checkpoint: 'gone.safetensors' }) }),
    });
    assert.equal(answer.status, 400);
    const { error, node_errors } = await answer.json();
    assert.equal(error.type, 'prompt_outputs_failed_validation');
    assert.equal(node_errors[4].errors[0].type, 'value_not_in_list');
    assert.deepEqual(node_errors[4].dependent_outputs, ['9']);
  });

  test('a failing node is reported with its id', async () => {
    const told = next(client, 'execution_error');
    await assert.rejects(client.enqueue(failing), /out of memory|execution|failed/i);
    const error = await told;
    assert.equal(error.node_id, '1');
    assert.equal(error.exception_message, 'out of memory');
  });

  test('interrupt ends the running workflow', async () => {
    const running = next(client, 'progress');
    const { prompt_id } = await client._enqueue_prompt(slow(1_000_000));
    await running;
    assert.deepEqual(await client.getPromptStatus(prompt_id), { running: true, pending: false, done: false });
    const interrupted = next(client, 'execution_interrupted', (data) => data.prompt_id === prompt_id);
    await client.interrupt(prompt_id);
    assert.equal((await interrupted).node_id, '2');
    await client.waitForPrompt(prompt_id, 10);
    const { History } = await client.getHistory();
    assert.equal(History.find(({ prompt }) => prompt[1] === prompt_id).status.completed, false);
  });

  test('waiting workflows are counted, moved to the front, deleted and cleared', async () => {
    const running = next(client, 'progress');
    await client._enqueue_prompt(slow(1_000_000));
    await running;
    const first = await client.queuePrompt(0, { prompt: pictureOf({ seed: 41 }) });
    const front = await client.queuePrompt(-1, { prompt: pictureOf({ seed: 42 }) });
    assert.ok(front.number < first.number);
    const { Pending } = await client.getQueue();
    assert.deepEqual(Pending.map((item) => (item.prompt ?? item)[1]), [front.prompt_id, first.prompt_id]);
    assert.equal((await (await fetch(`${server.url}/api/prompt`)).json()).exec_info.queue_remaining, 3);
    await client.deleteItem('queue', first.prompt_id);
    assert.equal((await client.getQueue()).Pending.length, 1);
    await client.clearItems('queue');
    assert.equal((await client.getQueue()).Pending.length, 0);
  });

  test('the client reconnects after a dropped socket', async () => {
    const again = next(client, 'reconnected');
    await server.inject({ fault: 'drop_socket', after_events: 5 });
    const { prompt_id } = await client._enqueue_prompt(slow(60));
    await again;
    await client.waitForPrompt(prompt_id, 20);
    assert.equal(Object.keys(await client.getPromptOutputs(prompt_id)).length, 1);
  });

  test('history is deleted and cleared', async () => {
    const { prompt_id } = await client._enqueue_prompt(pictureOf({ seed: 51 }));
    await client.waitForPrompt(prompt_id, 10);
    await client.deleteItem('history', prompt_id);
    await assert.rejects(client.getPromptOutputs(prompt_id));
    await client.clearItems('history');
    assert.deepEqual((await client.getHistory()).History, []);
  });
});
