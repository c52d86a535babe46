import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import i18next from 'i18next';
import { expect, test } from 'vitest';

type Text = string | Text[] | { [key: string]: Text };

interface Section {
  id: string;
  title: string;
  body: string[];
  list?: string[];
  table?: { caption: string; head: string[]; rows: string[][] };
}
interface Page {
  title: string;
  description: string;
  intro: string;
  sections: Section[];
}
type PageName = (typeof pages)[number];
type LegalTexts = Record<PageName, Page> & { [key: string]: Text };

const translations = ['fr', 'es', 'de', 'it'] as const;
const locales = ['gb', ...translations] as const;
const pages = ['cookie', 'privacy', 'notices', 'terms'] as const;

/** Everything that the settings can fill in, with values of realistic length. */
const settings = {
  appName: 'Quadrille',
  contactEmail: 'contact@quadrille.example',
  publicUrl: 'https://quadrille.example',
  seller: {
    name: 'Exemple SAS',
    form: 'SAS au capital de 1 000 €',
    address: '1 rue de l’Essai, 75001 Paris, France',
    register: 'RCS Paris 732 829 320',
    vat: 'FR44732829320',
    director: 'Camille Exemple',
    phone: '+33 1 99 00 00 00',
  },
  hosting: { name: 'Hébergeur SA', address: '2 rue du Serveur, 59100 Roubaix, France' },
  mediator: { name: 'Médiateur', url: 'https://mediateur.example' },
  trialHours: 48,
  withdrawalDays: 14,
  refundMinDays: 3,
  refundMaxDays: 10,
  objectionHours: 72,
  monthlyPrice: '9,90 €',
  yearlyPrice: '106,92 €',
  date: '20 November 2026',
};

/** Numbers that each page must state in every language, by section. */
const requiredNumbers: Record<PageName, Record<string, string[]>> = {
  cookie: {
    durations: ['12', '13'],
    technical: ['12', '30', '1'],
    analytics: ['13'],
    advertising: ['13'],
    'your-choice': ['12'],
  },
  privacy: {
    purposes: ['3', '30', '5', '10', '90', '12', '13', '25'],
    scans: ['90'],
    deletion: ['10'],
    'using-your-rights': ['1', '2'],
    security: ['72'],
    minors: ['18', '15'],
  },
  notices: {
    'contact-points': ['11', '12'],
    'report-a-code': ['16', '17', '18'],
    accessibility: ['2019', '882'],
  },
  terms: {
    service: ['255', '24', '7'],
    prices: ['10', '12', '1'],
    payment: ['4', '14', '40'],
    duration: ['1', '3', '30'],
    withdrawal: ['14', '221', '28', '25'],
    'money-back': ['14'],
    'printed-codes': ['3'],
    guarantees: ['224', '300000', '10', '1641', '1649', '2'],
    changes: ['30'],
    complaints: ['2', '1'],
  },
};

const sellerNames = Object.keys(settings.seller).map((key) => `seller.${key}`);
const requiredPlaceholders: Record<PageName, string[]> = {
  cookie: ['contactEmail'],
  privacy: ['seller.name', 'seller.address', 'contactEmail', 'hosting.name'],
  notices: [
    ...sellerNames,
    'contactEmail',
    'hosting.name',
    'hosting.address',
    'mediator.name',
    'mediator.url',
  ],
  terms: [
    ...sellerNames.filter((name) => name !== 'seller.director'),
    'contactEmail',
    'publicUrl',
    'trialHours',
    'withdrawalDays',
    'refundMinDays',
    'refundMaxDays',
    'monthlyPrice',
    'yearlyPrice',
    'mediator.name',
    'mediator.url',
  ],
};

const texts = Object.fromEntries(locales.map((locale) => [locale, readTexts(locale)])) as Record<
  (typeof locales)[number],
  LegalTexts
>;
const english = new Map(listStrings(texts.gb));

function readTexts(locale: string): LegalTexts {
  return JSON.parse(readFileSync(join(process.cwd(), 'locales', locale, 'legal.json'), 'utf8'));
}

/** All strings with their dotted paths, in file order. */
function listStrings(text: Text, path = ''): [string, string][] {
  if (typeof text === 'string') return [[path, text]];
  return Object.entries(text).flatMap(([key, part]) => listStrings(part, path ? `${path}.${key}` : key));
}

function listPlaceholders(string: string): string[] {
  return [...string.matchAll(/\{\{(.*?)\}\}/g)].map(([, name]) => name as string).sort();
}

/** The distinct numbers in a string, with any thousands separator. */
function listNumbers(string: string): string[] {
  const plain = string.replace(/\{\{.*?\}\}/g, '').replace(/(?<=\d)[.,\s](?=\d{3}(?!\d))/g, '');
  return [...new Set(plain.match(/\d+/g) ?? [])].sort();
}

function listSettingNames(values: object, prefix = ''): string[] {
  return Object.entries(values).flatMap(([key, value]) =>
    typeof value === 'object' ? listSettingNames(value, `${prefix}${key}.`) : [`${prefix}${key}`],
  );
}

function findSection(page: Page, id: string): Section {
  const section = page.sections.find((candidate) => candidate.id === id);
  if (!section) throw new Error(`no section ${id}`);
  return section;
}

