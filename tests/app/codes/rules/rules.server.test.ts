import { afterAll, beforeAll, expect, test } from 'vitest';
import { getRouting } from '#contract/routing';
import { RULES_LIMIT } from '#contract/routing-rules';
import { openBrowser, statusAndLocation, textOf } from '../../../support/browser';
import { send } from '../../../support/json-calls';
import { createTestWebsite, startClocks, type TestWebsite } from '../../../support/website';

let website: TestWebsite;

beforeAll(async () => {
  website = await createTestWebsite({
    '/user/qrcodes/:id/rules': 'codes/rules/page.tsx',
    '/user/qrcodes/:id/rules/:rule': 'codes/rules/rule-page.tsx',
    '/user/qrcodes/:id/rules/:rule/keep': 'codes/rules/keep-page.tsx',
  });
});
afterAll(async () => website.close());

type Fields = Record<string, string>;

/** A new code with a browser of its owner. */
async function openCode(made: Parameters<TestWebsite['host']['code']>[1] = {}) {
  const as = await website.host.account();
  const { id } = await website.host.code(as.id, made);
  const browser = await openBrowser(website, as);
  const path = `/user/qrcodes/${id}/rules`;
  return {
    as,
    id,
    path,
    browser,
    save: (fields: Fields, rule: string | number = 'new') => browser.post(`${path}/${rule}`, fields),
    rules: async () => {
      const { body } = await send(website.host, 'GET', `/api/qrcodes/${id}/routing`, undefined, as);
      return getRouting.response.parse(body).data.routing.rules;
    },
    text: async (search = '') => textOf(await browser.open(path + search)),
  };
}

const EVENING = {
  from: '17:00',
  to: '23:00',
  day1: 'on',
  day2: 'on',
  day3: 'on',
  day5: 'on',
  timeZone: 'Europe/Berlin',
  target1: 'dinner.example',
};

test('a rule is added as typed and listed in words, with what answers otherwise', async () => {
  const { save, rules, text, path, browser } = await openCode({ content: 'https://menu.example/' });
  const typed = { ...EVENING, languages: 'french, DE', countries: 'Austria; ch', ios: 'on' };
  const added = await save(typed);
  const [rule] = await rules();
  expect(statusAndLocation(added)).toEqual([303, `${path}#rule-${rule?.id}`]);
  expect(await browser.notices()).toMatchObject([{ type: 'success', key: 'rule_added' }]);
  expect(rule).toMatchObject({
    languages: ['de', 'fr'],
    systems: ['ios'],
    countries: ['AT', 'CH'],
    weekdays: [1, 2, 3, 5],
    from: '17:00',
    to: '23:00',
    startsOn: null,
    timeZone: 'Europe/Berlin',
    variants: [{ target: 'https://dinner.example', percent: 100 }],
  });
  const page = await text();
  for (const phrase of [
    'Language: French or German',
    'Device: iOS',
    'Country: Austria or Switzerland',
    'Mon–Wed, Fri, 17:00–23:00 (Europe/Berlin)',
    'dinner.example',
    'Otherwise',
    'menu.example',
  ])
    expect(page).toContain(phrase);
});

test('without days, hours and dates the zone of the form is no condition', async () => {
  const { save, rules } = await openCode();
  await save({ timeZone: 'Asia/Tokyo', android: 'on', target1: 'store.example' });
  expect(await rules()).toMatchObject([{ timeZone: null, systems: ['android'] }]);
});

test('targets without percents share evenly, and every typed percent is taken as it is', async () => {
  const { save, rules } = await openCode();
  const three = { target1: 'a.example', target2: 'b.example', target4: 'c.example' };
  await save(three);
  await save({ ...three, percent1: '50', percent2: ' 30 % ', percent4: '20' });
  await save({ target1: 'alone.example', percent1: '40' });
  const percents = (await rules()).map(({ variants }) => variants.map(({ percent }) => percent));
  expect(percents).toEqual([[34, 33, 33], [50, 30, 20], [100]]);
});

