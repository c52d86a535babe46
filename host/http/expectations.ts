import type { z } from 'zod';

const TYPES: Record<string, string> = {
  string: 'a text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
  record: 'an object',
  null: 'null',
};
const FORMATS: Record<string, string> = {
  uuid: 'an id, as the API gave it',
  date: 'a date such as 2026-12-24',
  datetime: 'a date and time such as 2026-12-24T18:00:00Z',
  url: 'a web address',
};

/** What a program should have sent, by what a schema says of its value; undefined if the schema does not say. */
export function expectationOf(issue: z.core.$ZodIssue): string | undefined {
  const expected = expectedBy(issue);
  return expected && `Send ${expected}.`;
}

function expectedBy(issue: z.core.$ZodIssue): string | undefined {
  switch (issue.code) {
    case 'invalid_type':
      return TYPES[issue.expected];
    case 'invalid_value':
      return alternatives(issue.values.map(String));
    case 'invalid_format':
      return FORMATS[issue.format] ?? (issue.pattern && `a text that matches ${issue.pattern}`);
    case 'too_big':
      return `at most ${counted(issue.maximum, issue.origin)}`;
    case 'too_small':
      return `at least ${counted(issue.minimum, issue.origin)}`;
    case 'invalid_union':
      return alternatives([
        ...new Set(issue.errors.flatMap(([first]) => (first && expectedBy(first)) ?? [])),
      ]);
    default:
      return undefined;
  }
}

function counted(bound: number | bigint, origin: string): string {
  const unit = { string: ' character', array: ' item' }[origin];
  return `${bound.toLocaleString('en')}${unit ? `${unit}${bound === 1 ? '' : 's'}` : ''}`;
}

function alternatives(values: string[]): string | undefined {
  const [last] = values.slice(-1);
  return values.length > 1 ? `${values.slice(0, -1).join(', ')} or ${last}` : last;
}
