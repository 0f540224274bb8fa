// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0

// Posts to the server's API, which must accept it.
export async function post(server, path, body) {
  const response = await fetch(`${server.url}${path}`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${server.token}`, 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
  });
  if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
}

export const linkTo = (server, key) => `${server.url}/#/inbox/item/${encodeURIComponent(key)}`;

// An entry of the history with an answer. All are in the past: those of the future would be unread.
function entry(number) {
  const at = 1_700_000_000_000 + number * 1000;
  const key = `made-${number}`;
  const prompt = { text: `Made question ${number}?`, project_directory: '/src/made', agent_name: 'maker' };
  const answer = { is_error: false, contents: [{ type: 'text', text: `Made answer ${number}` }] };
  const outcome = { answer, at: at + 500, client_id: 'x', nickname: 'Ann', reason: '' };
  return { key, kind: 'question', state: 'answered', prompt, opened_at: at, deadline: at + 600_000, outcome };
}

// Lets a page see a history of so many answered questions, which the server does not have.
// `pageSize`: questions of a page, at least.
export async function withHistory(page, count, pageSize = 0) {
  await page.route('**/v1/interactions?state=all*', (route) => {
    const query = new URL(route.request().url()).searchParams;
    const end = Math.min(count, Number(query.get('before') ?? count + 1) - 1);
    const begin = Math.max(0, end - Math.max(Number(query.get('limit')), pageSize));
    const interactions = Array.from({ length: end - begin }, (_, at) => entry(begin + at + 1));
    return route.fulfill({
      json: { epoch: 'made', more: begin > 0, first_change: begin + 1, last_change: end, interactions },
    });
  });
}