const REFUSED: [what: string, fields: Fields, errors: Record<string, string[]>][] = [
  ['no target', {}, { target1: ['variants_required'] }],
  ['no address', { target1: 'dinner' }, { target1: ['link_invalid'] }],
  [
    'a third target without an address',
    { target1: 'a.example', percent1: '50', percent3: '50' },
    { target3: ['variants_required'] },
  ],
  [
    'a wrong sum',
    { target1: 'a.example', percent1: '50', target3: 'b.example', percent3: '49' },
    { percent1: ['percent_sum'] },
  ],
  [
    'a percent that is none',
    { target1: 'a.example', percent1: 'half', target3: 'b.example', percent3: '0' },
    { percent1: ['percent_invalid'], percent3: ['percent_invalid'] },
  ],
  [
    'names that nobody knows',
    { target1: 'a.example', languages: 'Frensh', countries: 'Atlantis' },
    { languages: ['language_meant:French'], countries: ['country_unknown:Atlantis'] },
  ],
  ['one hour', { target1: 'a.example', from: '17:00', timeZone: 'UTC' }, { to: ['hours_incomplete'] }],
  [
    'dates in reverse, without a zone',
    { target1: 'a.example', startsOn: '2026-03-02', endsOn: '2026-03-01' },
    { endsOn: ['dates_reversed'], timeZone: ['time_zone_required'] },
  ],
];

test.each(REFUSED)(
  'a rule with %s is refused beside the field, with everything typed',
  async (_, fields, errors) => {
    const { save, rules } = await openCode();
    const answer = await save(fields);
    expect(answer.status).toBe(422);
    const page = await answer.text();
    for (const name of Object.keys(errors)) expect(page).toContain(`id="rule-${name}-error"`);
    expect(page.match(/class="field-error"/g)).toHaveLength(Object.keys(errors).length);
    for (const value of Object.values(fields)) expect(page).toContain(`value="${value}"`);
    expect(await rules()).toEqual([]);
  },
);

test('a target that the host refuses is marked in its row', async () => {
  const { save } = await openCode();
  const answer = await save({ target1: 'a.example', target4: 'http://localhost/r/7K3M9QXD' });
  expect(answer.status).toBe(422);
  expect(await answer.text()).toContain('id="rule-target4-error"');
});

test('a changed rule keeps its place and its id, and a variant its figures if its target stays', async () => {
  const { save, rules, browser, path } = await openCode();
  await save({ target1: 'a.example', target2: 'b.example' });
  await save({ target1: 'c.example', ios: 'on' });
  const [first] = await rules();
  const [a, b] = first?.variants ?? [];
  const form = await (await browser.open(`${path}/${first?.id}`)).text();
  expect(form).toContain('value="https://a.example"');
  expect(form).toMatch(/name="percent2"[^>]*value="50"|value="50"[^>]*name="percent2"/);
  const routes = { route1: String(a?.route), route2: String(b?.route) };
  const changed = { target1: 'https://a.example', percent1: '70', target2: 'new.example', percent2: '30' };
  expect((await save({ ...changed, ...routes }, first?.id)).status).toBe(303);
  const [now, second] = await rules();
  expect([now?.id, second?.variants[0]?.target]).toEqual([first?.id, 'https://c.example']);
  expect(now?.variants[0]).toEqual({ route: a?.route, target: 'https://a.example', percent: 70 });
  expect(now?.variants[1]?.route).not.toBe(b?.route);
});

