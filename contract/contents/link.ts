import { tidyAddress } from '../invisible';
import { completeLink, suggestLink, targetOf, withLowerCaseScheme } from '../web-addresses';
import type { ContentType, OpensCode, Stored } from './content-type';
import {
  type AddressProblem,
  addressProblem,
  CONTENT_FIELD,
  type ContentProblem,
  contentProblem,
  tidy,
} from './text-rules';

/** ASCII characters that the largest symbol holds at level H, whatever they are (ISO/IEC 18004, table 7). */
const SYMBOL_CHARACTERS = 1273;

interface LinkFields {
  content: string;
}

export const link = {
  visit: 'redirect',
  acts: [],
  main: 'content',
  fields: { content: CONTENT_FIELD },
  check(fields: LinkFields, opensCode: OpensCode) {
    const code = problemOf(typedLink(fields), opensCode);
    return code ? [{ field: 'content', code }] : [];
  },
  counted: typedLink,
  compose(fields: LinkFields) {
    const entered = typedLink(fields);
    return { content: completeLink(entered) ?? entered };
  },
  links: (content: string) => [{ field: 'content', link: content }],
  payload({ content }: Stored) {
    const target = targetOf(content);
    // Encoding turns an accented letter into six characters: an address that would no longer fit is drawn as typed.
    return target.length > SYMBOL_CHARACTERS ? withLowerCaseScheme(content) : target;
  },
} as const satisfies ContentType<LinkFields>;

function typedLink({ content }: LinkFields): string {
  return tidyAddress(tidy(content));
}

function problemOf(
  entered: string,
  opensCode: OpensCode,
): ContentProblem | AddressProblem<'link_invalid'> | 'link_own' | null {
  const problem = contentProblem(entered);
  if (problem) return problem;
  const complete = completeLink(entered);
  if (complete === null) return addressProblem('link_invalid', suggestLink(entered));
  return opensCode(complete) ? 'link_own' : null;
}
