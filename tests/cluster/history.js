// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
// What the actors did and were told, for the checker. It knows nothing of the server.

const kFlowing = new Set(
  (
    'message_chunk thought_chunk tool_call_chunk tool_output node_enter node_exit usage updates values custom ' +
    'tot_expand tot_evaluate tot_backtrack got_plan got_node_start got_node_complete got_node_failed got_expand'
  ).split(' '),
);
// Events of these types may be lost with a server although watchers have seen them.
export const isFlowing = (type) => kFlowing.has(type);

export class History {
  questions = new Map(); // by workspace and key
  runs = new Map(); // by id
  sessions = new Map(); // by id: what each reader has seen
  studies = [];
  chats = [];

  #question(space, key) {
    const name = `${space.name} ${key}`;
    if (!this.questions.has(name))
      this.questions.set(name, {
        space: space.name,
        key,
        isAcknowledged: false,
        outcomes: [],
        shown: [],
        attempts: [],
      });
    return this.questions.get(name);
  }

  // A question of an agent, which notes isAcknowledged and what it was told, `outcomes`.
  asked(space, key) {
    return Object.assign(this.#question(space, key), { isAsked: true });
  }

  // An answer that is about to be sent. `won`: undefined until its receipt says.
  attempted(space, key, text) {
    const attempt = { text, won: undefined };
    this.#question(space, key).attempts.push(attempt);
    return attempt;
  }

  // A page was shown that a question has this answer.
  shown(space, key, text) {
    this.#question(space, key).shown.push(text);
  }

  // A run whose start was acknowledged. `watchers`: the frames that each has seen; `isVoid`: it ended in its launch.
  began(space, id) {
    const run = { space, id, isVoid: false, watchers: [] };
    this.runs.set(id, run);
    return run;
  }

  reads(space, session) {
    const seen = [];
    this.sessions.set(session, [...(this.sessions.get(session) ?? []), seen]);
    return seen;
  }

  // A study whose end was acknowledged, with the calls that were answered since its last interruption.
  closed(space, id, calls) {
    this.studies.push({ space, id, calls });
  }

  // A chat; the list takes the id of a message each time that it is sent.
  chatted(space, session) {
    const sent = [];
    this.chats.push({ space, session, sent });
    return sent;
  }
}