test('rules are moved and deleted one by one, and one that is never reached says so', async () => {
  const { save, rules, browser, path, text } = await openCode();
  for (const target1 of ['one.example', 'two.example', 'three.example'])
    await save({ target1, ...(target1 !== 'one.example' && { android: 'on' }) });
  const [one, two, three] = await rules();
  expect(await text()).toMatch(/two\.example .*?Never reached: rule 1 before it matches every visit\./);
  const moved = await browser.post(path, { rule: String(one?.id), position: '3' });
  expect(statusAndLocation(moved)).toEqual([303, `${path}#rule-${one?.id}`]);
  expect((await rules()).map(({ id }) => id)).toEqual([two?.id, three?.id, one?.id]);
  expect(await text()).toMatch(/three\.example .*?whatever it matches, rule 1 matches first/);
  await browser.post(path, { rule: String(two?.id), intent: 'delete' });
  await browser.post(path, { rule: String(two?.id), intent: 'delete' });
  expect((await rules()).map(({ id }) => id)).toEqual([three?.id, one?.id]);
  expect(await text()).not.toContain('Never reached');
  const invalid: Fields[] = [{ rule: '' }, { rule: 'x', position: '1' }, { rule: '1', position: '0' }];
  for (const fields of invalid) expect((await browser.post(path, fields)).status).toBe(422);
});

test('a rule that is gone meanwhile cannot be changed', async () => {
  const { save, rules, browser, path } = await openCode();
  await save({ target1: 'one.example' });
  const [rule] = await rules();
  await browser.post(path, { rule: String(rule?.id), intent: 'delete' });
  const answer = await save({ target1: 'two.example' }, rule?.id);
  expect(answer.status).not.toBe(303);
  expect((await browser.open(`${path}/${rule?.id}`)).status).toBe(404);
  expect(await rules()).toEqual([]);
});

test('the page of the winner asks, and keeping it leaves one target', async () => {
  const { save, rules, browser, path } = await openCode();
  await save({ target1: 'a.example', target2: 'b.example' });
  const [rule] = await rules();
  const keep = `${path}/${rule?.id}/keep?route=${rule?.variants[1]?.route}`;
  expect(await textOf(await browser.open(keep))).toMatch(/Keep only b\.example\? .*Is removed .*a\.example/);
  expect((await browser.open(`${path}/${rule?.id}/keep?route=999`)).status).toBe(404);
  expect(statusAndLocation(await browser.post(keep, {}))).toEqual([303, `${path}#rule-${rule?.id}`]);
  expect(await rules()).toMatchObject([{ variants: [{ target: 'https://b.example', percent: 100 }] }]);
});

test('a code takes as many rules as the contract allows, and says when it is full', async () => {
  const { save, rules, text } = await openCode();
  for (let number = 1; number <= RULES_LIMIT; number++)
    expect((await save({ target1: `${number}.example` })).status).toBe(303);
  expect((await save({ target1: 'more.example' })).status).toBe(422);
  expect(await rules()).toHaveLength(RULES_LIMIT);
  const page = await text();
  expect(page).toContain(`That is the most rules a code can have: ${RULES_LIMIT}.`);
  expect(page).not.toContain('Add a rule');
});

test('only link codes of the account have these pages', async () => {
  const { browser, path } = await openCode();
  const { path: foreign } = await openCode();
  const { path: text } = await openCode({ type: 'text', content: 'Hello' });
  for (const other of [foreign, '/user/qrcodes/7f4c1c1e-0000-4000-8000-000000000000/rules', text])
    for (const page of [other, `${other}/new`, `${other}/1/keep?route=1`])
      expect((await browser.open(page)).status, page).toBe(404);
  expect((await browser.post(foreign, { rule: '1', intent: 'delete' })).status).toBe(404);
  expect((await browser.open(`${path}/new`)).status).toBe(200);
});

test('without a subscription the rules are shown, and nothing offers to change them', async () => {
  const as = await website.host.account({ access: false });
  const { id } = await website.host.code(as.id);
  const browser = await openBrowser(website, as);
  const page = await (await browser.open(`/user/qrcodes/${id}/rules`)).text();
  expect(page).toContain('The rules go on answering.');
  expect(page).not.toContain('/rules/new"');
  const answer = await browser.post(`/user/qrcodes/${id}/rules/new`, { target1: 'a.example' });
  expect(answer.status).toBe(402);
  expect(await answer.text()).toContain('needs an active subscription');
});

