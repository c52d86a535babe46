import { expect, test } from 'vitest';
import { DEFAULT_LOCALE, LOCALE_CODES, LOCALES } from '#contract/locales';
import {
  findPlural,
  listKeyUses,
  listNamespaces,
  listRepeatedKeys,
  readTexts,
  stemOf,
} from './support/locale-keys';
import { listTypedCalls } from './support/typed-keys';
import { listWrittenTexts } from './support/written-texts';

const namespaces = listNamespaces(DEFAULT_LOCALE);
const translations = LOCALE_CODES.filter((locale) => locale !== DEFAULT_LOCALE);
const files = LOCALE_CODES.flatMap((locale) => namespaces.map((namespace) => ({ locale, namespace })));
const translatedFiles = files.filter(({ locale }) => locale !== DEFAULT_LOCALE);

/** Prefixes of `namespace:key` that are read as a whole instead of key by key, with their readers. */
const READ_AS_A_WHOLE: Record<string, string> = {
  'legal:': 'one page for each of its parts',
  'faq:entries.': 'the list of questions',
  'mail:': 'the host, by the name of the mail',
  'account-mail:': 'the host, by the name of the mail',
  'billing-mail:': 'the host, by the name of the mail',
  'insight-mail:': 'the host, by the name of the mail',
  'sandbox:': 'the host, on its card page and portal',
  'contact:subjects.': 'the form and the host',
};

/** Plurals whose count never reaches a million, so that they need no `many` form. */
const SMALL_COUNTS = ['faq:search.found'];

/** Values read by programs: anchors, categories and the first column of the cookie tables. */
const MACHINE_TEXT = /^legal:.+\.id$|^faq:entries\..+\.category$|^legal:cookie\..+\.table\.rows\.\d+\.0$/;

const SAME_AS_ENGLISH: Record<string, string[]> = {
  everywhere: [
    'App Store (iPhone, iPad)',
    'FAQ',
    'Google Play (Android)',
    'Logo',
    'Menu',
    'PDF',
    'PNG',
    'SVG',
    'Webhook',
    'Webhooks',
    'Wi-Fi',
  ],
  fr: [
    'Actions',
    'Code',
    'Contact',
    'Description',
    'E-mail',
    'Image',
    'Message',
    'Mobile',
    'Note',
    'Organisation',
    'Position',
    'Pause',
    'Public',
    'QR codes',
    '{{count}} code',
    'Scans',
    'scans',
    'Secret',
    'Sources',
    '{{number}} scan',
    '{{number}} scans',
    'utm_source (source)',
  ],
  es: ['App', 'Error:', 'General'],
  de: [
    '(optional)',
    'App',
    'Code',
    'Link',
    'Name',
    'Organisation',
    'Passkeys',
    'Position',
    'Pause',
    'Status',
    'System',
    'Test',
    'Text',
    'Video',
    'Website',
    '{{count}} Code',
  ],
  it: ['App', 'E-mail', 'Link', 'Password', 'Video'],
};

function qualified(locale: string, namespace: string): string[] {
  const texts = readTexts(locale, namespace);
  return [...new Set([...texts.keys()].map((key) => `${namespace}:${stemOf(key, texts)}`))];
}

