// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
import DOMPurify from 'dompurify';
import MarkdownIt, { type Token } from 'markdown-it';
import { markedElement, visibleParts, visibleText } from './visible_text';

// A longer text is shown without formatting.
export const kMaxMarkdownChars = 400_000;

// Text of agents is untrusted: HTML in it is shown as text, the rendered result is sanitised too, and showing it
// sends no requests: remote images become links.
const kInlineImage = /^data:image\/(png|jpeg|gif|webp);base64,[a-z0-9+/=]+$/i;
const kLink = /^(https?:|mailto:)/i;

const markdown = new MarkdownIt({ html: false, linkify: true, breaks: true });
markdown.validateLink = (url) => kLink.test(url.trim()) || kInlineImage.test(url.trim());

markdown.renderer.rules.image = (tokens, index) => {
  const token = tokens[index];
  const source = String(token?.attrGet('src') ?? '');
  const text = token?.content ?? '';
  const escape = markdown.utils.escapeHtml;
  if (kInlineImage.test(source)) return `<img src="${escape(source)}" alt="${escape(text)}">`;
  const label = text === '' ? source : `${text} (${hostOf(source)})`;
  return `<a class="remote-image" href="${escape(source)}">${escape(label)}</a>`;
};

// Each block has the direction of its own text. A list with long numbers has room for them.
const kDirected = new Set([
  'paragraph_open',
  'heading_open',
  'blockquote_open',
  'bullet_list_open',
  'ordered_list_open',
  'list_item_open',
  'th_open',
  'td_open',
]);
const kLongNumber = 100;
const kHugeNumber = 10_000;

interface NumberedList {
  open: Token;
  last: number; // the number of its last item; negative: without numbers
}

function countIn(list: NumberedList | undefined): void {
  if (list) list.last += 1;
}

markdown.core.ruler.push('directions', ({ tokens }) => {
  const lists: NumberedList[] = [];
  for (const token of tokens) {
    if (kDirected.has(token.type)) token.attrSet('dir', 'auto');
    if (token.type === 'ordered_list_open') lists.push({ open: token, last: Number(token.attrGet('start') ?? 1) - 1 });
    else if (token.type === 'bullet_list_open') lists.push({ open: token, last: -Infinity });
    else if (token.type === 'list_item_open') countIn(lists.at(-1));
    else if (token.type.endsWith('_list_close')) {
      const list = lists.pop();
      if (list && list.last >= kLongNumber)
        list.open.attrJoin('class', list.last >= kHugeNumber ? 'numbers-huge' : 'numbers-long');
    }
  }
});

markdown.renderer.rules.table_open = () => '<div class="table-scroll"><table>';
markdown.renderer.rules.table_close = () => '</table></div>';

function hostOf(url: string): string {
  try {
    return new URL(url).host;
  } catch {
    return url;
  }
}

const kTags = [
  'a',
  'b',
  'blockquote',
  'br',
  'code',
  'del',
  'div',
  'em',
  'h1',
  'h2',
  'h3',
  'h4',
  'h5',
  'h6',
  'hr',
  'i',
  'img',
  'li',
  'ol',
  'p',
  'pre',
  's',
  'span',
  'strong',
  'table',
  'tbody',
  'td',
  'th',
  'thead',
  'tr',
  'ul',
];
const kAttributes = ['alt', 'class', 'dir', 'href', 'src', 'start', 'title'];

const purifier = DOMPurify(window);
purifier.addHook('afterSanitizeAttributes', (node) => {
  if (node.tagName === 'A') {
    if (!kLink.test(node.getAttribute('href') ?? '')) node.removeAttribute('href');
    node.setAttribute('target', '_blank');
    node.setAttribute('rel', 'noopener noreferrer nofollow');
  }
  if (node.tagName === 'IMG' && !kInlineImage.test(node.getAttribute('src') ?? '')) node.remove();
});

