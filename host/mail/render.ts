import { html, raw } from 'hono/html';
import { DARK, LIGHT } from '#contract/colours';
import { elideArticles } from '#contract/date-words';
import { LOCALES, type Locale } from '#contract/locales';
import { getMailText, LAYOUT_TEXTS, type MailText } from './texts';

/** Values available to every mail. */
interface MailSite {
  appName: string;
  contactEmail: string;
  publicUrl: string;
}

export type MailValues = Record<string, string | number>;

export interface RenderedMail {
  subject: string;
  text: string;
  html: string;
}

const PLACEHOLDER = /\{\{\s*(\w+)\s*\}\}/g;
const SITE_VALUES = new Set(['appName', 'contactEmail', 'publicUrl']);
const LINE_BREAKS = /[\p{Cc}\u2028\u2029]+/gu;

/** Placeholders of the template that have no value in `values`. */
export function missingValues(template: string, locale: Locale, values: MailValues): string[] {
  const { subject, heading, lines, action, after = [] } = getMailText(template, locale);
  const placeholders = [subject, heading, ...lines, ...after, action ?? ''].flatMap((line) =>
    [...line.matchAll(PLACEHOLDER)].map(([, name = '']) => name),
  );
  if (action) placeholders.push('actionUrl');
  if (template.startsWith('insight-mail.')) placeholders.push('offUrl');
  return [...new Set(placeholders)].filter((name) => !SITE_VALUES.has(name) && values[name] === undefined);
}

/**
 * A mail as plain text and as HTML, from the same lines. Values are plain text: they never become markup or headers.
 */
export function renderMail(
  template: string,
  locale: Locale,
  values: MailValues,
  site: MailSite,
): RenderedMail {
  const all: MailValues = { ...site, ...values };
  const fill = (line: string) => {
    const filled = line.replace(PLACEHOLDER, (_, name: string) => String(all[name] ?? ''));
    return locale === 'it' ? elideArticles(filled) : filled;
  };
  const content = fillMailText(getMailText(template, locale), fill);
  const layout = LAYOUT_TEXTS[locale];
  const mail = {
    ...content,
    locale,
    appName: site.appName,
    actionUrl: content.action ? webAddress(String(all.actionUrl)) : '',
    notMeUrl: `${site.publicUrl}/forgot-password`,
    link: layout.link,
    signature: fill(layout.signature),
    offUrl: all.offUrl === undefined ? '' : webAddress(String(all.offUrl)),
    off: layout.off,
    footer: fill(all.offUrl === undefined ? layout.footer : layout.footerOfInsight),
  };
  return {
    // A line break in a header would start another header (RFC 5322 §2.2).
    subject: content.subject.replace(LINE_BREAKS, ' ').trim(),
    text: textOf(mail),
    html: htmlOf(mail),
  };
}

function fillMailText(text: MailText, fill: (line: string) => string): Required<MailText> {
  return {
    subject: fill(text.subject),
    heading: fill(text.heading),
    // A line may be just a placeholder, empty in some mails; those are left out.
    lines: text.lines.map(fill).filter(Boolean),
    action: fill(text.action ?? ''),
    after: (text.after ?? []).map(fill),
    notMe: text.notMe ?? '',
  };
}

function textOf(mail: WrittenMail): string {
  const { locale, heading, lines, action, actionUrl, after, notMe, notMeUrl, signature } = mail;
  const { footer, off, offUrl } = mail;
  const colon = locale === 'fr' ? '\u202f:' : ':';
  const parts = [
    heading,
    ...lines,
    action && `${action}${colon}\n${actionUrl}`,
    ...after,
    notMe && `${notMe}${colon}\n${notMeUrl}`,
    signature,
    `-- \n${footer}`,
    offUrl && `${off}${colon}\n${offUrl}`,
  ];
  return `${parts.filter(Boolean).join('\n\n')}\n`;
}

function webAddress(url: string): string {
  const { protocol, href } = new URL(url);
  if (protocol !== 'https:' && protocol !== 'http:') throw new Error('actionUrl must be a web address');
  return href;
}

/** A mail with its values filled in, and the data of its layout. */
type WrittenMail = Required<MailText> & {
  locale: Locale;
  appName: string;
  /** Empty if there is no button. */
  actionUrl: string;
  notMeUrl: string;
  link: string;
  signature: string;
  footer: string;
  off: string;
  /** Empty if the mail cannot be switched off. */
  offUrl: string;
};

const PARAGRAPH = 'margin:0 0 16px;white-space:pre-line;overflow-wrap:anywhere';
const DARK_STYLE = `@media (prefers-color-scheme: dark) {
  body, .sheet { background: ${DARK.paper} !important; color: ${DARK.ink} !important; }
  .soft { color: #b4bccd !important; }
  .rule { border-color: ${DARK.rule} !important; }
  .action { background: ${DARK.accent} !important; color: ${DARK.onSeal} !important; }
  a { color: ${DARK.accent}; }
}`;

/** One column of simple HTML, with inline styles because mail programs drop others; loads nothing external. */
function htmlOf(mail: WrittenMail): string {
  const { locale, subject, appName, heading, lines, after, signature, footer, off, offUrl } = mail;
  const page = html`<!DOCTYPE html>
<html lang="${LOCALES[locale].html}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${subject}</title>
<style>${raw(DARK_STYLE)}</style>
</head>
<body style="margin:0;padding:24px 16px;background:${LIGHT.paper};color:${LIGHT.ink};font:16px/1.6 system-ui,-apple-system,'Segoe UI',sans-serif">
<div class="sheet" style="max-width:560px;margin:0 auto">
<p class="rule" style="margin:0 0 24px;padding:0 0 12px;border-bottom:1px solid ${LIGHT.rule};font-weight:700">${appName}</p>
<h1 style="margin:0 0 16px;font-size:24px;line-height:1.25">${heading}</h1>
${[lines.map(paragraph), action(mail), after.map(paragraph), notMe(mail), paragraph(signature)]}<p class="soft rule" style="margin:32px 0 0;padding:12px 0 0;border-top:1px solid ${LIGHT.rule};color:#4a5468;font-size:14px">${footer}${offUrl && html` <a href="${offUrl}" style="color:inherit">${off}</a>`}</p>
</div>
</body>
</html>
`;
  return String(page);
}

function paragraph(text: string) {
  return html`<p style="${PARAGRAPH}">${text}</p>
`;
}

function notMe({ notMe: label, notMeUrl }: WrittenMail) {
  if (!label) return '';
  return html`<p style="${PARAGRAPH}"><a href="${notMeUrl}">${label}</a></p>
`;
}

function action({ action: label, actionUrl, link }: WrittenMail) {
  if (!label) return '';
  return html`<p style="margin:24px 0"><a class="action" href="${actionUrl}" style="display:inline-block;padding:12px 20px;background:${LIGHT.accent};color:${LIGHT.onSeal};font-weight:700;text-decoration:none;border-radius:4px">${label}</a></p>
<p class="soft" style="margin:0 0 16px;color:#4a5468;font-size:14px;overflow-wrap:anywhere">${link}<br>${actionUrl}</p>
`;
}
