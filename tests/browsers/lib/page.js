// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
// A page of a real browser, used as a person does: with a pointer and keys. The same for every engine; a subclass sends
// what it does to its engine:
//   run(source)       evaluates JavaScript; resolves with the string to which its promise resolves
//   perform(actions)  presses keys and moves the pointer; `actions` are those of WebDriver, which BiDi shares
//   open(url), reload(), resize(width, height), picture() (a PNG in base64), close()
import { writeFileSync } from 'node:fs';

const kPatienceMs = 60_000;
const kPauseMs = 50;

export const kKeys = { Control: '\uE009', Enter: '\uE007', Escape: '\uE00C', Shift: '\uE008', Tab: '\uE004' };

// In the page: the visible elements of a selector whose text has `words`.
function found(css, words) {
  const isShown = (it) => it.checkVisibility({ checkVisibilityCSS: true }) && it.getClientRects().length > 0;
  return [...document.querySelectorAll(css)].filter(
    (it) => isShown(it) && (it.innerText ?? it.textContent).includes(words),
  );
}

// In the page: where a person can press the element, once it takes presses and stands still; otherwise the reason.
async function aim(found, css, words) {
  const [element] = found(css, words);
  if (element === undefined) return { why: 'it is not there' };
  if (element.disabled || element.getAttribute('aria-disabled') === 'true') return { why: 'it is disabled' };
  if (element.closest('[data-settling=true], [data-ready=false]')) return { why: 'it takes no presses yet' };
  const place = () => element.getBoundingClientRect();
  const isInside = ({ bottom, left, right, top }) =>
    top >= 0 && left >= 0 && bottom <= innerHeight && right <= innerWidth;
  if (!isInside(place())) element.scrollIntoView({ block: 'center', inline: 'center', behavior: 'instant' });
  const before = place();
  await new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)));
  const now = place();
  if (['left', 'top', 'width', 'height'].some((side) => before[side] !== now[side])) return { why: 'it moves' };
  const [x, y] = [Math.round(now.left + now.width / 2), Math.round(now.top + now.height / 2)];
  const hit = document.elementFromPoint(x, y);
  if (!element.contains(hit) && hit?.closest('label') !== element.closest('label'))
    return { why: `it is behind ${hit?.outerHTML.slice(0, 200)}` };
  return { x, y };
}

export class Page {
  // Calls a function in the page with values, none of which it shares with the test.
  async evaluate(call, ...values) {
    const source = `(async () => JSON.stringify({ value: await (${call})(...${JSON.stringify(values)}) }))()`;
    return JSON.parse(await this.run(source)).value;
  }

  // Repeats a call in the page until it is true. A page that is being loaded is not true.
  async until(what, call, ...values) {
    const deadline = Date.now() + kPatienceMs;
    let reason = '';
    for (;;) {
      try {
        const value = await this.evaluate(call, ...values);
        if (value) return value;
        reason = '';
      } catch (error) {
        reason = `: ${error.message}`;
      }
      if (Date.now() > deadline) throw new Error(`it never came true: ${what}${reason}`);
      await new Promise((resolve) => setTimeout(resolve, kPauseMs));
    }
  }

  // The elements of a CSS selector, of which the first that has `words` counts.
  part(css, words = '') {
    return new Part(this, css, words);
  }

  // The same by data-test.
  named(name, words = '') {
    return this.part(`[data-test=${name}]`, words);
  }

  // Presses keys, one after the other; with `held`, while that key is down.
  async press(keys, held) {
    const actions = [...keys].flatMap((value) => [
      { type: 'keyDown', value },
      { type: 'keyUp', value },
    ]);
    if (held) actions.unshift({ type: 'keyDown', value: held });
    if (held) actions.push({ type: 'keyUp', value: held });
    await this.perform([{ type: 'key', id: 'keys', actions }]);
  }

  async pressAt({ x, y }) {
    const actions = [
      { type: 'pointerMove', x, y, duration: 0 },
      { type: 'pointerDown', button: 0 },
      { type: 'pointerUp', button: 0 },
    ];
    await this.perform([{ type: 'pointer', id: 'mouse', parameters: { pointerType: 'mouse' }, actions }]);
  }

  async screenshot(file) {
    writeFileSync(file, Buffer.from(await this.picture(), 'base64'));
  }
}

class Part {
  #page;
  #css;
  #words;

  constructor(page, css, words) {
    this.#page = page;
    this.#css = css;
    this.#words = words;
  }

  get #name() {
    return `${this.#css} "${this.#words}"`;
  }

  // Calls a function in the page with the elements and values.
  #with(call, ...values) {
    return [
      `(css, words, ...values) => (${call})((${found})(css, words), ...values)`,
      this.#css,
      this.#words,
      ...values,
    ];
  }

  async shown() {
    await this.#page.until(`${this.#name} is shown`, ...this.#with((all) => all.length > 0));
    return this;
  }

  async gone() {
    await this.#page.until(`${this.#name} is gone`, ...this.#with((all) => all.length === 0));
  }

  count() {
    return this.#page.evaluate(...this.#with((all) => all.length));
  }

  async text() {
    await this.shown();
    return this.#page.evaluate(...this.#with((all) => all[0].innerText));
  }

  // Calls a function in the page with the element.
  async evaluate(call, ...values) {
    await this.shown();
    return this.#page.evaluate(...this.#with(`(all, ...values) => (${call})(all[0], ...values)`, ...values));
  }

  async until(what, call, ...values) {
    await this.#page.until(
      `${this.#name}: ${what}`,
      ...this.#with(`(all, ...values) => all.length > 0 && (${call})(all[0], ...values)`, ...values),
    );
  }

  async click() {
    const deadline = Date.now() + kPatienceMs;
    for (;;) {
      const place = await this.#page
        .evaluate(`(css, words) => (${aim})(${found}, css, words)`, this.#css, this.#words)
        .catch(({ message }) => ({ why: message }));
      if (place.why === undefined) return this.#page.pressAt(place);
      if (Date.now() > deadline) throw new Error(`${this.#name} could not be pressed: ${place.why}`);
      await new Promise((resolve) => setTimeout(resolve, kPauseMs));
    }
  }

  // Types into the field, which has the focus then.
  async type(words) {
    await this.click();
    await this.until('it has the focus', (it) => it === document.activeElement);
    await this.#page.press(words);
  }
}
