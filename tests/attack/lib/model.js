// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
import { ScriptedModel } from '../../lib/scripted_model.mjs';

// A model that makes one call, `call`, and then replies with the tool's result.
export class Model extends ScriptedModel {
  call = { name: 'ls', arguments: {} };

  async reply(messages, write) {
    const last = messages.at(-1);
    if (last.role === 'tool') {
      write({ content: `The tool said: ${JSON.stringify(last.content).slice(0, 2_000)}` });
      write({}, 'stop');
      return;
    }
    const { name, arguments: given } = this.call;
    write({
      tool_calls: [{ index: 0, id: 'call_1', type: 'function', function: { name, arguments: JSON.stringify(given) } }],
    });
    write({}, 'tool_calls');
  }
}
