import { z } from 'zod';
import { type CodeFields, checkContent, REDIRECTED_TYPES } from '#contract/contents/contents';
import type { Locale } from '#contract/locales';
import { addRule, changeRule } from '#contract/routing';
import {
  type Conditions,
  hasTime,
  type Rule,
  ruleProblems,
  SYSTEMS,
  VARIANTS_LIMIT,
} from '#contract/routing-rules';
import type { RuleInput } from '#contract/routing-schemas';
import { nameOf } from '~/codes/code/codes.server';
import { opensOwnCode } from '~/codes/contents/own-codes.server';
import { errorsOf, handleForm, readForm } from '~/http/form.server';
import { callHost } from '~/http/host.server';
import type { HostError } from '~/http/host-error.server';
import type { UserScope } from '~/http/scope.server';
import { readZone } from '~/http/time-zone.server';
import { readCountries, readLanguages, type Understood } from '~/i18n/places.server';
import { zoneOptions } from '~/i18n/zones.server';
import {
  capitalized,
  conditionsInWords,
  countriesOf,
  languagesOf,
  systemOptions,
  weekdayNames,
} from './rule-words.server';
import { findRule, loadRouting, toRules } from './rules.server';

const WEEKDAYS = [1, 2, 3, 4, 5, 6, 7];
const ROWS = Array.from({ length: VARIANTS_LIMIT }, (_, index) => index + 1);
/** Longer texts are no list of names. */
const NAMES_LENGTH = 2_000;

/** Of the type whose rules hold for every target. */
const NO_FIELDS = { type: REDIRECTED_TYPES[0] } as CodeFields;

const text = z.string().max(NAMES_LENGTH, 'text_too_long').default('');
const box = z.string().optional();

const TextFields = z.object({
  languages: text,
  countries: text,
  from: text,
  to: text,
  startsOn: text,
  endsOn: text,
  timeZone: text,
});
const BOXES = [...SYSTEMS, ...WEEKDAYS.map((day) => `day${day}`)];
const ROW_FIELDS = ROWS.flatMap((row) => [`target${row}`, `percent${row}`, `route${row}`]);
const FIELDS = [...Object.keys(TextFields.shape), ...BOXES, ...ROW_FIELDS];

const record = (names: string[], schema: z.ZodType<string | undefined>) =>
  Object.fromEntries(names.map((name) => [name, schema]));

/** The form of a rule in this language, as the host takes it. */
function schemaFor(locale: Locale) {
  return z
    .object({ ...TextFields.shape, ...record(BOXES, box), ...record(ROW_FIELDS, text) })
    .transform((form, context): z.input<typeof RuleInput> => {
      const typed: Record<string, string | undefined> = form;
      const refuse = (field: string, message: string) =>
        context.addIssue({ code: 'custom', path: [field], message });
      const rule = {
        languages: readCodes(readLanguages(form.languages, locale), (code) =>
          refuse('languages', `language_${code}`),
        ),
        systems: SYSTEMS.filter((system) => typed[system] !== undefined),
        countries: readCodes(readCountries(form.countries, locale), (code) =>
          refuse('countries', `country_${code}`),
        ),
        weekdays: WEEKDAYS.filter((day) => typed[`day${day}`] !== undefined),
        from: form.from || null,
        to: form.to || null,
        startsOn: form.startsOn || null,
        endsOn: form.endsOn || null,
      };
      const rows = filledRows(typed);
      const timeZone = hasTime(rule) ? form.timeZone || null : null;
      const whole = { ...rule, timeZone, variants: readVariants(typed, rows) };
      for (const { path, code } of [...ruleProblems(whole), ...targetProblems(whole)])
        refuse(fieldOf(path.join('/'), rows), code);
      return whole;
    });
}

function readCodes(names: Understood[], refuse: (code: string) => void): string[] {
  return names.flatMap((name) => {
    if ('code' in name) return [name.code];
    refuse(name.meant ? `meant:${name.meant}` : `unknown:${name.typed}`);
    return [];
  });
}

function targetProblems({ variants }: { variants: { target: string }[] }) {
  return variants.flatMap(({ target }, index) =>
    checkContent({ ...NO_FIELDS, content: target }, opensOwnCode).map(({ code }) => ({
      path: ['variants', index, 'target'],
      code: code === 'content_required' ? 'variants_required' : code,
    })),
  );
}

