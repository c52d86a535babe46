import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

type Text = string | Text[] | { [key: string]: Text };
interface Entry {
  category: string;
  question: string;
  answer: string[];
}

const namespaces = ['faq', 'home', 'pricing', 'contact'];
const translations = ['fr', 'es', 'de', 'it'];
const locales = ['gb', ...translations];
const files = locales.flatMap((locale) => namespaces.map((namespace) => ({ locale, namespace })));
const sameInEveryLanguage = ['.'];
const sharedWithEnglish: Record<string, string[]> = {
  fr: ['Message', 'QR codes'],
  es: ['General'],
  de: [],
  it: [],
};

function readText(locale: string, namespace: string): { [key: string]: Text } {
  return JSON.parse(readFileSync(join(process.cwd(), 'locales', locale, `${namespace}.json`), 'utf8'));
}

/** All strings with their dotted paths, in file order. */
function listStrings(text: Text, path = ''): [string, string][] {
  if (typeof text === 'string') return [[path, text]];
  return Object.entries(text).flatMap(([key, part]) => listStrings(part, path ? `${path}.${key}` : key));
}

function listPlaceholders(string: string): string[] {
  return (string.match(/\{\{\w+\}\}/g) ?? []).sort();
}

function readEntries(locale: string): Record<string, Entry> {
  return readText(locale, 'faq').entries as unknown as Record<string, Entry>;
}

function isMachineText(path: string): boolean {
  return path.endsWith('.category');
}

const everyString = files.flatMap(({ locale, namespace }) =>
  listStrings(readText(locale, namespace))
    .filter(([path]) => !isMachineText(path))
    .map(([path, string]) => ({ locale, namespace, path, string })),
);

function findStrings(wrong: RegExp, among = locales): string[] {
  return everyString
    .filter(({ locale, string }) => among.includes(locale) && wrong.test(string))
    .map(({ locale, namespace, path, string }) => `${locale}/${namespace} ${path}: ${string}`);
}

test.each(namespaces)('%s has the same keys in the same order in every language', (namespace) => {
  const keys = listStrings(readText('gb', namespace)).map(([path]) => path);
  for (const locale of translations) {
    expect(listStrings(readText(locale, namespace)).map(([path]) => path)).toEqual(keys);
  }
});

test.each(namespaces)('%s has the same placeholders in every language', (namespace) => {
  const english = listStrings(readText('gb', namespace)).map(([path, string]) => [
    path,
    listPlaceholders(string),
  ]);
  for (const locale of translations) {
    const translated = listStrings(readText(locale, namespace)).map(([path, string]) => [
      path,
      listPlaceholders(string),
    ]);
    expect(translated).toEqual(english);
  }
});

test('the FAQ has at least 24 entries in exactly three categories, the same in every language', () => {
  const english = Object.entries(readEntries('gb')).map(([slug, entry]) => [slug, entry.category]);
  expect(english.length).toBeGreaterThanOrEqual(24);
  expect(new Set(english.map(([, category]) => category))).toEqual(
    new Set(['qr_code', 'support', 'general']),
  );
  for (const locale of translations) {
    expect(Object.entries(readEntries(locale)).map(([slug, entry]) => [slug, entry.category])).toEqual(
      english,
    );
  }
});

test('every FAQ entry asks one question and answers it', () => {
  for (const locale of locales) {
    for (const entry of Object.values(readEntries(locale))) {
      expect(entry.question).toMatch(/^[^?]+\?$/);
      expect(entry.answer.length).toBeGreaterThan(0);
    }
  }
});

test.each(locales)('the home page asks the same questions as the FAQ it links to (%s)', (locale) => {
  const shortcuts = readText(locale, 'home').faq as Record<string, string>;
  const entries = readEntries(locale);
  for (const slug of ['how-to-create', 'how-to-modify', 'kinds-of-codes', 'how-to-track']) {
    expect(shortcuts[slug]).toBe(entries[slug]?.question);
  }
});

test('no string is empty or untranslated', () => {
  expect(everyString.filter(({ string }) => string.trim() === '')).toEqual([]);
  const untranslated = translations.flatMap((locale) => {
    const allowed = [...sameInEveryLanguage, ...(sharedWithEnglish[locale] ?? [])];
    return namespaces.flatMap((namespace) => {
      const english = Object.fromEntries(listStrings(readText('gb', namespace)));
      return listStrings(readText(locale, namespace))
        .filter(([path, string]) => !isMachineText(path) && english[path] === string)
        .filter(([, string]) => !allowed.includes(string))
        .map(([path, string]) => `${locale}/${namespace} ${path}: ${string}`);
    });
  });
  expect(untranslated).toEqual([]);
});

test('French puts a narrow no-break space before ; : ? ! and inside guillemets', () => {
  expect(findStrings(/[^\u202f][;:?!»]|«[^\u202f]/, ['fr'])).toEqual([]);
  expect(findStrings(/\u202f\?/, ['fr'])).not.toEqual([]);
});

test('Spanish opens every question with ¿', () => {
  const unbalanced = everyString.filter(
    ({ locale, string }) => locale === 'es' && string.split('¿').length !== string.split('?').length,
  );
  expect(unbalanced).toEqual([]);
  for (const entry of Object.values(readEntries('es'))) expect(entry.question).toMatch(/^¿/);
});

test('each language uses its own quotation marks and the curly apostrophe', () => {
  expect(findStrings(/["']/)).toEqual([]);
  expect(findStrings(/[«»„]/, ['gb'])).toEqual([]);
  expect(findStrings(/[“”„]/, ['fr', 'es', 'it'])).toEqual([]);
  expect(findStrings(/[«»”]/, ['de'])).toEqual([]);
  expect(findStrings(/[«]\s|\s[»]/, ['es', 'it'])).toEqual([]);
});

test('the tone stays calm and formal', () => {
  expect(findStrings(/[!¡]/)).toEqual([]);
  expect(findStrings(/\bsimply\b|\bjust click\b/i, ['gb'])).toEqual([]);
  expect(findStrings(/(?<!\p{L})(du|dich|dein\p{L}*)(?!\p{L})/iu, ['de'])).toEqual([]);
  expect(findStrings(/(?<!\p{L})(tu|toi|ton|tes)(?!\p{L})/iu, ['fr'])).toEqual([]);
  expect(findStrings(/(?<!\p{L})(tú|tus?|vosotros)(?!\p{L})/iu, ['es'])).toEqual([]);
  // Italian uses the informal `tu`, as the forms do.
  expect(findStrings(/(?<!\p{L})([Vv]ostr\p{L}+|Lei|Suo|Sua)(?!\p{L})/u, ['it'])).toEqual([]);
});

test('page descriptions fit into a search result and the home texts into the first round trip', () => {
  const descriptions = everyString.filter(({ path }) => path === 'description');
  expect(descriptions).toHaveLength(files.length);
  expect(descriptions.filter(({ string }) => string.length > 155)).toEqual([]);
  for (const locale of locales) {
    expect(Buffer.byteLength(JSON.stringify(readText(locale, 'home')))).toBeLessThanOrEqual(3500);
  }
});

test('delays that are settings are never written as fixed numbers', () => {
  expect(findStrings(/\b48\b/)).toEqual([]);
  for (const locale of locales) {
    const entries = readEntries(locale);
    expect(entries.trial?.answer.join()).toContain('{{trialHours}}');
    expect(entries['money-back']?.answer.join()).toMatch(/withdrawalDays.*refundMinDays.*refundMaxDays/s);
    expect(entries.contact?.answer.join()).toContain('{{contactEmail}}');
  }
});
