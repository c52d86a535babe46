import type { z } from 'zod';
import type { CodeChange } from '#contract/code-changes';
import { LOCALES, type Locale } from '#contract/locales';
import { type RoutingChange, RoutingView } from '#contract/routing-schemas';
import { i18nOf } from '~/i18n/messages.server';
import { formatDateTime, formatNumber } from '~/ui/format';
import { conditionsInWords } from './rule-words.server';

type Part = keyof RoutingChange;
type Change = z.infer<typeof CodeChange>;
type Stored = { [P in Part]: NonNullable<z.infer<typeof RoutingView>[P]> };

/**
 * The changes of a code, newest first, each with what it changed about where the code leads: both sides in words, and
 * whether the earlier one can be restored. Null for a change of something else.
 */
export function withRouting<C extends Change>(changes: C[], reader: Reader) {
  return changes.map((change) => {
    const part = partOf(change.field);
    const { before, after } = change;
    if (change.field === 'campaign') return { ...change, routing: campaignChange(change, changes) };
    if (!part) return { ...change, routing: null };
    const now = changes.find(({ field }) => field === part)?.after;
    const canReturn = before !== now && !isPast(part, before);
    return {
      ...change,
      routing: {
        before: linesOf(part, before, after, reader),
        after: linesOf(part, after, before, reader),
        canReturn,
      },
    };
  });
}

/** Its parameters as in an address, but readable. */
function campaignChange({ before, after }: Change, changes: readonly Change[]) {
  const now = changes.find(({ field }) => field === 'campaign')?.after;
  const linesOf = (json: string) =>
    Object.entries<string>(JSON.parse(json || '{}')).map(([name, value]) => `${name}=${value}`);
  return { before: linesOf(before), after: linesOf(after), canReturn: before !== now };
}

interface Reader {
  locale: Locale;
  timeZone: string;
}

function partOf(field: string): Part | undefined {
  return (Object.keys(RoutingView.shape) as Part[]).find((part) => part === field);
}

/** Nothing can end or change in the past. */
function isPast(part: Part, json: string): boolean {
  if (json === '' || (part !== 'end' && part !== 'schedule')) return false;
  const { at } = JSON.parse(json) as { at: string | null };
  return at !== null && Date.parse(at) <= Date.now();
}

/** One side of a change in words; empty for none, and of rules only those that differ from the other side. */
function linesOf(part: Part, json: string, other: string, reader: Reader): string[] {
  if (json === '') return [];
  if (part === 'rules') return ruleLines(readRules(json), readRules(other), reader);
  return LINES[part](JSON.parse(json), reader).filter((line) => typeof line === 'string');
}

type Rules = Stored['rules'];

function readRules(json: string): Rules {
  return json === '' ? [] : (JSON.parse(json) as Rules);
}

/** If only the order differs, the rules that have another number. */
function ruleLines(rules: Rules, others: Rules, { locale }: Reader): string[] {
  const { t } = i18nOf(locale);
  const textOf = (rule: Rules[number] | undefined) => JSON.stringify(rule);
  const isSame = (rule: Rules[number]) => others.some((other) => textOf(other) === textOf(rule));
  const isMoved = rules.length === others.length && rules.every(isSame);
  return rules.flatMap((rule, index) => {
    if (isMoved ? textOf(others[index]) === textOf(rule) : isSame(rule)) return [];
    const targets = rule.variants.map(({ target, percent }) =>
      percent === 100 ? target : t('routing-words:history.share', { percent, target }),
    );
    const conditions = conditionsInWords(rule, locale).join('; ');
    return [t('routing-words:history.rule', { number: index + 1, conditions, targets: targets.join(', ') })];
  });
}

const LINES: {
  [P in Exclude<Part, 'rules'>]: (value: Stored[P], reader: Reader) => (string | null)[];
} = {
  schedule: ({ at, target }, reader) => [
    i18nOf(reader.locale).t('routing-words:history.schedule', { at: timeOf(at, reader), target }),
  ],
  pause: ({ message }, { locale }) => {
    const { t } = i18nOf(locale);
    return [message ? t('routing-words:history.pause', { message }) : t('routing-words:history.ourPause')];
  },
  end: ({ at, visits, target, message }, reader) => {
    const { t } = i18nOf(reader.locale);
    return [
      at && t('routing-words:history.endAt', { at: timeOf(at, reader) }),
      visits === null
        ? null
        : t('routing-words:history.endVisits', {
            visits: formatNumber(visits, LOCALES[reader.locale].tag),
          }),
      target && t('routing-words:history.endTarget', { target }),
      message ? t('routing-words:history.endMessage', { message }) : null,
    ];
  },
};

function timeOf(at: string, { locale, timeZone }: Reader): string {
  return formatDateTime(at, LOCALES[locale].tag, { month: 'short', timeZone });
}
