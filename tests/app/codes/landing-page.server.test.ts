import { expect, test } from 'vitest';
import { LOCALE_CODES } from '#contract/locales';
import { type LandingState, landingResponse } from '~/codes/visit/landing-page.server';
import { readTexts } from '../../support/locale-keys';

const LONG = 'https://menu.a-very-long-name-of-a-site.example/of/the/day/and/of/the/week';
const TEXT: LandingState = {
  kind: 'text',
  text: 'See https://a.example/?x=1&y=2 or <b>https://b.example</b>, HTTP://C.example/',
  links: ['https://a.example/?x=1&y=2', 'https://b.example', 'HTTP://C.example/', LONG],
};
const EMAIL: LandingState = { kind: 'email', address: 'ada@b.example', subject: '', body: '' };

async function pageOf(state: LandingState, code = '7K3M9QXD') {
  const response = landingResponse(state, code, 'gb');
  return { response, html: await response.text() };
}

const linksIn = (html: string) =>
  [...html.matchAll(/<a [^>]*href="(\/e[^"]*)"[^>]*>([^<]*)</g)].map(([, href, text]) => [href, text]);

test('each address in a text is a native link through a counting redirect', async () => {
  const { html } = await pageOf(TEXT);
  expect(linksIn(html)).toEqual([
    ['/e/7K3M9QXD/open?n=1', 'Open a.example/?x=1&amp;y=2'],
    ['/e/7K3M9QXD/open?n=2', 'Open b.example'],
    ['/e/7K3M9QXD/open?n=3', 'Open C.example'],
    ['/e/7K3M9QXD/open?n=4', 'Open menu.a-very-long-name-of-a-site.example/of/the/day/and/of/the/…'],
  ]);
  expect(html).toContain('data-count-url="/e/7K3M9QXD/copy"');
});

test('a text without addresses has no links', async () => {
  const { html } = await pageOf({ kind: 'text', text: 'Hello', links: [] });
  expect(linksIn(html)).toEqual([]);
  expect(html).not.toContain('<ul>');
});

test('writing an e-mail is a native link through a counting redirect', async () => {
  const { html } = await pageOf(EMAIL);
  expect(linksIn(html)).toEqual([['/e/7K3M9QXD/write', 'Write the e-mail']]);
  expect(html).toContain('data-count-url="/e/7K3M9QXD/copy"');
});

test('the numbers of a contact are copied without their extension, which is named in the language of the page', async () => {
  const state: LandingState = {
    kind: 'contact',
    name: 'Ada',
    organisation: '',
    jobTitle: '',
    phones: [{ use: 'work', number: '+33123456789;ext=12' }],
    emails: [],
    addresses: [],
    website: '',
    note: '',
  };
  const html = await landingResponse(state, '7K3M9QXD', 'fr').text();
  expect(html).toContain('data-copy="+33123456789"');
  expect(html).toContain('<bdi dir="ltr">+33123456789</bdi> (Poste 12)</a>');
});

test.each<[LandingState, string, string[]]>([
  [
    {
      kind: 'contact',
      name: 'Ada Byron',
      organisation: 'Chez Ada',
      jobTitle: '',
      phones: [{ use: 'mobile', number: '+33123456789' }],
      emails: [],
      addresses: [],
      website: '',
      note: '',
    },
    '<p class="kind">Contact</p><h1 dir="auto">Ada Byron</h1><p class="role" dir="auto">Chez Ada</p>',
    ['Call', 'Add to contacts', ''],
  ],
  [
    { kind: 'place', name: 'Chez Ada', address: '1 Rue', position: '48.1, 11.5' },
    '<p class="kind">Place</p><h1 dir="auto">Chez Ada</h1><p class="role" dir="auto">1 Rue</p>',
    ['Open in maps', 'OpenStreetMap', 'Google Maps', 'Apple Maps'],
  ],
  [
    { kind: 'place', name: '', address: '', position: '48.1, 11.5' },
    '<p class="kind">Place</p><h1 dir="auto">48.1, 11.5</h1>',
    ['Open in maps', 'OpenStreetMap', 'Google Maps', 'Apple Maps'],
  ],
  [TEXT, '<h1 class="kind">Message</h1>', expect.anything() as never],
])('the heading is what the visitor came for, its kind a line above it', async (state, heading, links) => {
  const { html } = await pageOf(state);
  expect(html).toContain(heading);
  expect(linksIn(html).map(([, text]) => text)).toEqual(links);
});

