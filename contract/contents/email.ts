import { tidyAddress } from '../invisible';
import type { ContentType, Stored } from './content-type';
import { completeMailAddress, composeMailto, suggestMailAddress } from './mail-addresses';
import {
  type AddressProblem,
  addressProblem,
  CONTENT_FIELD,
  type ContentProblem,
  contentProblem,
  lengthOf,
  textProblem,
  tidy,
  tidyLine,
} from './text-rules';

const SUBJECT_LIMIT = 200;
const BODY_LIMIT = 1_000;

interface EmailFields {
  /** The address. */
  content: string;
  subject?: string;
  body?: string;
}

export const email = {
  visit: 'page',
  acts: ['write'],
  main: 'content',
  fields: {
    content: { ...CONTENT_FIELD, input: 'address' },
    subject: { max: SUBJECT_LIMIT, units: 500 },
    body: { max: BODY_LIMIT, units: 2_000 },
  },
  check(fields: EmailFields) {
    const [subject, body] = [tidyLine(fields.subject ?? ''), tidy(fields.body ?? '')];
    const problems = [
      { field: 'content', code: problemOf(typedAddress(fields)) },
      {
        field: 'subject',
        code: lengthOf(subject) > SUBJECT_LIMIT ? ('subject_too_long' as const) : textProblem(subject),
      },
      { field: 'body', code: lengthOf(body) > BODY_LIMIT ? ('body_too_long' as const) : textProblem(body) },
    ];
    return problems.flatMap(({ field, code }) => (code ? [{ field, code }] : []));
  },
  counted: typedAddress,
  compose(fields: EmailFields) {
    const entered = typedAddress(fields);
    const content = completeMailAddress(entered) ?? entered;
    return { content, subject: tidyLine(fields.subject ?? ''), body: tidy(fields.body ?? '') };
  },
  payload: ({ content, ...texts }: Stored) => composeMailto({ ...texts, address: content }),
} as const satisfies ContentType<EmailFields>;

function typedAddress({ content }: EmailFields): string {
  return tidyAddress(tidy(content));
}

function problemOf(entered: string): ContentProblem | AddressProblem<'email_invalid'> | null {
  const problem = contentProblem(entered);
  if (problem || completeMailAddress(entered) !== null) return problem;
  return addressProblem('email_invalid', suggestMailAddress(entered));
}
