// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
import { once } from 'node:events';
import { createServer } from 'node:http';

// A provider with one model, which streams the output of reply().
export class ScriptedModel {
  // An error means that the client has closed the connection.
  #server = createServer((request, response) => this.#answer(request, response).catch(() => response.destroy()));

  static async start() {
    const model = new this();
    model.#server.listen(0, '127.0.0.1');
    await once(model.#server, 'listening');
    return model;
  }

  // Lines of parley.toml that make this the default model of runs.
  get settings() {
    const url = `http://127.0.0.1:${this.#server.address().port}/v1`;
    return `[[models.providers]]\nname = "scripted"\nbase_url = "${url}"\nmodels = ["words"]\n`;
  }

  async end() {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, 'close');
  }

  // `write(delta, finish)` sends a piece; the last one has the finish reason. `send(text)` sends an event
  // with any text.
  async reply(_messages, _write, _send) {}

  async #answer(request, response) {
    let body = '';
    for await (const piece of request.setEncoding('utf8')) body += piece;
    response.writeHead(200, { 'Content-Type': 'text/event-stream' });
    await this.reply(
      JSON.parse(body).messages,
      (delta, finish = null) => {
        const chunk = {
          id: 'c',
          object: 'chat.completion.chunk',
          model: 'words',
          choices: [{ index: 0, delta, finish_reason: finish }],
        };
        response.write(`data: ${JSON.stringify(chunk)}\n\n`);
      },
      (text) => response.write(`data: ${text}\n\n`),
    );
    response.end('data: [DONE]\n\n');
  }
}