const NIGHT = Date.parse('2027-05-01T18:00Z');

test.each([
  [3, 'Saturday, 1 May 2027, 20:00–23:00'],
  [5, 'Saturday, 1 May 2027, 20:00–01:00'],
  [12, 'Saturday, 1 May 2027, 20:00–08:00'],
  [13, 'Saturday, 1 May 2027 at 20:00 – Sunday, 2 May 2027 at 09:00'],
])('an event of %i hours names the day of its end only where it has to', async (hours, words) => {
  const { html } = await pageOf(eventOf(NIGHT, NIGHT + hours * 3_600_000));
  expect(html).toContain('<p class="kind">Event</p><h1 dir="auto">Opening</h1>');
  expect(html.replaceAll('\u2009', ' ')).toContain(`${words}\nCentral European Summer Time`);
});

test('a night around a change of the clocks keeps the hours of its clocks', async () => {
  const into = await pageOf(eventOf(Date.parse('2027-10-30T18:00Z'), Date.parse('2027-10-31T03:00Z')));
  expect(into.html).toContain('Saturday, 30 October 2027, 20:00–04:00');
  const after = await pageOf(eventOf(Date.parse('2027-03-28T18:00Z'), Date.parse('2027-03-29T00:30Z')));
  expect(after.html.replaceAll('\u2009', ' ')).toContain(
    'Sunday, 28 March 2027 at 20:00 – Monday, 29 March 2027 at 02:30',
  );
});

function eventOf(from: number, to: number): LandingState {
  const times = { isAllDay: false, from, to, zone: 'Europe/Paris' } as const;
  return { kind: 'event', title: 'Opening', times, venue: '', description: '', page: '' };
}

