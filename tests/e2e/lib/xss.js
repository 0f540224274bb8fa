// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
// Texts that run code in a page that shows them as HTML or follows their links.

// A text that runs calls ran(n), where n is its index, so that a failure names it.
const kTexts = [
  (n) => `<script>ran(${n})</script>`,
  (n) => `<SCRIPT SRC="data:text/javascript,ran(${n})"></SCRIPT>`,
  (n) => `<scr<script>ipt>ran(${n})</scr</script>ipt>`,
  (n) => `<img src=x onerror="ran(${n})">`,
  (n) => `<img/src=x/onerror=ran(${n})>`,
  (n) => `<IMG SRC=x OnErRoR=ran(${n})//`,
  (n) => `"><img src=x onerror=ran(${n})>`,
  (n) => `'><img src=x onerror=ran(${n})>`,
  (n) => `\`><img src=x onerror=ran(${n})>`,
  (n) => `</textarea></title></style></script><img src=x onerror=ran(${n})>`,
  (n) => `<svg onload=ran(${n})>`,
  (n) => `<svg><script>ran(${n})</script></svg>`,
  (n) => `<svg><animate onbegin=ran(${n}) attributeName=x dur=1s>`,
  (n) => `<svg><a xlink:href="javascript:ran(${n})"><text y=20>x</text></a></svg>`,
  (n) =>
    `<svg><use href="data:image/svg+xml,<svg id='x' xmlns='http://www.w3.org/2000/svg'><image href='x' onerror='ran(${n})'/></svg>#x"/></svg>`,
  (n) => `<math><mtext><table><mglyph><style><img src=x onerror=ran(${n})></style></mglyph></table></mtext></math>`,
  (n) => `<math><a xlink:href="javascript:ran(${n})">x</a></math>`,
  (n) => `<iframe srcdoc="<script>parent.ran(${n})</script>"></iframe>`,
  (n) => `<iframe src="javascript:parent.ran(${n})"></iframe>`,
  (n) => `<object data="javascript:ran(${n})"></object>`,
  (n) => `<embed src="javascript:ran(${n})">`,
  (n) => `<video><source onerror=ran(${n})></video>`,
  (n) => `<video src=x onerror=ran(${n})></video>`,
  (n) => `<audio src=x onerror=ran(${n})></audio>`,
  (n) => `<details open ontoggle=ran(${n})>x</details>`,
  (n) => `<input autofocus onfocus=ran(${n})>`,
  (n) => `<div onmouseover=ran(${n}) style="position:fixed;inset:0">x</div>`,
  (n) => `<style>@keyframes k{from{opacity:1}}</style><p style="animation:k 1s" onanimationstart=ran(${n})>x</p>`,
  (n) => `<form action="javascript:ran(${n})"><button>x</button></form>`,
  (n) => `<button formaction="javascript:ran(${n})" form=x>x</button>`,
  (n) => `<meta http-equiv=refresh content="0;url=javascript:ran(${n})">`,
  (n) => `<base href="javascript:ran(${n})//">`,
  (n) => `<link rel=stylesheet href="data:text/css,*{color:red}" onload=ran(${n})>`,
  (n) => `<a href="javascript:ran(${n})">x</a>`,
  (n) => `<a href="java&#x09;script:ran(${n})">x</a>`,
  (n) => `<template><img src=x onerror=ran(${n})></template>`,
  (n) => `<noscript><p title="</noscript><img src=x onerror=ran(${n})>">`,
  // Markdown.
  (n) => `[x](javascript:ran(${n}))`,
  (n) => `[x](JaVaScRiPt:ran(${n}))`,
  (n) => `[x](&#106;avascript:ran(${n}))`,
  (n) => `[x](java&Tab;script:ran(${n}))`,
  (n) => `[x](  javascript:ran(${n}))`,
  (n) => `[x](vbscript:ran(${n}))`,
  (n) => `[x](data:text/html;base64,${Buffer.from(`<script>opener.ran(${n})</script>`).toString('base64')})`,
  (n) => `[x](data:text/html,<script>ran(${n})</script>)`,
  (n) => `[x](blob:ran(${n}))`,
  (n) => `[x]: javascript:ran(${n})\n\n[x]`,
  (n) => `<javascript:ran(${n})>`,
  (n) => `![x](javascript:ran(${n}))`,
  (n) => `![x" onerror="ran(${n})](x)`,
  (n) => `![x](x "y" onerror="ran(${n})")`,
  (n) =>
    `![x](data:image/svg+xml;base64,${Buffer.from(`<svg xmlns="http://www.w3.org/2000/svg" onload="parent.ran(${n})"/>`).toString('base64')})`,
  (n) => `[![x](y" onload="ran(${n}))](javascript:ran(${n}))`,
  (n) => `<https://a.example/"onmouseover="ran(${n})>`,
  (n) => `https://a.example/"onmouseover="ran(${n})`,
  (n) => `[x](https://a.example/ "\\" onmouseover=\\"ran(${n})")`,
  (n) => `\`<img src=x onerror=ran(${n})>\``,
  (n) => `| <img src=x onerror=ran(${n})> |\n| --- |\n| "onmouseover="ran(${n}) |`,
  (n) => `# <img src=x onerror=ran(${n})>`,
  (n) => `- [ ] <img src=x onerror=ran(${n})>`,
  (n) => `\`\`\`html\n<img src=x onerror=ran(${n})>\n\`\`\``,
  (n) => `\`\`\`"><img src=x onerror=ran(${n})>\nx\n\`\`\``,
  (n) => `\`\`\`mermaid\ngraph TD\nA["<img src=x onerror=ran(${n})>"] --> B\nclick A "javascript:ran(${n})"\n\`\`\``,
  (n) =>
    `\`\`\`mermaid\n%%{init: {"securityLevel": "loose", "flowchart": {"htmlLabels": true}}}%%\ngraph TD\nA[<script>ran(${n})</script>]\n\`\`\``,
  (n) => `\`\`\`svg\n<svg onload=ran(${n})>\n\`\`\``,
  (n) => `$$\\href{javascript:ran(${n})}{x}$$`,
  // Templates of the page's framework.
  (n) => `{{constructor.constructor('ran(${n})')()}}`,
  (n) => `<div v-html="'<img src=x onerror=ran(${n})>'" :x="ran(${n})" @vue:mounted="ran(${n})">x</div>`,
];

