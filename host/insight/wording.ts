import type { CodeType } from '#contract/codes';
import { contentLine } from '#contract/contents/contents';
import { LOCALES, type Locale } from '#contract/locales';
import { displayedContent } from '#host/codes/contents/contents';
import { fillText } from '#host/invoices/wording';
import { INSIGHT_PHRASES, STATISTICS_TEXTS } from '#host/mail/texts';

/** Codes listed in a mail; of the others only the number is told. */
const LISTED = 20;

/** `1 visit`, `1,234 visits`. */
export function visitsText(count: number, locale: Locale): string {
  const { counts } = STATISTICS_TEXTS[locale];
  const text = pluralOf(locale, count) === 'one' ? counts.visits_one : counts.visits_other;
  return fillText(text, { number: numberText(count, locale) });
}

export function numberText(count: number, locale: Locale): string {
  return count.toLocaleString(LOCALES[locale].tag);
}

export function shareText(share: number, locale: Locale): string {
  return share.toLocaleString(LOCALES[locale].tag, { style: 'percent', maximumFractionDigits: 1 });
}

/** A calendar day, `Monday 2 March`. */
export function dayText(date: string, locale: Locale): string {
  const format = { weekday: 'long', day: 'numeric', month: 'long', timeZone: 'UTC' } as const;
  return new Intl.DateTimeFormat(LOCALES[locale].tag, format).format(new Date(date));
}

export function daysText({ from, to }: { from: string; to: string }, locale: Locale): string {
  const format = { day: 'numeric', month: 'long', year: 'numeric', timeZone: 'UTC' } as const;
  return new Intl.DateTimeFormat(LOCALES[locale].tag, format).formatRange(new Date(from), new Date(to));
}

/** What a code is called: its name, else its content in a line. */
export function nameOf(code: { type: CodeType; name: string | null; content: string }): string {
  return code.name ?? contentLine({ type: code.type, content: displayedContent(code) });
}

/** A moment of the day in a time zone, `2 March at 14:05`. */
export function momentText(at: Date, locale: Locale, timeZone: string): string {
  const format = { day: 'numeric', month: 'long', hour: '2-digit', minute: '2-digit', timeZone } as const;
  return new Intl.DateTimeFormat(LOCALES[locale].tag, format).format(at);
}

/** The subject of a mail about one code, which it names, or about several. */
export function titleOf(about: 'first_scan' | 'unusual', codes: { name: string }[], locale: Locale): string {
  const phrases = INSIGHT_PHRASES[locale];
  const [first, second] = codes;
  if (first && !second) return fillText(phrases[`${about}_one`], { name: first.name });
  return fillText(phrases[`${about}_several`], { count: numberText(codes.length, locale) });
}

export function listOf(lines: string[], locale: Locale): string {
  const more = lines.length - LISTED;
  if (more <= 0) return lines.join('\n');
  const rest = fillText(INSIGHT_PHRASES[locale].more, { count: numberText(more, locale) });
  return [...lines.slice(0, LISTED), rest].join('\n');
}

function pluralOf(locale: Locale, count: number): Intl.LDMLPluralRule {
  return new Intl.PluralRules(LOCALES[locale].tag).select(count);
}
