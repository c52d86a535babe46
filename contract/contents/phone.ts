import { tidyAddress } from '../invisible';
import type { ContentType, Stored } from './content-type';
import { completePhoneNumber, composeTel, phoneProblem } from './phone-numbers';
import { CONTENT_FIELD, contentProblem, tidy } from './text-rules';

interface PhoneFields {
  /** The number. */
  content: string;
}

export const phone = {
  visit: 'page',
  acts: ['call', 'sms'],
  main: 'content',
  fields: { content: { ...CONTENT_FIELD, input: 'phone' } },
  check(fields: PhoneFields) {
    const code = problemOf(typedNumber(fields));
    return code ? [{ field: 'content', code }] : [];
  },
  counted: typedNumber,
  compose(fields: PhoneFields) {
    const entered = typedNumber(fields);
    return { content: completePhoneNumber(entered) ?? entered };
  },
  payload: ({ content }: Stored) => composeTel(content),
} as const satisfies ContentType<PhoneFields>;

function typedNumber({ content }: PhoneFields): string {
  return tidyAddress(tidy(content));
}

function problemOf(entered: string) {
  const problem = contentProblem(entered);
  return problem || completePhoneNumber(entered) !== null ? problem : phoneProblem(entered);
}
