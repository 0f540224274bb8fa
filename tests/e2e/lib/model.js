// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
import { ScriptedModel } from '../../lib/scripted_model.mjs';

// A model that replies with words, one at a time, and pauses where the test tells it.
export class Model extends ScriptedModel {
  #release = () => undefined;
  #held = Promise.resolve();
  #holdAt = Infinity;
  words = Array.from({ length: 40 }, (_, at) => `word${at + 1} `);

  // Replies pause before the word with this index until release().
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
    await super.end();
  }

  async reply(_messages, write) {
    for (const [at, word] of this.words.entries()) {
      if (at >= this.#holdAt) await this.#held;
      write({ content: word });
    }
    write({}, 'stop');
  }
}
