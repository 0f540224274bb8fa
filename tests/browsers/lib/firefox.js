// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
// Firefox without windows, driven over WebDriver BiDi. Needs Node.js's WebSocket (--experimental-websocket before 22).
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Page } from './page.js';
import { Process } from './process.js';

const kMaxSaid = 65_536; // characters of its output that are kept
const kProgram = process.env.FIREFOX ?? 'firefox-esr';
// Nothing is fetched but the pages of the tests; the usual locale.
const kSettings = {
  'app.normandy.enabled': false,
  'app.update.disabledForTesting': true,
  'browser.aboutwelcome.enabled': false,
  'browser.safebrowsing.downloads.remote.enabled': false,
  'browser.safebrowsing.update.enabled': false,
  'browser.search.update': false,
  'browser.shell.checkDefaultBrowser': false,
  'browser.startup.page': 0,
  'datareporting.policy.dataSubmissionEnabled': false,
  'dom.push.connection.enabled': false,
  'extensions.update.enabled': false,
  'intl.accept_languages': 'en-US, en',
  'network.captive-portal-service.enabled': false,
  'network.connectivity-service.enabled': false,
  'services.settings.server': 'data:,#remote-settings-dummy/v1',
  'toolkit.telemetry.server': 'data:,',
};

export class Firefox extends Page {
  static title = 'Firefox';
  static minWidth = 375;

  #process = new Process();
  #socket;
  #waiting = new Map();
  #last = 0;
  #context;

  static async launch() {
    const page = new Firefox();
    const { home } = page.#process;
    writeFileSync(
      join(home, 'user.js'),
      Object.entries(kSettings)
        .map(([name, value]) => `user_pref(${JSON.stringify(name)}, ${JSON.stringify(value)});\n`)
        .join(''),
    );
    const child = page.#process.start(kProgram, [
      '--headless',
      '--no-remote',
      '--profile',
      home,
      '--remote-debugging-port=0',
      'about:blank',
    ]);
    await page.#connect(await addressOf(child));
    await page.#send('session.new', { capabilities: {} });
    const { contexts } = await page.#send('browsingContext.getTree', { maxDepth: 0 });
    page.#context = contexts[0].context;
    return page;
  }

  async #connect(address) {
    this.#socket = new WebSocket(`${address}/session`);
    this.#socket.onmessage = ({ data }) => {
      const message = JSON.parse(data);
      const call = this.#waiting.get(message.id);
      this.#waiting.delete(message.id);
      if (message.type === 'error') call?.reject(new Error(`${message.error}: ${message.message}`));
      else call?.resolve(message.result);
    };
    this.#socket.onclose = () => {
      for (const { reject } of this.#waiting.values()) reject(new Error('Firefox has ended'));
    };
    await new Promise((resolve, reject) => {
      this.#socket.onopen = resolve;
      this.#socket.onerror = () => reject(new Error(`no connection to ${address}`));
    });
  }

  #send(method, params) {
    const id = ++this.#last;
    this.#socket.send(JSON.stringify({ id, method, params }));
    return new Promise((resolve, reject) => this.#waiting.set(id, { resolve, reject }));
  }

  async run(source) {
    const answer = await this.#send('script.evaluate', {
      expression: source,
      target: { context: this.#context },
      awaitPromise: true,
      userActivation: false,
    });
    if (answer.type !== 'success') throw new Error(answer.exceptionDetails.text);
    return answer.result.value;
  }

  async perform(actions) {
    await this.#send('input.performActions', { context: this.#context, actions });
  }

  async open(url) {
    await this.#send('browsingContext.navigate', { context: this.#context, url, wait: 'complete' });
  }

  async reload() {
    await this.#send('browsingContext.reload', { context: this.#context, wait: 'complete' });
  }

  async resize(width, height) {
    await this.#send('browsingContext.setViewport', { context: this.#context, viewport: { width, height } });
    await this.until(`the page is ${width} wide`, (wanted) => innerWidth === wanted, width);
  }

  async picture() {
    return (await this.#send('browsingContext.captureScreenshot', { context: this.#context })).data;
  }

  async close() {
    await this.#process.end();
  }
}

// Resolves with the address that Firefox says on stderr.
function addressOf(child) {
  let said = '';
  return new Promise((resolve, reject) => {
    child.stderr.setEncoding('utf8').on('data', (text) => {
      if (said.length < kMaxSaid) said += text;
      const [, address] = /listening on (ws:\S+)\n/.exec(said) ?? [];
      if (address) resolve(address);
    });
    child.once('exit', () => reject(new Error(`Firefox did not start:\n${said}`)));
    child.once('error', reject);
  });
}