test.each([TEXT, EMAIL, { kind: 'unknown' } as const])(
  'the page of $kind is a single small document',
  async (state) => {
    const { response, html } = await pageOf(state);
    expect(html).not.toMatch(/ src=|<link|@import|url\(/);
    expect(html.length).toBeLessThan(6_000);
    expect(response.headers.get('content-security-policy')).toMatch(
      /^default-src 'none'; style-src 'nonce-[^']+'; script-src 'nonce-[^']+'; connect-src 'self'; frame-ancestors 'none'/,
    );
    expect(response.headers.has('set-cookie')).toBe(false);
  },
);

test('an odd code in the path yields only links to our own site', async () => {
  const { html } = await pageOf(EMAIL, '"><script>/../x');
  expect(linksIn(html).map(([href]) => href)).toEqual(['/e/%22%3E%3Cscript%3E%2F..%2Fx/write']);
});

test('logging in to see a code returns to it', async () => {
  const html = await landingResponse({ kind: 'private' }, '7K3M9QXD', 'gb', { path: '/l/7K3M9QXD' }).text();
  expect(html).toMatch(/href="[^"]*\/login\?next=%2Fl%2F7K3M9QXD">Sign in/);
});

const OWNER = { name: 'Osteria <Rossi>', colour: '#8a1c1c', hasLogo: true };

test('a page with content is its owner’s: name, logo and colour, and not a word about us', async () => {
  const response = landingResponse(TEXT, '7K3M9QXD', 'gb', { owner: OWNER });
  const html = await response.text();
  expect(html).toContain('<title>Message – Osteria &lt;Rossi&gt;</title>');
  expect(html).toContain('<img src="/e/7K3M9QXD/logo" alt=""/><p dir="auto">Osteria &lt;Rossi&gt;</p>');
  expect(html).toContain('main{border-top:.375rem solid #8a1c1c}');
  expect(html).not.toContain('Quadrille');
  expect(html).toMatch(/<footer><a href="[^"]*\/contact\?lng=gb">Report misuse of this page<\/a><\/footer>/);
  expect(response.headers.get('content-security-policy')).toContain("; img-src 'self';");
});

test('without anything of the owner’s, a page with content shows neither a name nor an image', async () => {
  const owner = { name: '', colour: null, hasLogo: false };
  const html = await landingResponse(EMAIL, '7K3M9QXD', 'gb', { owner }).text();
  expect(html).toContain('<title>ada@b.example</title>');
  expect(html).toContain('<p class="kind">Write an e-mail</p><h1 dir="auto">ada@b.example</h1>');
  expect(html).not.toMatch(/<img|<header|border-top|Quadrille/);
});

test('a page that only says why there is no content is ours', async () => {
  const html = await landingResponse({ kind: 'deleted' }, '7K3M9QXD', 'gb').text();
  expect(html).toContain('<title>This code was deleted – Quadrille</title>');
  expect(html).toContain('A QR code made with Quadrille');
});

test('texts have the direction of their own letters, whatever the language of the page', async () => {
  const text = 'שלום עולם';
  const { html } = await pageOf({ kind: 'text', text, links: [] });
  expect(html).toContain(`<p class="text" dir="auto">${text}</p>`);
  const email = await pageOf({ ...EMAIL, subject: text, body: text } as LandingState);
  expect(email.html.match(/<dd[ >]/g)).toHaveLength(2);
  expect(email.html.match(/<dd dir="auto">/g)).toHaveLength(2);
});

test('an address on a button is shortened from its 25th character after the host', async () => {
  const links = [24, 25].map((letters) => `https://a.example/${'x'.repeat(letters - 1)}`);
  const { html } = await pageOf({ kind: 'text', text: 'x', links });
  expect(linksIn(html).map(([, text]) => text)).toEqual([
    `Open a.example/${'x'.repeat(23)}`,
    `Open a.example/${'x'.repeat(22)}…`,
  ]);
});

test('an e-mail shows its subject and its text in this order, and only what there is', async () => {
  const partsOf = async (state: { subject?: string; body?: string }) =>
    [...(await pageOf({ ...EMAIL, ...state } as LandingState)).html.matchAll(/<d[td][^>]*>([^<]*)</g)].map(
      ([, part]) => part,
    );
  expect(await partsOf({ subject: 'Table 12', body: 'For two' })).toEqual([
    'Subject',
    'Table 12',
    'Message',
    'For two',
  ]);
  expect(await partsOf({})).toEqual([]);
});

test.each([
  ['private', 404, 'This code is private'],
  ['unknown', 404, 'This code does not exist'],
  ['deleted', 404, 'This code was deleted'],
  ['blocked', 404, 'This code was blocked'],
  ['circular', 404, 'This code leads back to itself'],
  ['unavailable', 503, 'Just a moment'],
] as const)('a code that is %s has a page of its own with the status %i', async (kind, status, words) => {
  const { response, html } = await pageOf({ kind });
  expect([response.status, response.headers.get('retry-after')]).toEqual([
    status,
    kind === 'unavailable' ? '30' : null,
  ]);
  expect(html.match(/<title>([^<]*)/)?.[1]).toContain(words);
  expect(html.includes('/login?next=')).toBe(kind === 'private');
});

test.each([
  ['paused', 200, 'Paused for now'],
  ['ended', 410, 'This code has ended'],
] as const)('a code that is %s has a page of its owner, with status %i', async (kind, status, title) => {
  const owner = { name: 'Chez Ada', colour: '#112233', hasLogo: true };
  const closed = (message: string) => landingResponse({ kind, message }, '7K3M9QXD', 'gb', { owner });
  const response = closed('<b>Back</b> at 9.\nAda');
  expect(response.status).toBe(status);
  expect(response.headers.get('cache-control')).toBe('no-store');
  expect(response.headers.get('x-robots-tag')).toBe('noindex, nofollow');
  expect(response.headers.has('retry-after')).toBe(false);
  const html = await response.text();
  expect(html).toContain(`<title>${title} – Chez Ada</title>`);
  expect(html).toContain('<p class="text" dir="auto">&lt;b&gt;Back&lt;/b&gt; at 9.\nAda</p>');
  expect(html).toContain('src="/e/7K3M9QXD/logo"');
  expect(html).toContain('border-top:.375rem solid #112233');
  expect(html).toContain('Report misuse of this page');
  expect(html).not.toContain('made with');
  expect(await closed('').text()).toContain('Its owner has');
});

test.each(LOCALE_CODES)(
  'the pages of a pause and an end are in the language of the visitor (%s)',
  async (locale) => {
    for (const kind of ['paused', 'ended'] as const) {
      const page = await landingResponse({ kind, message: '' }, '7K3M9QXD', locale).text();
      const texts = readTexts(locale, 'landing');
      const [title, text = ''] = [`${kind}.title`, `${kind}.text`].map((key) => texts.get(key));
      expect(page).toContain(`<h1>${title}</h1>`);
      expect(page).toContain(text.slice(0, 20));
    }
  },
);
