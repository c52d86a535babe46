import { tidyAddress } from '../invisible';

// Phone numbers in codes. Browsers load this, so it must not need Node or a library.

/** The number without what makes it readable, and its extension. */
function plainNumber(entered: string): [number: string, extension: string] {
  const [, number = '', extension = ''] =
    /^(?:tel:)?(.*?)(?:;ext=(.*))?$/is.exec(entered.normalize('NFKC').trim()) ?? [];
  // The zero in brackets is only dialled within the country: +44 (0)20 7946 0958.
  const dialled = number.trim().startsWith('+') ? number.replace(/\(0\)/g, '') : number;
  return [dialled.replace(/[\s()./\p{Pd}]/gu, ''), extension.replace(/\s/g, '')];
}

/**
 * The phone number meant by `raw`, without separators; null if it is none. It has at most 15 digits (ITU-T E.164), and
 * as few as 112. Service codes with `*` or `#` are refused: dialling one may change the settings of a phone.
 */
export function completePhoneNumber(raw: string): string | null {
  const [number, extension] = plainNumber(tidyAddress(raw));
  if (!/^(?:\+[1-9]\d{2,14}|\d{3,15})$/.test(number) || !/^\d{0,15}$/.test(extension)) return null;
  return extension === '' ? number : `${number};ext=${extension}`;
}

/** Why a text is no phone number. */
export function phoneProblem(entered: string) {
  return /^\+?\d+$/.test(plainNumber(entered)[0]) ? ('phone_length' as const) : ('phone_invalid' as const);
}

/** A `tel:` address by RFC 3966. */
export function composeTel(number: string): string {
  return `tel:${completePhoneNumber(number) ?? encodeURIComponent(number)}`;
}

/** An `sms:` address by RFC 5724, which has no extensions. */
export function composeSms(number: string): string {
  return composeTel(number).replace(/^tel:/, 'sms:').replace(/;.*$/, '');
}
