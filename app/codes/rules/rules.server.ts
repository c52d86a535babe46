import { data } from '@remix-run/node';
import { z } from 'zod';
import type { ResponseOf } from '#contract/call';
import { isRedirected } from '#contract/contents/contents';
import { LOCALES, type Locale } from '#contract/locales';
import { deleteRule, getRouting, keepVariant, moveRule, type RoutingWarning } from '#contract/routing';
import { RULES_LIMIT, type Rule } from '#contract/routing-rules';
import type { Trial } from '#contract/routing-schemas';
import { PERIODS } from '#contract/statistics';
import { nameOf, orDeletedPage, shortContent } from '~/codes/code/codes.server';
import { type NewNotice, redirectWithFlash } from '~/http/flash.server';
import { errorsOf, handleForm, readForm } from '~/http/form.server';
import { callHost } from '~/http/host.server';
import type { HostError } from '~/http/host-error.server';
import type { UserScope } from '~/http/scope.server';
import { readZone } from '~/http/time-zone.server';
import { i18nOf } from '~/i18n/messages.server';
import { listLanguagesWith } from '~/i18n/places.server';
import { formatDate, formatNumber } from '~/ui/format';
import { conditionsInWords, dayInWords } from './rule-words.server';
import { outcomeInWords, trialForm, tryVisit } from './trial.server';

export type Loaded = ResponseOf<typeof getRouting>['data'];

const FIELDS = ['intent', 'rule', 'position'];

/** Where a link code leads; the page about its deletion if it was deleted, 404 for any other id and type. */
export async function loadRouting(scope: UserScope, id: string | undefined): Promise<Loaded> {
  const asked = scope.url.searchParams.get('period');
  const period = PERIODS.map(String).find((days) => days === asked) ?? '30';
  const asking = callHost(scope, getRouting, { params: { id: id ?? '' }, query: { period } });
  const { data: loaded } = await orDeletedPage(id, asking);
  if (!isRedirected(loaded.code.type)) throw data(null, { status: 404 });
  return loaded;
}

/** The rule with this id and its number in the list from 1; 404 if it is gone. */
export function findRule({ routing }: Loaded, id: string | undefined): { rule: Rule; number: number } {
  const index = routing.rules.findIndex((rule) => String(rule.id) === id);
  const rule = routing.rules[index];
  if (!rule) throw data(null, { status: 404 });
  return { rule, number: index + 1 };
}

/** Data of the page of the rules of a code, in the reader's language. */
export async function viewRules(scope: UserScope, id: string | undefined) {
  const timeZone = await readZone(scope);
  const form = trialForm(scope, timeZone);
  const [loaded, trial] = await Promise.all([loadRouting(scope, id), tryVisit(scope, id ?? '', form)]);
  const { code, routing, figures } = loaded;
  const words = wordsOf(loaded, scope.locale);
  const named = [...routing.rules.flatMap(({ languages }) => languages), form.visit.language];
  const rules = routing.rules.map((rule) => ({
    id: rule.id,
    conditions: conditionsInWords(rule, scope.locale),
    variants: rule.variants.map(words.variant),
    warnings: words.warningsOf(rule.id),
  }));
  return {
    code: { id: code.id, name: nameOf(code) },
    isLocked: figures === null,
    isFull: rules.length >= RULES_LIMIT,
    rules,
    own: words.variant({ route: 0, target: code.content, percent: 100 }),
    schedule: routing.schedule && { at: routing.schedule.at, ...words.targetOf(routing.schedule.target) },
    warnings: words.warningsOf(null),
    figures: figures && words.figures(figures),
    form: { ...form, languages: listLanguagesWith(named.filter(Boolean), scope.locale) },
    trial: trial && viewTrial(trial),
  };

  function viewTrial(answer: Trial) {
    const asked = { trial: answer, visit: form.visit, numberOf: words.numberOf };
    return {
      answer: answer.answer,
      number: answer.rule === null ? null : words.numberOf(answer.rule),
      message: answer.message,
      variants: answer.variants.map(words.variant),
      outcomes: routing.rules.flatMap((rule) => {
        const found = answer.rules.find((one) => one.id === rule.id);
        if (!found) return [];
        const why = outcomeInWords(found, rule, asked, scope.locale);
        return [{ id: rule.id, number: words.numberOf(rule.id), outcome: found.outcome, why }];
      }),
    };
  }
}
export type RulesView = Awaited<ReturnType<typeof viewRules>>;