export const kCorpus = kTexts.map((make, at) => make(at));
// Texts of one line, for names and titles.
export const kLines = kCorpus.filter((text) => !text.includes('\n') && text.length <= 120);

// Options of a browser that ignores Content-Security-Policy, so that only the page itself can
// neutralise a text.
export const kWithoutPolicy = { bypassCSP: true };

// Records from now on, in every document of the page: `ran`, texts that ran; `asked`, foreign requests.
export async function watched(page, own) {
  const seen = { ran: [], asked: [] };
  await page.exposeFunction('ran', (n) => seen.ran.push(`${n}: ${kCorpus[n] ?? 'a text'}`));
  page.on('dialog', (dialog) => {
    seen.ran.push(`dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  page.on('popup', (popup) => seen.ran.push(`popup: ${popup.url()}`));
  page.on('request', (request) => {
    if (!new RegExp(`^(${own}/|data:|blob:)`).test(request.url())) seen.asked.push(request.url());
  });
  page.on('framenavigated', (frame) => {
    if (frame !== page.mainFrame()) seen.asked.push(`frame: ${frame.url()}`);
  });
  return seen;
}

// Elements and attributes in `root` that could run or load something and are not of the page itself. Also
// sends a mouseover to each element.
export const oddities = (root) =>
  root.evaluate((top) => {
    const odd = [];
    for (const element of [top, ...top.querySelectorAll('*')]) {
      element.dispatchEvent(new MouseEvent('mouseover'));
      const is = (words) => odd.push(`${words}: ${element.outerHTML.slice(0, 300)}`);
      if (
        element.matches(
          'script, iframe, frame, object, embed, form:not([data-test]), meta, link, base, style, math, template, foreignObject, use, animate, svg image, svg a',
        )
      )
        is('element');
      for (const { name, value } of element.attributes) {
        if (/^on|^srcdoc$|^formaction$|^xlink:/i.test(name)) is(name);
        if (
          /^(href|src|action|data|poster)$/i.test(name) &&
          !/^(https?:|mailto:|blob:|#|\/|data:image\/(png|jpeg|gif|webp);)/i.test(value.trim())
        )
          is(`${name}=${value}`);
      }
      if (
        element.closest('.markdown') &&
        element.closest('.markdown') !== element &&
        (element.id !== '' || element.hasAttribute('style') || element.hasAttribute('name'))
      )
        is('id, name or style');
    }
    return odd;
  });
