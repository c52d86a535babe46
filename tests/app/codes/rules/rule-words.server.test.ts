import { expect, test } from 'vitest';
import { LOCALE_CODES, type Locale } from '#contract/locales';
import type { Conditions } from '#contract/routing-rules';
import { conditionsInWords } from '~/codes/rules/rule-words.server';

const NONE: Conditions = {
  languages: [],
  systems: [],
  countries: [],
  weekdays: [],
  from: null,
  to: null,
  startsOn: null,
  endsOn: null,
  timeZone: null,
};

const wordsOf = (conditions: Partial<Conditions>, locale: Locale = 'gb') =>
  conditionsInWords({ ...NONE, ...conditions }, locale)
    .join(' | ')
    .replace(/[\s\u202f\u2009]+/g, ' ');

const TIMES: [conditions: Partial<Conditions>, words: string][] = [
  [{}, 'Every visit'],
  [
    { weekdays: [1, 2, 3, 4, 5], from: '17:00', to: '23:00', timeZone: 'Europe/Berlin' },
    'Mon–Fri, 17:00–23:00 (Europe/Berlin)',
  ],
  [{ weekdays: [6, 7], timeZone: 'America/New_York' }, 'Sat, Sun (America/New York)'],
  [{ weekdays: [1, 3, 4, 5, 7], timeZone: 'UTC' }, 'Mon, Wed–Fri, Sun (UTC)'],
  [{ from: '22:00', to: '02:00', timeZone: 'UTC' }, '22:00–02:00 overnight (UTC)'],
  [{ from: '22:00', to: '00:00', timeZone: 'UTC' }, '22:00–00:00 overnight (UTC)'],
  [{ startsOn: '2026-12-01', timeZone: 'UTC' }, 'from 1 Dec 2026 (UTC)'],
  [{ endsOn: '2026-12-24', timeZone: 'UTC' }, 'until 24 Dec 2026 (UTC)'],
  [{ startsOn: '2026-12-01', endsOn: '2026-12-24', timeZone: 'UTC' }, '1 – 24 Dec 2026 (UTC)'],
  [{ startsOn: '2026-12-24', endsOn: '2026-12-24', timeZone: 'UTC' }, '24 Dec 2026 (UTC)'],
  [{ systems: ['ios', 'other'], countries: ['CH'] }, 'Device: iOS or other devices | Country: Switzerland'],
];

test.each(TIMES)('%o in words', (conditions, words) => {
  expect(wordsOf(conditions)).toBe(words);
});

const WHOLE: Partial<Conditions> = {
  languages: ['fr', 'de'],
  systems: ['android', 'other'],
  countries: ['AT', 'DE', 'CH'],
  weekdays: [1, 2, 3],
  endsOn: '2026-12-08',
  timeZone: 'Europe/Vienna',
};

test('a rule is worded in every language', () => {
  expect(Object.fromEntries(LOCALE_CODES.map((locale) => [locale, wordsOf(WHOLE, locale)]))).toEqual({
    gb: 'Language: French or German | Device: Android or other devices | Country: Austria, Germany or Switzerland | Mon–Wed, until 8 Dec 2026 (Europe/Vienna)',
    fr: 'Langue : allemand ou français | Appareil : Android ou autres appareils | Pays : Allemagne, Autriche ou Suisse | lun.–mer., jusqu’au 8 déc. 2026 (Europe/Vienna)',
    es: 'Idioma: alemán o francés | Dispositivo: Android u otros dispositivos | País: Alemania, Austria o Suiza | lun–mié, hasta el 8 dic 2026 (Europe/Vienna)',
    de: 'Sprache: Deutsch oder Französisch | Gerät: Android oder andere Geräte | Land: Deutschland, Österreich oder Schweiz | Mo–Mi, bis 08.12.2026 (Europe/Vienna)',
    it: 'Lingua: francese o tedesco | Dispositivo: Android o altri dispositivi | Paese: Austria, Germania o Svizzera | lun–mer, fino all’8 dic 2026 (Europe/Vienna)',
  });
});
