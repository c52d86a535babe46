import { tidyAddress } from '../invisible';
import { completeLink, suggestLink } from '../web-addresses';
import type { OpensCode, TextField } from './content-type';
import { completeMailAddress, suggestMailAddress } from './mail-addresses';
import { completePhoneNumber, phoneProblem } from './phone-numbers';
import { addressProblem, CONTENT_LIMIT, lengthOf, textProblem, tidy, tidyLine } from './text-rules';

// Contents of several texts, such as the name and the numbers of a contact. They are stored as JSON of those that are
// not empty, in the order of their rules.

export const SHORT = { max: 100, units: 400 } as const;
export const LONG = { max: 1_000, units: 4_000, holds: 'lines' } as const;
export const PHONE = { max: 40, units: 200, holds: 'phone' } as const;
export const EMAIL = { max: CONTENT_LIMIT, units: 1_000, holds: 'email' } as const;
export const LINK = { max: CONTENT_LIMIT, units: 2_000, holds: 'link' } as const;

type Rules = Record<string, TextField>;
export type PartsOf<R extends Rules> = { [Name in keyof R]?: string };
type AnyParts = Partial<Record<string, string>>;

/** What all types with such a content have in common. */
export function ofParts<const R extends Rules>(rules: R) {
  const compose = (fields: PartsOf<R>) => {
    const parts = tidyParts(rules, fields);
    return { content: Object.keys(parts).length > 0 ? JSON.stringify(parts) : '' };
  };
  return {
    fields: rules,
    compose,
    counted: (fields: PartsOf<R>) => compose(fields).content,
    parse(content: string): { fields: PartsOf<R> } | { problem: 'content_invalid' } {
      const parts = readJson(content);
      const isKnown = parts !== null && Object.entries(parts).every(([name, text]) => name in rules && text);
      return isKnown ? { fields: parts as PartsOf<R> } : { problem: 'content_invalid' };
    },
    text: (content: string) => Object.values(readParts<AnyParts>(content)).join('\n'),
    links: (content: string) =>
      Object.entries(readParts<AnyParts>(content)).flatMap(([field, link = '']) =>
        rules[field]?.holds === 'link' ? [{ field, link }] : [],
      ),
  };
}

/** The texts of a stored content; none of one that cannot be read. */
export function readParts<Parts extends object>(content: string): Partial<Parts> {
  return (readJson(content) ?? {}) as Partial<Parts>;
}

function readJson(content: string): AnyParts | null {
  try {
    const parts: unknown = JSON.parse(content);
    const isRecord = typeof parts === 'object' && parts !== null && !Array.isArray(parts);
    return isRecord && Object.values(parts).every((text) => typeof text === 'string') ? parts : null;
  } catch {
    return null;
  }
}

/** The entered texts as they are stored, without empty ones. */
export function tidyParts<R extends Rules>(rules: R, fields: PartsOf<R>): PartsOf<R> {
  const entries = Object.entries(rules).map(([name, rule]) => [name, tidyPart(rule, fields[name] ?? '')]);
  return Object.fromEntries(entries.filter(([, text]) => text !== '')) as PartsOf<R>;
}

function tidyPart({ holds }: TextField, entered: string): string {
  // Other control characters become spaces before those at the ends are cut; U+0000 stays, to be refused.
  const text = entered.replace(/\r\n?|[\u2028\u2029]/g, '\n').replace(/[^\P{Cc}\n\0]/gu, ' ');
  if (holds === 'lines') return tidy(text);
  const line = tidyLine(text);
  if (holds === undefined) return line;
  const address = tidyAddress(line);
  return COMPLETE[holds](address) ?? address;
}

const COMPLETE = { phone: completePhoneNumber, email: completeMailAddress, link: completeLink };

/** What is wrong with each text by itself. */
export function checkParts<R extends Rules>(rules: R, fields: PartsOf<R>, opensCode: OpensCode) {
  const parts = tidyParts(rules, fields);
  return Object.entries(rules).flatMap(([field, rule]) => {
    const text = parts[field];
    const code = text === undefined ? null : partProblem(rule, text, opensCode);
    return code ? [{ field, code }] : [];
  });
}

function partProblem({ max, holds }: TextField, text: string, opensCode: OpensCode) {
  if (lengthOf(text) > max) {
    if (holds === 'lines') return 'note_too_long' as const;
    return holds === undefined ? ('part_too_long' as const) : ('content_too_long' as const);
  }
  const problem = textProblem(text);
  if (problem || holds === undefined || holds === 'lines') return problem;
  if (COMPLETE[holds](text) === null) return PROBLEMS[holds](text);
  return holds === 'link' && opensCode(text) ? ('link_own' as const) : null;
}

const PROBLEMS = {
  phone: phoneProblem,
  email: (text: string) => addressProblem('email_invalid', suggestMailAddress(text)),
  link: (text: string) => addressProblem('link_invalid', suggestLink(text)),
};
