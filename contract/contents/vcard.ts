import { targetOf } from '../web-addresses';
import { directoryLines, textValue } from './directory-text';

/** What a contact says of a person or an organisation; absent texts are empty. */
export interface ContactParts {
  givenName?: string;
  familyName?: string;
  honorific?: string;
  organisation?: string;
  jobTitle?: string;
  mobilePhone?: string;
  workPhone?: string;
  homePhone?: string;
  workEmail?: string;
  homeEmail?: string;
  contactWebsite?: string;
  workStreet?: string;
  workPostcode?: string;
  workCity?: string;
  workRegion?: string;
  workCountry?: string;
  homeStreet?: string;
  homePostcode?: string;
  homeCity?: string;
  homeRegion?: string;
  homeCountry?: string;
  note?: string;
}

export const USES = ['work', 'home'] as const;
type Use = (typeof USES)[number];

export function addressOf(parts: ContactParts, use: Use) {
  return {
    street: parts[`${use}Street`] ?? '',
    postcode: parts[`${use}Postcode`] ?? '',
    city: parts[`${use}City`] ?? '',
    region: parts[`${use}Region`] ?? '',
    country: parts[`${use}Country`] ?? '',
  };
}

/** The name that address books show. */
export function fullName({ honorific, givenName, familyName, organisation }: ContactParts): string {
  const person = [honorific, givenName, familyName].filter(Boolean).join(' ');
  return (givenName || familyName ? person : organisation) || person;
}

/**
 * A vCard 3.0 (RFC 2426): phones misread 4.0. Its lines are not folded, although they may be: Android loses the rest of
 * a folded one.
 */
export function composeVcard(parts: ContactParts): string {
  const text = (name: string, value: string | undefined) => (value ? `${name}:${textValue(value)}` : null);
  const isPerson = Boolean(parts.givenName || parts.familyName);
  const names = isPerson ? [parts.familyName, parts.givenName, '', parts.honorific, ''] : Array(5).fill('');
  return directoryLines([
    'BEGIN:VCARD',
    'VERSION:3.0',
    `N:${listValue(names)}`,
    text('FN', fullName(parts)),
    text('ORG', parts.organisation),
    // Apple's address book sorts it under the name of the organisation.
    isPerson ? null : 'X-ABShowAs:COMPANY',
    text('TITLE', parts.jobTitle),
    text('TEL;TYPE=CELL', spokenNumber(parts.mobilePhone)),
    text('TEL;TYPE=WORK', spokenNumber(parts.workPhone)),
    text('TEL;TYPE=HOME', spokenNumber(parts.homePhone)),
    text('EMAIL;TYPE=WORK', parts.workEmail),
    text('EMAIL;TYPE=HOME', parts.homeEmail),
    ...USES.map((use) => addressLine(parts, use)),
    parts.contactWebsite ? `URL:${targetOf(parts.contactWebsite)}` : null,
    text('NOTE', parts.note),
    'END:VCARD',
  ]);
}

function addressLine(parts: ContactParts, use: Use): string | null {
  const { street, city, region, postcode, country } = addressOf(parts, use);
  const values = ['', '', street, city, region, postcode, country];
  return values.some(Boolean) ? `ADR;TYPE=${use.toUpperCase()}:${listValue(values)}` : null;
}

function listValue(values: (string | undefined)[]): string {
  return values.map((value = '') => textValue(value)).join(';');
}

function spokenNumber(number: string | undefined): string | undefined {
  return number?.replace(';ext=', ' ext. ');
}