// The allowed elements and attributes of some HTML, outside the document.
function cleanFragment(html: string): DocumentFragment {
  const fragment = purifier.sanitize(html, {
    ALLOWED_TAGS: kTags,
    ALLOWED_ATTR: kAttributes,
    ALLOW_DATA_ATTR: false,
    ALLOW_ARIA_ATTR: false,
    RETURN_DOM_FRAGMENT: true,
  });
  for (const link of fragment.querySelectorAll('a')) tellTarget(link);
  markHidden(fragment);
  return fragment;
}

export function sanitise(html: string): string {
  const root = document.createElement('div');
  root.append(cleanFragment(html));
  return root.innerHTML;
}

// Adds the target to a link whose text is not its target.
function tellTarget(link: HTMLAnchorElement): void {
  const href = link.getAttribute('href') ?? '';
  if (href === '' || link.classList.contains('remote-image')) return;
  const bare = (text: string) =>
    text
      .trim()
      .replace(/^(https?:\/\/|mailto:)/i, '')
      .replace(/\/$/, '');
  const words = bare(link.textContent ?? '');
  const isTarget = words === bare(href) || words === bare(decoded(href));
  if (isTarget && !hasUser(href)) return;
  const place = document.createElement('span');
  place.className = 'link-target';
  place.textContent = ` (${/^mailto:/i.test(href) ? bare(href) : hostOf(href)})`;
  link.append(place);
}

function decoded(href: string): string {
  try {
    return decodeURI(href);
  } catch {
    return href;
  }
}

// True for a URL with a user part, which can imitate another host: "https://bank.example@evil.example/".
function hasUser(href: string): boolean {
  return /^https?:\/\/[^/?#]*@/i.test(href);
}

// A block of code: its text as it came, and what the fence says after its marks.
export interface CodeText {
  text: string;
  info: string;
}

export interface ReadMarkdown {
  fragment: DocumentFragment; // sanitised; a pre for each block of code
  codes: CodeText[]; // in the order of the pre elements
  hidden: number; // marked hidden characters
}

function markHidden(fragment: DocumentFragment): void {
  for (const element of fragment.querySelectorAll('[title], [alt]')) {
    for (const name of ['title', 'alt']) {
      const text = element.getAttribute(name);
      if (text !== null) element.setAttribute(name, visibleText(text));
    }
  }
  const walker = document.createTreeWalker(fragment, NodeFilter.SHOW_TEXT);
  const texts: Text[] = [];
  while (walker.nextNode()) texts.push(walker.currentNode as Text);
  for (const node of texts) {
    const parts = visibleParts(node.data);
    if (parts.every((part) => part.hidden === '')) continue;
    node.replaceWith(...parts.map((part) => (part.hidden === '' ? part.text : markedElement(part))));
  }
}

export function renderMarkdown(text: string): string {
  return sanitise(markdown.render(text));
}

// `flows`: a line end within a paragraph is a space.
export function readMarkdown(text: string, flows = false): ReadMarkdown {
  const tokens = markdown.parse(text, {});
  const codes = tokens
    .filter((token) => token.type === 'fence' || token.type === 'code_block')
    .map((token) => ({ text: token.content, info: token.info }));
  const fragment = cleanFragment(markdown.renderer.render(tokens, { ...markdown.options, breaks: !flows }, {}));
  return { fragment, codes, hidden: fragment.querySelectorAll('mark.hidden-character').length };
}

// A text, possibly cut anywhere, on one line and without the most visible marks. Cheap, for boxes and rows that
// are rendered in every frame.
export function withoutMarks(text: string): string {
  return text
    .replace(/```\w*/g, ' ')
    .replace(/[`*]+|^#+ /gm, '')
    .replace(/\s+/g, ' ')
    .trim();
}

// The first words of a text without its marks, for one line.
export function plainLine(text: string, limit = 240): string {
  const words: string[] = [];
  for (const token of markdown.parse(text.slice(0, limit * 4), {})) {
    if (token.type === 'fence' || token.type === 'code_block') words.push(token.content);
    for (const part of token.children ?? []) {
      words.push(part.type.endsWith('break') ? ' ' : part.content);
    }
    words.push(' ');
  }
  const plain = words.join('').replace(/\s+/g, ' ').trim();
  return visibleText(plain.length > limit ? `${plain.slice(0, limit)}…` : plain);
}
