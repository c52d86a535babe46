import type { CodeType } from '#contract/contents/contents';
import { app } from './app';
import { contact } from './contact';
import { email } from './email';
import { event } from './event';
import type { HostedType } from './hosted-type';
import { link } from './link';
import { phone } from './phone';
import { place } from './place';
import { text } from './text';
import { wifi } from './wifi';

export const HOSTED: Record<CodeType, HostedType> = {
  link,
  text,
  email,
  wifi,
  phone,
  contact,
  event,
  place,
  app,
};

/** Whether a cell holds nothing but what a code can: a web address, an e-mail address or a network. */
export function isContent(cell: string): boolean {
  const entered = cell.trim();
  if (entered === '' || entered.length > ADDRESS_UNITS) return false;
  return Object.values(HOSTED).some(({ recognises }) => recognises?.(entered));
}

/** More than any address that may be a code. */
const ADDRESS_UNITS = 2_000;
