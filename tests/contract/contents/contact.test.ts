import fc from 'fast-check';
import ICAL from 'ical.js';
import vCard from 'vcf';
import { expect, test } from 'vitest';
import {
  checkContent,
  compose,
  contentLine,
  contentText,
  parseStored,
  payloadOf,
} from '#contract/contents/contents';
import type { ContactParts } from '#contract/contents/vcard';

const contact = (parts: ContactParts) => ({ type: 'contact' as const, content: '', ...parts });
const ADA: ContactParts = {
  givenName: 'Ada',
  familyName: 'Lovelace',
  honorific: 'Dr.',
  organisation: 'Analytical; Engines, Ltd',
  jobTitle: 'Programmer',
  mobilePhone: '+44 20 7946 0958',
  workPhone: '+49 30 1234567;ext=12',
  workEmail: 'ada@bücher.example',
  contactWebsite: 'bücher.example/ada;1,2',
  workStreet: 'Rue d’Alésia 12\\b',
  workPostcode: '75014',
  workCity: 'Paris',
  workCountry: 'France',
  homeCity: 'London',
  note: 'Ring twice, then wait;\r\nthe kitchen is upstairs.',
};

test('a card has version 3.0, unfolded lines that end in CR and LF, and no byte order mark', () => {
  const card = payloadOf(contact(ADA));
  expect(card).toMatchInlineSnapshot(`
    "BEGIN:VCARD
    VERSION:3.0
    N:Lovelace;Ada;;Dr.;
    FN:Dr. Ada Lovelace
    ORG:Analytical\\; Engines\\, Ltd
    TITLE:Programmer
    TEL;TYPE=CELL:+442079460958
    TEL;TYPE=WORK:+49301234567 ext. 12
    EMAIL;TYPE=WORK:ada@bücher.example
    ADR;TYPE=WORK:;;Rue d’Alésia 12\\\\b;Paris;;75014;France
    ADR;TYPE=HOME:;;;London;;;
    URL:https://xn--bcher-kva.example/ada;1,2
    NOTE:Ring twice\\, then wait\\;\\nthe kitchen is upstairs.
    END:VCARD
    "
  `);
  expect(card.replaceAll('\r\n', '')).not.toMatch(/[\r\n]/);
  expect(payloadOf(contact({ givenName: 'Ada', note: 'é'.repeat(900) }))).not.toMatch(/\r\n[ \t]/);
});

test('an organisation without a person is named and sorted by its name', () => {
  const card = payloadOf(contact({ organisation: 'Café, GmbH', honorific: 'Dr.' }));
  expect(card).toContain('\r\nN:;;;;\r\nFN:Café\\, GmbH\r\nORG:Café\\, GmbH\r\nX-ABShowAs:COMPANY\r\n');
  expect(contentLine({ type: 'contact', content: compose(contact({ organisation: 'Café' })).content })).toBe(
    'Café',
  );
});

test('what is stored is JSON of what was entered, and is found by the words in it', () => {
  const { content } = compose(contact(ADA));
  expect(JSON.parse(content)).toMatchObject({ givenName: 'Ada', mobilePhone: '+442079460958' });
  expect(content).not.toContain('homeStreet');
  expect(contentLine({ type: 'contact', content })).toBe('Dr. Ada Lovelace');
  expect(contentText({ type: 'contact', content })).toMatch(
    /^Ada\nLovelace\nDr\.\nAnalytical; Engines, Ltd\n/,
  );
});

test.each<[ContactParts, { field: string; code: string }[]]>([
  [{}, [{ field: 'givenName', code: 'contact_required' }]],
  [{ jobTitle: 'Cook', familyName: ' \u200b ' }, [{ field: 'givenName', code: 'contact_required' }]],
  [{ familyName: 'x'.repeat(101) }, [{ field: 'familyName', code: 'part_too_long' }]],
  [{ organisation: 'A', note: 'x'.repeat(1_001) }, [{ field: 'note', code: 'note_too_long' }]],
  [{ givenName: 'A', homePhone: '*21*1#' }, [{ field: 'homePhone', code: 'phone_invalid' }]],
  [{ givenName: 'A', workEmail: 'ada' }, [{ field: 'workEmail', code: 'email_invalid' }]],
  [{ givenName: 'A', homeEmail: 'a@b@c.example,' }, [{ field: 'homeEmail', code: 'email_invalid' }]],
  [
    { givenName: 'A', contactWebsite: 'javascript:alert(1)' },
    [{ field: 'contactWebsite', code: 'link_invalid' }],
  ],
  [{ givenName: 'A\u202eB' }, [{ field: 'givenName', code: 'bidi_controls' }]],
])('%j is refused', (parts, problems) => {
  expect(checkContent(contact(parts))).toEqual(problems);
});

