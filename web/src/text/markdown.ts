// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
import DOMPurify from 'dompurify';
import MarkdownIt from 'markdown-it';

// Agent text is not to be trusted: HTML in it is shown as text, the rendered result is sanitised
// all the same, and nothing is fetched from elsewhere by looking at it: a remote image becomes a
// link.
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
  'a', 'b', 'blockquote', 'br', 'code', 'del', 'div', 'em', 'h1', 'h2', 'h3', 'h4', 'h5', 'h6',
  'hr', 'i', 'img', 'li', 'ol', 'p', 'pre', 's', 'span', 'strong', 'table', 'tbody', 'td', 'th',
  'thead', 'tr', 'ul',
];
const kAttributes = ['alt', 'class', 'href', 'src', 'start', 'title'];

const purifier = DOMPurify(window);
purifier.addHook('afterSanitizeAttributes', (node) => {
  if (node.tagName === 'A') {
    if (!kLink.test(node.getAttribute('href') ?? '')) node.removeAttribute('href');
    node.setAttribute('target', '_blank');
    node.setAttribute('rel', 'noopener noreferrer nofollow');
  }
  if (node.tagName === 'IMG' && !kInlineImage.test(node.getAttribute('src') ?? '')) node.remove();
});

export function sanitise(html: string): string {
  return purifier.sanitize(html, {
    ALLOWED_TAGS: kTags,
    ALLOWED_ATTR: kAttributes,
    ALLOW_DATA_ATTR: false,
    ALLOW_ARIA_ATTR: false,
  });
}

export function renderMarkdown(text: string): string {
  return sanitise(markdown.render(text));
}

// A text that is cut anywhere, in one line and without the marks that stand out most: for boxes and
// rows that are drawn anew by the frame.
export function withoutMarks(text: string): string {
  return text.replace(/```\w*/g, ' ').replace(/[`*]+|^#+ /gm, '').replace(/\s+/g, ' ').trim();
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
  return plain.length > limit ? `${plain.slice(0, limit)}…` : plain;
}
