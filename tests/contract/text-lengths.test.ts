import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { z } from 'zod';
import type { Call } from '#contract/call';
import { DeclarationForm } from '#contract/contract-end';
import { foldLabel, readName, readTags, tagsText } from '#contract/labels';
import { checkCaption, tidyCaption } from '#contract/style-rules';
import { TicketForm } from '#contract/tickets';
import { MARKS } from '../fuzz/hostile-values';
import { valuesOf } from '../fuzz/schema-values';
import { expectWithinTime } from '../support/time-limit';

const modules = import.meta.glob<Record<string, unknown>>('/contract/*.ts', { eager: true });
const schemas = Object.values(modules)
  .flatMap((exported) => Object.values(exported).filter(isCall))
  .flatMap(({ name, params, query, body, form }) =>
    Object.entries({ params, query, body, form }).flatMap(([part, schema]) =>
      schema ? [[`${part} of ${name}`, schema] as const] : [],
    ),
  );

function isCall(value: unknown): value is Call {
  return typeof value === 'object' && value !== null && 'access' in value && 'path' in value;
}

/** Copies of a value, each with one of its strings replaced by `text`. */
function withTextIn(value: unknown, text: string): { where: string; value: unknown }[] {
  if (typeof value === 'string') return [{ where: '', value: text }];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, held]) =>
    withTextIn(held, text).map((spoiled) => ({
      where: `${name} ${spoiled.where}`,
      value: Array.isArray(value)
        ? value.with(Number(name), spoiled.value)
        : { ...value, [name]: spoiled.value },
    })),
  );
}

test.each(schemas)('the %s does not normalise a text before its length is known', (_, schema: z.ZodType) => {
  for (const value of fc.sample(valuesOf(schema, {}), { numRuns: 12, seed: 7 })) {
    for (const mutated of withTextIn(value, MARKS))
      expectWithinTime(() => schema.safeParse(mutated.value), mutated.where);
  }
});

test.each<[string, (text: string) => unknown]>([
  ['readName', readName],
  ['readTags', (text) => readTags([text])],
  ['tagsText', (text) => tagsText.safeParse(text)],
  ['foldLabel', foldLabel],
  ['the caption of a frame', (text) => checkCaption(tidyCaption(text))],
])('%s handles a long text quickly', (_, read) => {
  for (const text of [MARKS, 'a,'.repeat(500_000), `["${'a","'.repeat(300_000)}"]`, '['.repeat(1_000_000)])
    expectWithinTime(() => read(text), text.slice(0, 10));
});

test('texts of the maximum length are accepted in decomposed form, too', () => {
  const greek = '\u1f82';
  expect(greek.normalize('NFD')).toHaveLength(4);
  expect(readName(greek.repeat(80).normalize('NFD'))).toEqual({ name: greek.repeat(80) });
  expect(readTags([greek.repeat(30).normalize('NFD')])).toEqual({ tags: [greek.repeat(30)] });
  expect(tidyCaption(greek.repeat(30).normalize('NFD'))).toBe(greek.repeat(30));
  const ticket = TicketForm.parse({
    email: 'ada@mail.example',
    firstname: greek.repeat(100).normalize('NFD'),
    lastname: 'Lovelace',
    subject: 'question',
    message: `${greek.repeat(2_499)}\r\n`.repeat(2).normalize('NFD'),
  });
  expect(ticket).toMatchObject({
    firstname: greek.repeat(100),
    message: expect.stringMatching(/^.{2499}\n/),
  });
  const declared = { name: greek.repeat(200).normalize('NFD'), email: 'ada@mail.example' };
  expect(DeclarationForm.parse(declared).name).toBe(greek.repeat(200));
});