test('the address of one of our codes is refused as a website', () => {
  const parts = contact({ givenName: 'A', contactWebsite: 'q.example/r/1' });
  expect(checkContent(parts, () => true)).toEqual([{ field: 'contactWebsite', code: 'link_own' }]);
});

test.each(['', '[]', 'null', '"a"', '{"givenName":1}', '{"name":"Ada"}', '{"givenName":""}', 'BEGIN:VCARD'])(
  'the content %j is refused',
  (content) => {
    expect(parseStored('contact', { content, subject: '', body: '' })).toEqual({
      problem: 'content_invalid',
    });
  },
);

const TEXTS = ['givenName', 'familyName', 'honorific', 'organisation', 'jobTitle', 'note'] as const;
const PLACES = ['Street', 'City', 'Region', 'Postcode', 'Country'] as const;
const text = fc
  .array(
    fc.oneof(
      fc.string({ unit: 'grapheme', maxLength: 8 }),
      fc.constantFrom(...',;\\:"', '\n', '\\n', '  ', '='),
    ),
  )
  .map((pieces) =>
    pieces
      .join('')
      .slice(0, 60)
      .replace(/\p{Surrogate}/gu, ''),
  );
const parts: fc.Arbitrary<ContactParts> = fc.record(
  Object.fromEntries([...TEXTS, ...PLACES.map((place) => `work${place}`)].map((name) => [name, text])),
);

test('two readers read back what was entered, whatever it is', () => {
  fc.assert(
    fc.property(parts, (entered) => {
      const fields = contact({ ...entered, familyName: `x${entered.familyName}` });
      const card = payloadOf(fields);
      const kept = JSON.parse(compose(fields).content) as ContactParts;
      const address = ['', '', ...PLACES.map((place) => kept[`work${place}`] ?? '')];
      const names = [kept.familyName, kept.givenName ?? '', '', kept.honorific ?? '', ''];

      const component = new ICAL.Component(ICAL.parse(card) as unknown as unknown[]);
      const read = (name: string) => component.getFirstPropertyValue(name) ?? undefined;
      // It takes the separator after a backslash as escaped, although the backslash is.
      const isSplit = (values: (string | undefined)[]) => !values.some((one) => one?.endsWith('\\'));
      if (isSplit(names)) expect(read('n')).toEqual(names);
      // And leaves an escaped semicolon alone where nothing is to be separated.
      const single = (name: string) => read(name)?.toString().replaceAll('\\;', ';');
      expect(single('note')).toBe(kept.note);
      expect(single('title')).toBe(kept.jobTitle);
      if (address.some(Boolean) && isSplit(address)) expect(read('adr')).toEqual(address);

      // This one leaves escapes as they are.
      const plain = new vCard().parse(card);
      const value = (name: string) => plain.get(name)?.valueOf() as string | undefined;
      const unescaped = (escaped = '') => escaped.replace(/\\(.)/gs, (_, one) => (one === 'n' ? '\n' : one));
      expect(plain.version).toBe('3.0');
      expect(unescaped(value('note'))).toBe(kept.note ?? '');
      expect(unescaped(value('org'))).toBe(kept.organisation ?? '');
      expect((value('n') ?? '').split(/(?<!(?<!\\)(?:\\\\)*\\);/).map(unescaped)).toEqual(names);
    }),
    { numRuns: 300 },
  );
});

test('what is stored is accepted and stays the same when it is read and composed again', () => {
  fc.assert(
    fc.property(parts, (entered) => {
      const fields = contact({ ...entered, organisation: `x${entered.organisation}` });
      if (checkContent(fields).length > 0) return;
      const { content } = compose(fields);
      const parsed = parseStored('contact', { content, subject: '', body: '' });
      if ('problem' in parsed) throw new Error(parsed.problem);
      expect(checkContent(parsed.fields)).toEqual([]);
      expect(compose(parsed.fields).content).toBe(content);
    }),
    { numRuns: 300 },
  );
});