/** Ids and the first column of the cookie tables are names, which are not translated. */
function isName(path: string): boolean {
  return path.endsWith('.id') || /^cookie\.sections\.[2-3]\.table\.rows\.\d+\.0$/.test(path);
}

/** A text without placeholders and the paths that follow them. */
function wordsOf(string: string): string {
  return string.replace(/\{\{.*?\}\}[\w/-]*/g, '');
}

test('all five languages have the same keys, sections, lists and table cells', () => {
  const expected = [...english.keys()];
  for (const locale of translations) {
    const paths = listStrings(texts[locale]).map(([path]) => path);
    expect(paths, locale).toEqual(expected);
  }
});

test('the section ids are the same in all languages, unique on a page and valid in a URL', () => {
  for (const page of pages) {
    const ids = texts.gb[page].sections.map(({ id }) => id);
    expect(new Set(ids).size, page).toBe(ids.length);
    for (const id of ids) expect(id).toMatch(/^[a-z]+(-[a-z]+)*$/);
    for (const locale of translations) {
      const translated = texts[locale][page].sections.map(({ id }) => id);
      expect(translated, `${locale} ${page}`).toEqual(ids);
    }
  }
});

test('no section is empty and every row of a table has one cell per column', () => {
  for (const locale of locales) {
    for (const section of pages.flatMap((page) => texts[locale][page].sections)) {
      expect(section.body.length, `${locale} ${section.id}`).toBeGreaterThan(0);
      if (section.list) expect(section.list.length, `${locale} ${section.id}`).toBeGreaterThan(1);
      if (!section.table) continue;
      const { head, rows } = section.table;
      expect(rows.length, `${locale} ${section.id}`).toBeGreaterThan(1);
      for (const row of rows) expect(row.length, `${locale} ${section.id}`).toBe(head.length);
    }
    for (const [path, string] of listStrings(texts[locale])) {
      expect(string, `${locale} ${path}`).toBe(string.trim());
      expect(string, `${locale} ${path}`).not.toBe('');
    }
  }
});

test('every string uses the same placeholders as in English, and only those that the settings fill', () => {
  const known = new Set(listSettingNames(settings));
  for (const locale of locales) {
    for (const [path, string] of listStrings(texts[locale])) {
      const names = listPlaceholders(string);
      const unknown = names.filter((name) => !known.has(name));
      expect(unknown, `${locale} ${path}`).toEqual([]);
      expect(names, `${locale} ${path}`).toEqual(listPlaceholders(english.get(path) ?? ''));
    }
  }
});

test('each page contains the settings that the law or the contract requires on it', () => {
  for (const page of pages) {
    const used = new Set(
      listStrings(texts.gb[page] as unknown as Text).flatMap(([, s]) => listPlaceholders(s)),
    );
    const missing = requiredPlaceholders[page].filter((name) => !used.has(name));
    expect(missing, page).toEqual([]);
  }
});

test('no sentence is left in English', () => {
  for (const locale of translations) {
    const left = listStrings(texts[locale]).filter(
      ([path, string]) =>
        !isName(path) &&
        /\p{L}/u.test(wordsOf(string)) &&
        (string === english.get(path) || /\b(the|you|your|with|and|we|of)\b/i.test(wordsOf(string))),
    );
    expect(left, locale).toEqual([]);
  }
});

test('every string has the same numbers in all languages', () => {
  for (const locale of translations) {
    for (const [path, string] of listStrings(texts[locale])) {
      expect(listNumbers(string), `${locale} ${path}`).toEqual(listNumbers(english.get(path) ?? ''));
    }
  }
});

test('durations, ages and limits are stated in every language', () => {
  for (const locale of locales) {
    for (const page of pages) {
      for (const [id, numbers] of Object.entries(requiredNumbers[page])) {
        const section = findSection(texts[locale][page], id);
        const stated = listStrings(section as unknown as Text).flatMap(([, string]) => listNumbers(string));
        expect(stated, `${locale} ${page} ${id}`).toEqual(expect.arrayContaining(numbers));
      }
    }
  }
});

test('a description fits into a search result', () => {
  for (const locale of locales) {
    for (const page of pages) {
      const description = texts[locale][page].description.replaceAll('{{appName}}', settings.appName);
      expect(description.length, `${locale} ${page}`).toBeLessThanOrEqual(155);
    }
  }
});

test('no text sends the reader to the closed European dispute platform', () => {
  for (const locale of locales) {
    for (const [path, string] of listStrings(texts[locale])) {
      expect(string, `${locale} ${path}`).not.toMatch(/ec\.europa\.eu|\bODR\b|\bRLL\b|\bOS-Plattform\b/);
    }
  }
});

test('i18next fills in all placeholders of all pages', async () => {
  for (const locale of locales) {
    const instance = i18next.createInstance();
    await instance.init({
      lng: locale,
      resources: { [locale]: { legal: texts[locale] } },
      interpolation: { escapeValue: false },
    });
    for (const page of pages) {
      const filled: unknown = instance.t(page, { ...settings, ns: 'legal', returnObjects: true });
      for (const [path, string] of listStrings(filled as Text)) {
        expect(string, `${locale} ${page} ${path}`).not.toMatch(/[{}]|undefined|\[object/);
      }
    }
  }
});