test('a trial says which rule answers, and why each other one does not', async () => {
  startClocks(website);
  const { save, text } = await openCode({ content: 'https://menu.example/' });
  await save(EVENING);
  await save({ languages: 'fr', countries: 'France', target1: 'fr.example' });
  await save({ android: 'on', target1: 'store.example' });
  await save({ from: '22:00', to: '02:00', day7: 'on', timeZone: 'Europe/London', target1: 'night.example' });
  await save({
    startsOn: '2026-12-01',
    endsOn: '2026-12-24',
    timeZone: 'Europe/London',
    target1: 'x.example',
  });
  const answer = async (visit: string) => {
    const page = await text(`?${visit}`);
    return page.slice(page.lastIndexOf('Try it'), page.indexOf('Pricing', page.lastIndexOf('Try it')));
  };
  // On Monday, 19:30 in London is 20:30 in Berlin.
  const evening = await answer('at=2026-03-02T19:30&country=&system=android&language=es');
  expect(evening).toMatch(/Rule 1 answers dinner\.example Rule 1 Every condition is met/);
  for (const reason of [
    'Rule 2 The language is Spanish, the rule asks for French. The country is not known, the rule asks for France.',
    'Rule 3 It matches too, but rule 1 comes first.',
    'Rule 4 It is Monday in Europe/London, the rule asks for Sun. It is 19:30 in Europe/London, the rule asks for 22:00–02:00 overnight.',
    'Rule 5 It is 2 Mar 2026 in Europe/London, too early for 1 – 24 Dec 2026.',
  ])
    expect(evening).toContain(reason);

  const abroad = await answer('at=2026-12-25T12:00&country=DE&system=ios&language=');
  expect(abroad).toContain('No rule matches: the code’s own target answers menu.example');
  for (const reason of [
    'Rule 1 It is 13:00 in Europe/Berlin, the rule asks for 17:00–23:00.',
    'The language is not known, the rule asks for French. The country is Germany, the rule asks for France.',
    'Rule 3 The device: iOS. The rule asks for Android.',
    'too late for 1 – 24 Dec 2026.',
  ])
    expect(abroad).toContain(reason);

  const night = await answer('at=2026-03-03T01:00&country=&system=other&language=de');
  expect(night).toContain(
    'In Europe/London the hours after midnight still belong to Monday; the rule asks for Sun.',
  );
  expect(await answer('at=2026-03-09T01:00&country=&system=other&language=de')).toContain('Rule 4 answers');
});

test('a rule for a language without a code of two letters can be changed, and tried', async () => {
  const { id, as, save, rules, browser, path } = await openCode({ content: 'https://menu.example/' });
  const made = { languages: ['fil'], variants: [{ target: 'https://fil.example/', percent: 100 }] };
  await send(website.host, 'POST', `/api/qrcodes/${id}/rules`, made, as);
  const [rule] = await rules();
  const form = await (await browser.open(`${path}/${rule?.id}`)).text();
  expect(form).toContain('value="Filipino"');
  expect((await save({ languages: 'Filipino', target1: 'new.example' }, rule?.id)).status).toBe(303);
  expect(await rules()).toMatchObject([
    { languages: ['fil'], variants: [{ target: 'https://new.example' }] },
  ]);
  const tried = await browser.open(`${path}?at=2026-03-02T19:30&country=&system=ios&language=fil`);
  const page = await tried.text();
  expect(page).toContain('<option value="fil" selected="">Filipino</option>');
  expect(page).toContain('Rule 1 answers');
});

test('a trial of a split names its shares, and one at no time asks for a time', async () => {
  const { save, text, browser, path } = await openCode();
  await save({ target1: 'a.example', percent1: '80', target2: 'b.example', percent2: '20' });
  const page = await text('?at=2026-03-02T19:30&country=&system=ios&language=fr&period=7');
  expect(page).toMatch(/Rule 1 answers 80% a\.example 20% b\.example/);
  expect(page).toContain('The same person gets the same target all day.');
  for (const at of ['', 'tomorrow', '2026-02-30T10:00', '0026-12-01T19:30']) {
    const answer = await (await browser.open(`${path}?at=${at}&country=XX&system=pager&language=zzz`)).text();
    expect(answer).toContain('id="try-at-error"');
    expect(answer).not.toContain('id="answer"');
  }
});
