import type { Locale } from '#contract/locales';
import { htmlOf, type WrittenMail } from './layout';
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
  const fill = (line: string) => line.replace(PLACEHOLDER, (_, name: string) => String(all[name] ?? ''));
  const content = fillMailText(getMailText(template, locale), fill);
  const layout = LAYOUT_TEXTS[locale];
  const mail = {
    ...content,
    locale,
    appName: site.appName,
    actionUrl: content.action ? webAddress(String(all.actionUrl)) : '',
    link: layout.link,
    signature: fill(layout.signature),
    footer: fill(layout.footer),
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
  };
}

function textOf(mail: WrittenMail): string {
  const { locale, heading, lines, action, actionUrl, after, signature, footer } = mail;
  const colon = locale === 'fr' ? '\u202f:' : ':';
  const parts = [
    heading,
    ...lines,
    action && `${action}${colon}\n${actionUrl}`,
    ...after,
    signature,
    `-- \n${footer}`,
  ];
  return `${parts.filter(Boolean).join('\n\n')}\n`;
}

function webAddress(url: string): string {
  const { protocol, href } = new URL(url);
  if (protocol !== 'https:' && protocol !== 'http:') throw new Error('actionUrl must be a web address');
  return href;
}
