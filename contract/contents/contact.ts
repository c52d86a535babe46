import type { ContentType, OpensCode, Stored } from './content-type';
import { checkParts, EMAIL, LINK, LONG, ofParts, PHONE, readParts, SHORT, tidyParts } from './parts';
import { type ContactParts, composeVcard, fullName } from './vcard';

const PARTS = {
  givenName: SHORT,
  familyName: SHORT,
  honorific: SHORT,
  organisation: SHORT,
  jobTitle: SHORT,
  mobilePhone: PHONE,
  workPhone: PHONE,
  homePhone: PHONE,
  workEmail: EMAIL,
  homeEmail: EMAIL,
  contactWebsite: LINK,
  workStreet: SHORT,
  workPostcode: SHORT,
  workCity: SHORT,
  workRegion: SHORT,
  workCountry: SHORT,
  homeStreet: SHORT,
  homePostcode: SHORT,
  homeCity: SHORT,
  homeRegion: SHORT,
  homeCountry: SHORT,
  note: LONG,
} as const;

export const contact = {
  ...ofParts(PARTS),
  visit: 'page',
  acts: ['save', 'call', 'write', 'open', 'map'],
  main: 'givenName',
  check(fields: ContactParts, opensCode: OpensCode) {
    const problems = checkParts(PARTS, fields, opensCode);
    const { givenName, familyName, organisation } = tidyParts(PARTS, fields);
    return givenName || familyName || organisation
      ? problems
      : [{ field: 'givenName', code: 'contact_required' as const }, ...problems];
  },
  payload: ({ content }: Stored) => composeVcard(readParts<ContactParts>(content)),
  line: (content: string) => fullName(readParts<ContactParts>(content)),
} as const satisfies ContentType<ContactParts>;