/** Rows of targets that are not left empty; the first has to be filled in. */
function filledRows(typed: Record<string, string | undefined>): number[] {
  return ROWS.filter(
    (row) => row === 1 || Boolean(typed[`target${row}`]?.trim() || typed[`percent${row}`]?.trim()),
  );
}

/** The field at a path of a rule: the variants are those of the rows that are filled in. */
function fieldOf(path: string, rows: number[]): string {
  const [, place, name] = /^variants\/(\d)\/(target|percent)$/.exec(path) ?? [];
  if (name) return `${name}${rows[Number(place)]}`;
  return path === 'variants' ? 'percent1' : path;
}

/** Without any percent the targets share evenly, a target alone has everything. */
function readVariants(typed: Record<string, string | undefined>, rows: number[]) {
  const isEven = rows.every((row) => !typed[`percent${row}`]?.trim()) || rows.length === 1;
  const [even, rest] = [Math.floor(100 / rows.length), 100 % rows.length];
  return rows.map((row, index) => ({
    target: typed[`target${row}`] ?? '',
    percent: isEven ? even + (index < rest ? 1 : 0) : readPercent(typed[`percent${row}`]),
    ...(typed[`route${row}`] && { route: Number(typed[`route${row}`]) }),
  }));
}

/** 0, which no variant may have, for what is no whole number. */
function readPercent(text = ''): number {
  const [, digits] = /^\s*(\d{1,3})\s*%?\s*$/.exec(text) ?? [];
  return Number(digits ?? 0);
}

/** What the form of a rule needs; of a new one if `rule` is null. */
export async function viewRuleForm(scope: UserScope, id: string | undefined, ruleId: string | undefined) {
  const isNew = ruleId === 'new';
  const [loaded, zone] = await Promise.all([loadRouting(scope, id), readZone(scope)]);
  const found = isNew ? null : findRule(loaded, ruleId);
  const { locale } = scope;
  const timeZone = found?.rule.timeZone ?? zone;
  return {
    code: { id: loaded.code.id, name: nameOf(loaded.code) },
    isLocked: loaded.figures === null,
    number: found?.number ?? null,
    conditions: found && conditionsInWords(found.rule, locale),
    values: { timeZone, ...(found && valuesOf(found.rule, locale)) },
    systems: systemOptions(locale),
    weekdays: weekdayNames(locale, 'long').map((name) => capitalized(name, locale)),
    zones: zoneOptions(timeZone, new Date()),
  };
}
export type RuleFormView = Awaited<ReturnType<typeof viewRuleForm>>;

/** A rule as the fields of its form. */
function valuesOf(rule: Rule, locale: Locale): Record<string, string> {
  const { systems, weekdays } = rule;
  const isSplit = rule.variants.length > 1;
  const times: (keyof Conditions)[] = ['from', 'to', 'startsOn', 'endsOn'];
  return Object.fromEntries([
    ['languages', languagesOf(rule, locale).join(', ')],
    ['countries', countriesOf(rule, locale).join(', ')],
    ...systems.map((system) => [system, 'on']),
    ...weekdays.map((day) => [`day${day}`, 'on']),
    ...times.map((name) => [name, rule[name] ?? '']),
    ...rule.variants.flatMap(({ target, percent, route }, index) => [
      [`target${index + 1}`, target],
      [`percent${index + 1}`, isSplit ? String(percent) : ''],
      [`route${index + 1}`, String(route)],
    ]),
  ]);
}

/** Adds a rule, or replaces the one with this id. */
export async function saveRule(scope: UserScope, id: string | undefined, ruleId: string | undefined) {
  const form = await readForm(scope, FIELDS);
  const params = { id: id ?? '' };
  const rows = filledRows(Object.fromEntries(form) as Record<string, string>);
  const errorsIn = (refusal: HostError) => errorsAt(rows, refusal);
  return handleForm(scope, form, schemaFor(scope.locale), errorsIn, async (body) => {
    const isNew = ruleId === 'new';
    const { data: rule } = isNew
      ? await callHost(scope, addRule, { params, body })
      : await callHost(scope, changeRule, { params: { ...params, rule: Number(ruleId) }, body });
    return toRules(id, { type: 'success', key: isNew ? 'rule_added' : 'rule_changed' }, rule.id);
  });
}

function errorsAt(rows: number[], refusal: HostError) {
  const errors = Object.entries(refusal.errors).map(([path, codes]) => [fieldOf(path, rows), codes]);
  return errorsOf({ ...refusal, errors: Object.fromEntries(errors) }, FIELDS);
}
