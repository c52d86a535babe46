import i18next, { type i18n as I18n } from 'i18next';
import { renderToString } from 'react-dom/server';
import { beforeAll, describe, expect, test } from 'vitest';
import { LOCALE_CODES, LOCALES } from '#contract/locales';
import browser, { useTranslation } from '~/i18n/browser-i18n';
import { type Messages, startI18n } from '~/i18n/page-messages';

type Translate = (keys: string | string[], values?: Record<string, unknown>) => string;

const files = import.meta.glob<Messages[string]>('/locales/*/*.json', { eager: true, import: 'default' });

function messagesOf(locale: string): Messages {
  return Object.fromEntries(
    Object.entries(files).flatMap(([path, texts]) => {
      const [, folder, name = ''] = /\/locales\/(\w+)\/([\w-]+)\.json$/.exec(path) ?? [];
      return folder === locale ? [[name, texts]] : [];
    }),
  );
}

function keysOf(texts: object, path = ''): string[] {
  return Object.entries(texts).flatMap(([key, value]) =>
    typeof value === 'string'
      ? [`${path}${key}`]
      : Array.isArray(value)
        ? []
        : keysOf(value as object, `${path}${key}.`),
  );
}

let found: Translate;

function Reader({ namespace }: { namespace: string | undefined }) {
  found = useTranslation(namespace).t as Translate;
  return null;
}

/** The `t` of a component that the browser renders. */
function translateIn(namespace?: string): Translate {
  renderToString(<Reader namespace={namespace} />);
  return found;
}

describe.each(LOCALE_CODES)('in %s', (locale) => {
  const { tag } = LOCALES[locale];
  const messages = messagesOf(locale);
  const library = i18next.createInstance();

  beforeAll(() => {
    startI18n(library, tag, { resources: { [tag]: messages } });
    startI18n(browser as unknown as I18n, tag, { resources: { [tag]: messages } });
  });

  test('every text is that of the library, with every number and with values', () => {
    const [ours, theirs] = [translateIn(), library.t as unknown as Translate];
    let compared = 0;
    for (const [namespace, texts] of Object.entries(messages)) {
      for (const key of keysOf(texts)) {
        const names = [...String(theirs(`${namespace}:${key}`)).matchAll(/\{\{(\w+)\}\}/g)].map(String);
        const values = Object.fromEntries(
          [...names, '{{name}}'].map((name) => [name.slice(2, -2), '8 nov & $1 {{x}}']),
        );
        const plural = `${namespace}:${key.replace(/_(?:one|many|other)$/, '')}`;
        expect(ours(`${namespace}:${key}`, values)).toBe(theirs(`${namespace}:${key}`, values));
        if (plural !== `${namespace}:${key}`)
          for (const count of [0, 1, 2, 1.5, 21, 1_234, 1_000_000])
            expect(ours(plural, { ...values, count })).toBe(theirs(plural, { ...values, count }));
        compared += 1;
      }
    }
    expect(compared).toBeGreaterThan(2_000);
  });

  test.each<[string | string[], Record<string, unknown>?]>([
    ['nothing.like.this'],
    ['home:nothing.like.this'],
    ['nowhere:nothing'],
    ['nothing', { defaultValue: '' }],
    ['nothing', { defaultValue: 'Il 8 nov {{count}}', count: 3 }],
    [['errors.codes.nothing', 'errors.codes.invalid']],
    [['nothing', 'nothing.else']],
    [['nothing', 'home:hero.lead'], { defaultValue: 'x' }],
    ['hero.lead', { ns: 'home' }],
    ['errors.codes.invalid', { count: 2 }],
    ['codes:list.recent', { count: 12_345, days: 12_345 }],
    ['codes:job.status.running', { count: 12_345, done: 1_234 }],
    ['common:notices.bulk_done', { count: '12345' }],
    ['codes:list.recent', { count: 1, days: 30 }],
    ['codes:list.recent', { count: 1 }],
    ['codes:list.recent', { count: 1, days: undefined }],
  ])('what is asked for as %j %j is found, or missed, as by the library', (keys, values) => {
    expect(translateIn()(keys, values)).toBe((library.t as unknown as Translate)(keys, values));
    const inHome = library.getFixedT(null, 'home') as unknown as Translate;
    expect(translateIn('home')(keys, values)).toBe(inHome(keys, values));
  });
});

test('pages use no option of the library that browsers do not have', () => {
  const sources = import.meta.glob<string>('/app/**/*.{ts,tsx}', {
    eager: true,
    query: '?raw',
    import: 'default',
  });
  const using = Object.entries(sources)
    .filter(([path]) => !path.includes('.server.') && !path.includes('/browser-i18n'))
    .filter(([, source]) =>
      /\b(?:returnObjects|joinArrays|keyPrefix|ordinal|postProcess|lngs|interpolation)\s*:|<Trans\b|\{ ?context:/.test(
        source,
      ),
    )
    .map(([path]) => path);
  expect(using).toEqual(['/app/i18n/page-messages.tsx']);
});

test('texts that arrive later are added to those that are there', () => {
  const before = translateIn()('errors.codes.invalid');
  browser.addResourceBundle(browser.language, 'common', { errors: { codes: { new_one: 'New' } } }, true);
  expect(translateIn()('errors.codes.new_one')).toBe('New');
  expect(translateIn()('errors.codes.invalid')).toBe(before);
  expect(browser.hasResourceBundle(browser.language, 'later')).toBe(false);
  browser.addResourceBundle(browser.language, 'later', { a: 'A' });
  expect(browser.hasResourceBundle(browser.language, 'later')).toBe(true);
  expect(translateIn('later')('a')).toBe('A');
});

test('another language has its own texts', () => {
  startI18n(browser as unknown as I18n, 'en-GB', { resources: { 'en-GB': messagesOf('gb') } });
  const english = translateIn('home')('hero.lead');
  browser.addResourceBundle('de', 'home', messagesOf('de').home ?? {});
  browser.changeLanguage('de');
  expect(translateIn('home')('hero.lead')).not.toBe(english);
  expect(browser.language).toBe('de');
});
