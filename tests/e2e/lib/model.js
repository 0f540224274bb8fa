// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
// A model that says words, one at a time, and stops where the test wants it to.
import { once } from 'node:events';
import { createServer } from 'node:http';

export class Model {
  #server = createServer((request, response) => void this.#answer(request, response));
  #release = () => undefined;
  #held = Promise.resolve();
  #holdAt = Infinity;
  words = Array.from({ length: 40 }, (_, at) => `word${at + 1} `);

  static async start() {
    const model = new Model();
    model.#server.listen(0, '127.0.0.1');
    await once(model.#server, 'listening');
    return model;
  }

  // For parley.toml: this is the model of runs that name none.
  get settings() {
    const url = `http://127.0.0.1:${this.#server.address().port}/v1`;
    return `[[models.providers]]\nname = "scripted"\nbase_url = "${url}"\nmodels = ["words"]\n`;
  }

  // Replies stop before this word until they are released.
  holdAt(word) {
    this.#holdAt = word;
    this.#held = new Promise((resolve) => (this.#release = resolve));
  }

  release() {
    this.#holdAt = Infinity;
    this.#release();
  }

  async end() {
    this.release();
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, 'close');
  }

  async #answer(request, response) {
    request.resume();
    response.writeHead(200, { 'Content-Type': 'text/event-stream' });
    const write = (delta, finish = null) => {
      const chunk = { id: 'c', object: 'chat.completion.chunk', model: 'words', choices: [{ index: 0, delta, finish_reason: finish }] };
      response.write(`data: ${JSON.stringify(chunk)}\n\n`);
    };
    for (const [at, word] of this.words.entries()) {
      if (at >= this.#holdAt) await this.#held;
      write({ content: word });
    }
    write({}, 'stop');
    response.end('data: [DONE]\n\n');
  }
}