function placeholdersOf(text: string): string[] {
  return [...new Set([...text.matchAll(/\{\{\s*([\w.]+)/g)].map(([, name]) => name ?? ''))].sort();
}

/** The English text to compare a plural form with; English has no `many`. */
function englishOf(key: string, texts: Map<string, string>, english: Map<string, string>): string {
  const plural = findPlural(key, texts);
  return english.get(key) ?? (plural && english.get(`${plural.stem}_other`)) ?? '';
}

const keys = namespaces.flatMap((namespace) => qualified(DEFAULT_LOCALE, namespace));
const uses = listKeyUses(namespaces);

test('every language has the same files', () => {
  for (const locale of LOCALE_CODES) expect(listNamespaces(locale), locale).toEqual(namespaces);
});

test('no file has a duplicate key', () => {
  expect(files.flatMap(({ locale, namespace }) => listRepeatedKeys(locale, namespace))).toEqual([]);
});

test.each(namespaces)('%s has the same keys in every language', (namespace) => {
  for (const locale of translations) {
    expect(qualified(locale, namespace), locale).toEqual(qualified(DEFAULT_LOCALE, namespace));
  }
});

test('a plural has exactly the forms that its language uses', () => {
  const wrong = files.flatMap(({ locale, namespace }) => {
    const texts = readTexts(locale, namespace);
    const needed = new Intl.PluralRules(LOCALES[locale].tag).resolvedOptions().pluralCategories;
    const plurals = [...texts.keys()].flatMap((key) => findPlural(key, texts) ?? []);
    return [...new Set(plurals.map(({ stem }) => stem))]
      .filter((stem) => !SMALL_COUNTS.includes(`${namespace}:${stem}`))
      .map((stem) => ({
        stem,
        forms: plurals.filter((plural) => plural.stem === stem).map(({ form }) => form),
      }))
      .filter(({ forms }) => forms.sort().join() !== [...needed].sort().join())
      .map(({ stem, forms }) => `${locale}/${namespace} ${stem}: ${forms} instead of ${needed}`);
  });
  expect(wrong).toEqual([]);
});

test('a text has the same placeholders in every language', () => {
  const wrong = translatedFiles.flatMap(({ locale, namespace }) => {
    const english = readTexts(DEFAULT_LOCALE, namespace);
    const texts = readTexts(locale, namespace);
    return [...texts]
      .map(([key, text]) => ({
        key,
        has: placeholdersOf(text),
        needs: placeholdersOf(englishOf(key, texts, english)),
      }))
      .filter(({ has, needs }) => has.join() !== needs.join())
      .map(({ key, has, needs }) => `${locale}/${namespace} ${key}: ${has} instead of ${needs}`);
  });
  expect(wrong).toEqual([]);
});

test('no text is empty', () => {
  const empty = files.flatMap(({ locale, namespace }) =>
    [...readTexts(locale, namespace)]
      .filter(([, text]) => text.trim() === '')
      .map(([key]) => `${locale}/${namespace} ${key}`),
  );
  expect(empty).toEqual([]);
});

test.each(translations)('nothing is left in English (%s)', (locale) => {
  const allowed = [...(SAME_AS_ENGLISH.everywhere ?? []), ...(SAME_AS_ENGLISH[locale] ?? [])];
  const untranslated = namespaces.flatMap((namespace) => {
    const english = readTexts(DEFAULT_LOCALE, namespace);
    return [...readTexts(locale, namespace)]
      .filter(([key, text]) => english.get(key) === text && !allowed.includes(text))
      .filter(([key]) => !MACHINE_TEXT.test(`${namespace}:${key}`))
      .filter(([, text]) => /\p{L}/u.test(text.replace(/\{\{.*?\}\}/g, '')))
      .map(([key, text]) => `${locale}/${namespace} ${key}: ${text}`);
  });
  expect(untranslated).toEqual([]);
});

test('components take every text from the language', () => {
  // The same in all languages.
  const names = ['Authorization: Bearer', 'Google', 'mm ·'];
  const written = listWrittenTexts().filter((found) => !names.some((name) => found.endsWith(`: ${name}`)));
  expect(written).toEqual([]);
});

test('French punctuation never wraps to the start of a line', () => {
  const loose = namespaces.flatMap((namespace) =>
    [...readTexts('fr', namespace)]
      .filter(([, text]) => /[ \u00a0][;:!?»]|«[ \u00a0]|[^\s\u202f][;!?»]/.test(text))
      .map(([key, text]) => `fr/${namespace} ${key}: ${text}`),
  );
  expect(loose).toEqual([]);
});

test('a percent sign stays on the line of its number', () => {
  const loose = LOCALE_CODES.flatMap((locale) =>
    namespaces.flatMap((namespace) =>
      [...readTexts(locale, namespace)]
        .filter(([, text]) => / %(?![0-9A-F]{2})/.test(text))
        .map(([key, text]) => `${locale}/${namespace} ${key}: ${text}`),
    ),
  );
  expect(loose).toEqual([]);
});

test('every text that the website uses exists', () => {
  expect(uses.length).toBeGreaterThan(100);
  const missing = uses
    .filter(({ isRequired, matches }) => isRequired && !keys.some((key) => matches.test(key)))
    .map(({ place }) => place);
  expect(missing).toEqual([]);
});

test('a composed key has a type with few values, each of which has a text', () => {
  const calls = listTypedCalls();
  expect(calls.length).toBeGreaterThan(500);
  expect(calls.filter(({ requested }) => requested === null).map(({ place }) => place)).toEqual([]);
  const missing = calls.flatMap(({ place, requested }) =>
    (requested ?? [])
      .filter((pattern) => !keys.some((key) => pattern.test(key)))
      .map((pattern) => `${place} ${pattern}`),
  );
  expect(missing).toEqual([]);
}, 180_000);

test('no text is unused', () => {
  const unused = keys
    .filter((key) => !Object.keys(READ_AS_A_WHOLE).some((beginning) => key.startsWith(beginning)))
    .filter((key) => !uses.some(({ matches }) => matches.test(key)));
  expect(unused).toEqual([]);
});
