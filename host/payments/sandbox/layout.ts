import { createHash } from 'node:crypto';
import { escapeHtml } from '#host/mail/layout';

const STYLE = `:root { color-scheme: light dark; font: 1.0625rem/1.5 system-ui, sans-serif }
body { max-width: 30rem; margin: 0 auto; padding: 1rem 1rem 3rem }
h1 { font-size: 1.5rem; line-height: 1.25 }
h2 { font-size: 1.125rem }
.test { padding: .5rem .75rem; border: 2px dashed }
.field { margin: 0 0 1rem }
label, legend { display: block; font-weight: 700 }
.hint { margin: 0; font-size: .9375rem }
input { box-sizing: border-box; width: 100%; min-height: 2.75rem; padding: .5rem; border: 2px solid; border-radius: 4px; font: inherit; background: transparent; color: inherit }
.short { max-width: 9rem }
.error { margin: 0; font-weight: 700; color: #a3200d }
.errors { padding: .25rem 1rem; border: 4px solid #a3200d }
button { min-height: 2.75rem; padding: .5rem 1.25rem; border: 2px solid; border-radius: 4px; font: inherit; font-weight: 700; background: #14203c; color: #fff; cursor: pointer }
button.plain { background: transparent; color: inherit }
:focus-visible { outline: 3px solid #c4361f; outline-offset: 2px }
table { width: 100%; border-collapse: collapse }
caption, th { text-align: start }
th, td { padding: .4rem .8rem .4rem 0; border-bottom: 1px solid; vertical-align: top }
dt { font-weight: 700 }
dd { margin: 0 0 .5rem }
details { margin-top: 2rem }
@media (prefers-color-scheme: dark) { .error { color: #ffb4a5 } .errors { border-color: #ffb4a5 } button { background: #f3efe4; color: #14203c } :focus-visible { outline-color: #ff8a70 } }`;

const STYLE_HASH = createHash('sha256').update(STYLE).digest('base64');

/** The answer to a post leads on to the website, which a browser counts as a target of the form, too. */
export function pagePolicy(publicUrl: string): Record<string, string> {
  const target = new URL(publicUrl).origin;
  return {
    'Content-Security-Policy': `default-src 'none'; style-src 'sha256-${STYLE_HASH}'; base-uri 'none'; form-action 'self' ${target}; frame-ancestors 'none'`,
    'Referrer-Policy': 'no-referrer',
  };
}

/** A whole page of the sandbox. `main` is HTML; `title` is text. */
export function sandboxPage(title: string, appName: string, main: string): string {
  return `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${escapeHtml(title)} – ${escapeHtml(appName)}</title>
<style>${STYLE}</style>
</head>
<body>
<main>
<p class="test">Payment sandbox: no real card is needed and no money moves.</p>
${main}
</main>
</body>
</html>
`;
}

/** `12.34 €` the English way. */
export function euros(cents: number): string {
  return new Intl.NumberFormat('en-GB', { style: 'currency', currency: 'EUR' }).format(cents / 100);
}

export function timeOf(moment: string): string {
  return `<time datetime="${moment}">${moment.slice(0, 16).replace('T', ' ')} UTC</time>`;
}

/** Answered where a page never was or its time is over. */
export function overPage(appName: string): string {
  return sandboxPage(
    'This page is over',
    appName,
    '<h1>This page is over</h1>\n<p>Go back to the website and begin again.</p>',
  );
}
