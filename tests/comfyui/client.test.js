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
    // A class of the newer schema, whose list this client does not read.
    const [type, { options }] = nodes.UpscaleModelLoader.input.required.model_name;
    assert.deepEqual([type, options], ['COMBO', ['RealESRGAN_x4plus.pth', '4x-UltraSharp.pth']]);
    assert.equal(nodes.KSampler.output_tooltips.length, 1);
    assert.deepEqual(nodes.PreviewImage.input.required.images, ['IMAGE']);
    assert.ok((await (await fetch(`${server.url}/features`)).json()).max_upload_size > 0);
    assert.ok((await client.getModelFolders()).some(({ name }) => name === 'checkpoints'));
    assert.deepEqual(
      (await client.getModels('loras')).map(({ name }) => name),
      ['add_detail.safetensors', 'pixel_art.safetensors'],
    );
    assert.equal((await client.getSystemStats()).devices.length, 1);
    assert.deepEqual(await client.getEmbeddings(), []);
    assert.deepEqual(await client.getExtensions(), []);
  });

  test('a workflow is queued, followed and returns its picture', async () => {
    const steps = [];
    const result = await client.enqueue(pictureOf({ seed: 11 }), {
      progress: ({ value, max }) => steps.push([value, max]),
    });
    // This client listens only when it has read the answer to its prompt, so that it can miss the first ones.
    assert.ok(steps.length > 0);
    assert.deepEqual(
      steps,
      [1, 2, 3].slice(-steps.length).map((step) => [step, 3]),
    );
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
    const post = async (body) => {
      const refused = await fetch(`${server.url}/prompt`, { method: 'POST', body });
      return [refused.status, refused.status === 400 ? await refused.json() : await refused.text()];
    };
    for (const body of ['', '{"prompt":', '{"prompt":7}']) assert.equal((await post(body))[0], 500, body);
    for (const body of ['{}', '{"prompt":{}}', JSON.stringify({ prompt: { 1: { class_type: 'No', inputs: {} } } })]) {
      const [status, said] = await post(body);
      assert.deepEqual([status, said.node_errors], [400, {}], body);
    }
  });

  test('events have the order of a real server', async () => {
    const socket = new WebSocket(`${server.url.replace('http', 'ws')}/ws?clientId=order`);
    const events = [];
    const ended = new Promise((done) => {
      socket.on('message', (bytes, binary) => {
        if (binary) return;
        const { type, data } = JSON.parse(bytes);
        const states = Object.values(data.nodes ?? {})
          .map(({ state }) => state[0])
          .join('');
        events.push(
          [type, data.node, type === 'progress_state' ? states : undefined]
            .filter((part) => part !== undefined)
            .join(' '),
        );
        if (type === 'executing' && data.node === null) done();
      });
    });
    await new Promise((done) => socket.once('open', done));
    const prompt = {
      1: { class_type: 'LoadImage', inputs: { image: 'example.png' } },
      2: { class_type: 'PreviewImage', inputs: { images: ['1', 0] } },
    };
    await fetch(`${server.url}/prompt`, { method: 'POST', body: JSON.stringify({ prompt, client_id: 'order' }) });
    await ended;
    socket.close();
    assert.deepEqual(events.slice(events.indexOf('execution_start')), [
      'execution_start',
      'execution_cached',
      'progress_state r',
      'executing 1',
      'progress_state f',
      'progress_state fr',
      'executing 2',
      'executed 2',
      'progress_state ff',
      'execution_success',
      'status',
      'executing ',
    ]);
  });

  test('a failing node is reported with its id', async () => {
    const told = next(client, 'execution_error');
    await assert.rejects(client.enqueue(failing), /out of memory|execution|failed/i);
    const error = await told;
    assert.equal(error.node_id, '1');
    assert.equal(error.exception_message, 'out of memory\n');
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
    assert.deepEqual(
      Pending.map((item) => (item.prompt ?? item)[1]),
      [front.prompt_id, first.prompt_id],
    );
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