function wordsOf({ code, routing, warnings, figures }: Loaded, locale: Locale) {
  const { t } = i18nOf(locale);
  const { tag } = LOCALES[locale];
  const numberOf = (rule: number) => routing.rules.findIndex((one) => one.id === rule) + 1;
  const targetOf = (target: string) => ({ target, name: shortContent({ type: code.type, content: target }) });
  const counted = (count: number) => t('routing-words:visits', { count, number: formatNumber(count, tag) });
  return {
    numberOf,
    targetOf,
    variant({ route, target, percent }: Rule['variants'][number]) {
      const found = figures?.routes.find((one) => one.route === route);
      const visits = figures && counted((found?.scans ?? 0) + (found?.clicks ?? 0));
      return { route, percent, visits, ...targetOf(target) };
    },
    warningsOf: (rule: number | null) =>
      warnings
        .filter((warning) => warning.rule === rule)
        .map(({ code, by }) => warningInWords(code, by.map(numberOf), locale)),
    figures({ period, since, earlier }: NonNullable<typeof figures>) {
      const others = earlier.scans + earlier.clicks;
      return {
        days: period.days,
        periods: [...PERIODS],
        note: t('routing-words:period', {
          from: dayInWords(period.from, locale),
          to: dayInWords(period.to, locale),
        }),
        since: since && since > period.from ? formatDate(since, tag) : null,
        earlier: others > 0 ? counted(others) : null,
      };
    },
  };
}

function warningInWords(code: RoutingWarning['code'], by: number[], locale: Locale): string {
  const numbers = new Intl.ListFormat(LOCALES[locale].tag).format(by.map(String));
  return i18nOf(locale).t(`routing-words:warnings.${code}`, { numbers, count: by.length });
}

const ActForm = z.object({
  rule: z.coerce.number().int(),
  position: z.coerce.number().int().min(1).max(RULES_LIMIT).optional(),
});

/** Moves or deletes a rule. */
export async function changeOrder(scope: UserScope, id: string | undefined) {
  const form = await readForm(scope, FIELDS);
  return handleForm(scope, form, ActForm, FIELDS, async ({ rule, position }) => {
    const params = { id: id ?? '', rule };
    if (position === undefined) {
      await callHost(scope, deleteRule, { params });
      return toRules(id, { type: 'success', key: 'rule_deleted' });
    }
    await callHost(scope, moveRule, { params, body: { position } });
    const values = { number: String(position) };
    return toRules(id, { type: 'success', key: 'rule_moved', values }, rule);
  });
}

/** What the page asks before one variant of a split becomes the only target of its rule. */
export async function viewWinner(scope: UserScope, id: string | undefined, rule: string | undefined) {
  const loaded = await loadRouting(scope, id);
  const found = findRule(loaded, rule);
  const route = Number(scope.url.searchParams.get('route'));
  const { variant } = wordsOf(loaded, scope.locale);
  const variants = found.rule.variants.map(variant);
  const winner = variants.find((one) => one.route === route);
  if (!winner) throw data(null, { status: 404 });
  const others = variants.filter((one) => one !== winner);
  return { id: loaded.code.id, rule: found.rule.id, number: found.number, winner, others };
}

/** Makes one variant the only target of its rule. */
export async function keepWinner(scope: UserScope, id: string | undefined, rule: string | undefined) {
  const route = Number(scope.url.searchParams.get('route'));
  // A variant that is gone by now is the only field that can be refused.
  const refuse = (refusal: HostError) =>
    refusal.errors.route ? { formErrors: ['conflict'] } : errorsOf(refusal, []);
  return handleForm(scope, await readForm(scope, []), z.object({}), refuse, async () => {
    const params = { id: id ?? '', rule: Number(rule) };
    await callHost(scope, keepVariant, { params, body: { route } });
    return toRules(id, { type: 'success', key: 'variant_kept' }, Number(rule));
  });
}

/** Back to the list of rules, at one of them. */
export function toRules(id: string | undefined, notice: NewNotice, rule?: number) {
  return redirectWithFlash(`/user/qrcodes/${id}/rules${rule === undefined ? '' : `#rule-${rule}`}`, notice);
}
