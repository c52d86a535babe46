import { createHash } from 'node:crypto';
import { html, raw } from 'hono/html';
import type { MailRow } from './store';

const STYLE = `:root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif }
body { max-width: 60rem; margin: 0 auto; padding: 1rem }
table { width: 100%; border-collapse: collapse; text-align: start }
caption, th { text-align: start }
th, td { padding: .4rem .8rem .4rem 0; border-bottom: 1px solid; vertical-align: top; overflow-wrap: anywhere }
pre { white-space: pre-wrap; overflow-wrap: anywhere; padding: 1rem; border: 1px solid }`;

const STYLE_HASH = createHash('sha256').update(STYLE).digest('base64');
export const PAGE_POLICY = `default-src 'none'; style-src 'sha256-${STYLE_HASH}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`;

/** The list of kept mails, newest first. */
export function mailboxPage(mails: MailRow[]): string {
  const rows = mails.map(
    ({ id, to, subject, createdAt }) =>
      html`<tr><td><a href="/mailbox/${id}">${subject ?? ''}</a></td><td>${to}</td><td>${timeOf(createdAt)}</td></tr>
`,
  );
  const list = html`<table>
<caption>Mails that were kept instead of sent, newest first</caption>
<thead><tr><th scope="col">Subject</th><th scope="col">To</th><th scope="col">Written</th></tr></thead>
<tbody>
${rows}</tbody>
</table>`;
  return page(
    'Mailbox',
    html`<h1>Mailbox</h1>
${mails.length > 0 ? list : html`<p>No mail yet.</p>`}`,
  );
}

/** One kept mail: its headers, its text, and its links. */
export function mailPage(mail: MailRow): string {
  const { id, to, replyTo, locale, template, subject, text, createdAt, attachments } = mail;
  const head = [
    ['To', to],
    ...(replyTo ? [['Reply to', replyTo]] : []),
    ['Written', timeOf(createdAt)],
    ['Template', `${template}, ${locale}`],
  ];
  const links = linksIn(text ?? '').map((url) => item(url, url));
  const files = attachments.map(({ filename }, index) =>
    item(`/mailbox/${id}/attachments/${index}`, filename),
  );
  return page(
    subject ?? '',
    html`<p><a href="/mailbox">All mails</a></p>
<h1>${subject ?? ''}</h1>
<table><tbody>
${head.map(
  ([name, value]) => html`<tr><th scope="row">${name}</th><td>${value}</td></tr>
`,
)}</tbody></table>
<h2>Text</h2>
<pre>${text ?? ''}</pre>
<p><a href="/mailbox/${id}/html">The same mail as HTML</a></p>
${section('Links', links)}${section('Attachments', files)}`,
  );
}

/** Web addresses in a text, in order, without duplicates. */
export function linksIn(text: string): string[] {
  const found = text.match(/https?:\/\/[^\s<>"]+/g) ?? [];
  return [...new Set(found.map((url) => url.replace(/[.,;:!?)]+$/, '')))];
}

function page(title: string, main: ReturnType<typeof html>): string {
  return String(html`<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<style>${raw(STYLE)}</style>
</head>
<body>
<main>
${main}
</main>
</body>
</html>
`);
}

function section(title: string, items: unknown[]) {
  return items.length > 0
    ? html`<h2>${title}</h2>
<ul>
${items}</ul>
`
    : '';
}

function item(url: string, label: string) {
  return html`<li><a href="${url}">${label}</a></li>
`;
}

function timeOf(date: Date) {
  const moment = date.toISOString();
  return html`<time datetime="${moment}">${moment.slice(0, 19).replace('T', ' ')} UTC</time>`;
}
