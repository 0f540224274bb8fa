// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
// Client of a model's stream over HTTP, for the Node peers.
import http from 'node:http';

const agent = new http.Agent({ keepAlive: true, maxSockets: Infinity });

// Sends one request; `on_delta` is called with each delta of the stream. `signal` aborts it.
export function ask(model, messages, on_delta, signal) {
  return new Promise((resolve, reject) => {
    const body = JSON.stringify({ model: 'scripted', stream: true, messages });
    const headers = { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(body) };
    const request = http.request(
      `${model}/chat/completions`,
      { method: 'POST', agent, headers, signal },
      (response) => {
        let rest = '';
        response.setEncoding('utf8');
        response.on('data', (text) => {
          rest += text;
          const events = rest.split('\n\n');
          rest = events.pop();
          for (const event of events) {
            if (event === 'data: [DONE]') continue;
            const { choices } = JSON.parse(event.slice('data: '.length));
            if (choices.length > 0) on_delta(choices[0].delta);
          }
        });
        response.on('end', resolve);
        response.on('error', reject);
      },
    );
    request.on('error', reject);
    request.end(body);
  });
}
