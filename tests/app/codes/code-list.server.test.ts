import { randomUUID } from 'node:crypto';
import sharp from 'sharp';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { runDueJobs } from '#host/codes/bulk/run';
import { insertLogo } from '#host/codes/logos/store';
import { openBrowser, statusAndLocation } from '../../support/browser';
import type { TestAccount } from '../../support/host';
import { createTestWebsite, type TestWebsite } from '../../support/website';

let website: TestWebsite;
let breaksLogos = false;

beforeAll(async () => {
  website = await createTestWebsite(
    {
      '/user/qrcodes': 'codes/list/page.tsx',
      '/user/qrcodes/pictures.svg': 'codes/list/pictures-route.ts',
      '/user/qrcodes/selection': 'codes/list/bulk-page.tsx',
      '/user/qrcodes/jobs/:id': 'codes/list/job-page.tsx',
    },
    (request, pass) =>
      breaksLogos && new URL(request.url).pathname.endsWith('/logo')
        ? Promise.resolve(new Response(null, { status: 500 }))
        : pass(),
  );
});
afterAll(() => website.close());

async function open(path: string, as: TestAccount) {
  const answer = await website.browse(path, { as });
  return { status: answer.status, headers: answer.headers, text: await answer.text() };
}

async function send(path: string, as: TestAccount, fields: [string, string][]) {
  const answer = await website.browse(path, { method: 'POST', body: new URLSearchParams(fields), as });
  return { status: answer.status, to: answer.headers.get('location') ?? '', text: await answer.text() };
}

const change = (as: TestAccount, id: string, body: object) =>
  website.host.request(`/api/qrcodes/${id}`, {
    method: 'PATCH',
    token: as.token,
    body: JSON.stringify(body),
  });
const finishJobs = () => runDueJobs(website.host.deps, new AbortController().signal);
const rowsOf = (text: string) =>
  [...text.matchAll(/class="code-name"[^>]*>(.*?)<\/a>/g)].map(([, name]) => name?.replaceAll('<wbr/>', ''));

test('the list shows names, full contents and tags, and its fields keep the current filter', async () => {
  const as = await website.host.account();
  const long = `https://osteria.example/${'menu/'.repeat(20)}terrace?table=12`;
  const named = await website.host.code(as.id, { content: 'https://osteria.example/wine' });
  await change(as, named.id, { name: 'Wine list', tags: ['Menu'] });
  await website.host.code(as.id, { content: long });
  const { text } = await open('/user/qrcodes?search=osteria&order=name&size=25', as);
  expect(rowsOf(text)).toEqual([
    expect.stringMatching(/^osteria\.example.*….*terrace\?table=12$/),
    'Wine list',
  ]);
  // An address breaks between its parts, not within a word.
  expect(text).toMatch(/class="code-name"[^>]*>osteria\.<wbr\/>example\/<wbr\/>menu\//);
  expect(text).toContain('/user/qrcodes?tag=Menu');
  expect(text).toMatch(/<input type="search"[^>]*value="osteria"/);
  expect(text).toMatch(/<option value="25" selected=""/);
  const none = await open('/user/qrcodes?search=zzzz', as);
  expect(none.text).toContain('No code matches');
  expect((await open('/user/qrcodes?order=nonsense&type=nonsense&size=7', as)).status).toBe(200);
});

test('the pictures of a page are one file, which a browser may keep only if it is complete, and asks for', async () => {
  const as = await website.host.account();
  const plain = await website.host.code(as.id, { content: 'https://plain.example/' });
  const heart = await website.host.code(as.id, { logoPreset: 'heart.svg' });
  const { text } = await open('/user/qrcodes', as);
  const sources = [...text.matchAll(/src="(\/user\/qrcodes\/pictures\.svg[^"#]*)#([^"]*)"/g)];
  expect(sources.map(([, , id]) => id)).toEqual([heart.id, plain.id]);
  expect(new Set(sources.map(([, address]) => address)).size).toBe(1);
  const address = sources[0]?.[1]?.replaceAll('&amp;', '&') ?? '';
  const file = await open(address, as);
  expect(file.headers.get('cache-control')).toBe('private, no-cache');
  expect(file.headers.get('vary')).toBe('Cookie');
  const etag = file.headers.get('etag') ?? '';
  const askAgain = (known: string, who?: typeof as) =>
    website.browse(address, { headers: { 'if-none-match': known }, ...(who && { as: who }) });
  for (const known of [etag, `"other", ${etag}`, `W/${etag}`]) {
    const unchanged = await askAgain(known, as);
    expect([unchanged.status, await unchanged.text(), unchanged.headers.get('etag')]).toEqual([
      304,
      '',
      etag,
    ]);
  }
  expect((await askAgain('"other"', as)).status).toBe(200);
  // A visitor without the session is told nothing.
  expect((await askAgain(etag)).status).toBe(303);
  expect((await askAgain(etag, await website.host.account())).status).toBe(200);
  expect([...file.text.matchAll(/<view id="([^"]*)"/g)].map(([, id]) => id)).toEqual([heart.id, plain.id]);
  expect(file.text.match(/<image [^>]*href="data:image\/svg\+xml;base64,/g)).toHaveLength(1);

  const logo = { id: randomUUID(), name: 'own.png', png: Buffer.from('a picture') };
  await insertLogo(website.host.db.orm, { ...logo, createdAt: website.host.clock.now() });
  await website.host.code(as.id, { logoId: logo.id });
  breaksLogos = true;
  const broken = await open('/user/qrcodes/pictures.svg?v=2', as);
  breaksLogos = false;
  expect([broken.status, broken.headers.get('cache-control')]).toEqual([200, 'private, no-store']);
  expect(broken.headers.get('etag')).toBeNull();
});

test('the picture of a code shows its new logo as soon as it has one', async () => {
  const as = await website.host.account();
  const { orm } = website.host.db;
  const makeLogo = async (background: string) => {
    const image = sharp({ create: { width: 64, height: 64, channels: 3, background } });
    const logo = { id: randomUUID(), name: 'own.png', png: await image.png().toBuffer() };
    await insertLogo(orm, { ...logo, accountId: as.id, createdAt: website.host.clock.now() });
    return logo.id;
  };
  const [red, blue] = [await makeLogo('#f00'), await makeLogo('#00f')];
  const { id } = await website.host.code(as.id, { logoId: red });
  const logoShown = async () => {
    const { text } = await open('/user/qrcodes/pictures.svg', as);
    const [, png = ''] = /href="data:image\/png;base64,([^"]+)"/.exec(text) ?? [];
    return (await sharp(Buffer.from(png, 'base64')).stats()).channels.map(({ mean }) => Math.round(mean));
  };
  expect(await logoShown()).toMatchObject([255, 0, 0]);
  const answer = await change(as, id, { logo: { kind: 'upload', id: blue } });
  expect(answer.status).toBe(200);
  expect(await logoShown()).toMatchObject([0, 0, 255]);
});

test('the pictures of a page show each code in its look with its whole frame', async () => {
  const as = await website.host.account();
  const style = { moduleShape: 'dots', moduleColour: '#a4210d', frame: 'ticket', caption: 'Scan me' };
  const { id } = await website.host.code(as.id, { content: 'https://styled.example/' });
  const pictureOf = async () => {
    const { text } = await open('/user/qrcodes', as);
    const address =
      /src="(\/user\/qrcodes\/pictures\.svg[^"#]*)#/.exec(text)?.[1]?.replaceAll('&amp;', '&') ?? '';
    return { address, svg: (await open(address, as)).text };
  };
  const before = await pictureOf();
  const answer = await website.host.request(`/api/qrcodes/${id}`, {
    method: 'PATCH',
    headers: { 'content-type': 'application/json' },
    token: as.token,
    body: JSON.stringify({ style }),
  });
  expect(answer.status).toBe(200);
  const after = await pictureOf();
  expect(after.address).not.toBe(before.address);
  expect(after.svg).toContain('fill="#a4210d"');
  const [, left = 0, top = 0, width = 0, height = 0] =
    /viewBox="(-\d+) (-\d+) (\d+) (\d+)"/.exec(after.svg)?.map(Number) ?? [];
  expect([left, top].every((edge) => edge < 0) && height > width).toBe(true);
});

test('ticked codes are changed at once, and a page lists those that failed with the reason', async () => {
  const as = await website.host.account();
  const code = await website.host.code(as.id, { content: 'https://ticked.example/' });
  const wifi = await website.host.code(as.id, {
    type: 'wifi',
    content: 'WIFI:T:WPA;S:Guests;P:welcome-2026;;',
  });
  const done = await send('/user/qrcodes/selection', as, [
    ['act', 'archive'],
    ['id[]', code.id],
    ['id[]', code.id],
  ]);
  expect([done.status, done.to]).toEqual([303, '/user/qrcodes']);
  expect(rowsOf((await open('/user/qrcodes', as)).text)).toEqual(['Guests']);

  const half = await send(`/user/qrcodes/selection?act=make_private&ids=${code.id},${wifi.id}`, as, []);
  expect(half.to).toMatch(/^\/user\/qrcodes\/jobs\//);
  const { text } = await open(half.to, as);
  expect(text).toContain('1 code could not be processed');
  expect(text).toContain('A Wi-Fi code cannot be private');
  expect((await open(half.to, await website.host.account())).status).toBe(404);
});

test('all codes of a page can be changed at once, and the list keeps its filter', async () => {
  const as = await website.host.account();
  const ids: string[] = [];
  for (let n = 0; n < 100; n += 1) ids.push((await website.host.code(as.id)).id);
  const ticked = ids.map((id): [string, string] => ['id[]', id]);
  const view: [string, string][] = [
    ['search', 'example'],
    ['order', 'name'],
    ['size', '25'],
    ['page', '2'],
  ];
  const done = await send('/user/qrcodes/selection', as, [['act', 'archive'], ...view, ...ticked]);
  expect([done.status, done.to]).toEqual([303, '/user/qrcodes?search=example&order=name&size=25&page=2']);
  const { rows } = (await website.host.db.orm.execute(
    `select 1 from codes where account_id = '${as.id}' and archived_at is not null`,
  )) as { rows: unknown[] };
  expect(rows).toHaveLength(100);
  const { headers } = await open('/user/qrcodes?search=example&page=99', as);
  expect(headers.get('location')).toBe('/user/qrcodes?search=example');
  const requested = await open(`/user/qrcodes/selection?act=delete&id=${ids[0]}&show=archived&page=2`, as);
  expect(requested.text).toContain(`href="/user/qrcodes?show=archived&amp;page=2&amp;ids=${ids[0]}"`);
});

test('an empty selection is reported, an unknown action refused, and an invalid tag keeps its input', async () => {
  const as = await website.host.account();
  const { id } = await website.host.code(as.id);
  expect((await send('/user/qrcodes/selection', as, [['act', 'archive']])).to).toBe('/user/qrcodes');
  expect((await open('/user/qrcodes/selection?act=nonsense&id=x', as)).headers.get('location')).toBe(
    '/user/qrcodes',
  );
  expect((await open('/user/qrcodes/selection?act=delete', as)).headers.get('location')).toBe(
    '/user/qrcodes',
  );
  // An unreadable filter selects no code rather than all.
  const unread = await open('/user/qrcodes/selection?act=delete&all=1&type=spaceship', as);
  expect(unread.headers.get('location')).toMatch(/^\/user\/qrcodes\b/);
  const entered = 't'.repeat(31);
  const refused = await send(`/user/qrcodes/selection?act=tag&ids=${id}`, as, [['withTag', entered]]);
  expect(refused.status).toBe(422);
  expect(refused.text).toContain(`value="${entered}"`);
  expect(refused.text).toContain('aria-invalid="true"');
});

test('all matching codes are deleted by one job after their number was confirmed', async () => {
  const as = await website.host.account();
  for (const n of [1, 2, 3]) await website.host.code(as.id, { content: `https://gone.example/${n}` });
  await website.host.code(as.id, { content: 'https://stays.example/' });
  const requested = await open('/user/qrcodes/selection?act=delete&all=1&search=gone', as);
  expect(requested.text).toContain('Delete 3 codes?');
  const key = /name="key" value="([^"]*)"/.exec(requested.text)?.[1] ?? '';
  const address = '/user/qrcodes/selection?act=delete&all=1&search=gone';
  const [first, second] = [await send(address, as, [['key', key]]), await send(address, as, [['key', key]])];
  expect(first.to).toMatch(/^\/user\/qrcodes\/jobs\//);
  expect(second.to).toBe(first.to);
  expect((await open(first.to, as)).text).toContain('http-equiv="refresh"');
  await finishJobs();
  const ended = await open(first.to, as);
  expect(ended.text).toContain('Done: 3 of 3 codes');
  expect(ended.text).not.toContain('http-equiv="refresh"');
  expect(rowsOf((await open('/user/qrcodes', as)).text)).toEqual(['stays.example']);
});

test('an account whose codes are all archived gets a link to them', async () => {
  const as = await website.host.account();
  expect((await open('/user/qrcodes', as)).text).toContain('No codes yet');
  const { id } = await website.host.code(as.id, { content: 'https://season.example/' });
  await change(as, id, { archived: true });
  const { text } = await open('/user/qrcodes?order=name', as);
  expect(text).not.toContain('No codes yet');
  expect(text).toContain('All your codes are archived');
  expect(text).toContain('href="/user/qrcodes?show=archived"');
  expect(text).toMatch(/<select[^>]*name="show"/);
  expect(rowsOf((await open('/user/qrcodes?show=archived', as)).text)).toEqual(['season.example']);
});

test('matching codes are not deleted if their number has changed since it was confirmed', async () => {
  const as = await website.host.account();
  await website.host.code(as.id, { content: 'https://gone.example/1' });
  const browser = await openBrowser(website, as);
  const address = '/user/qrcodes/selection?act=delete&all=1&search=gone';
  const formOf = async () => {
    const text = await (await browser.open(address)).text();
    const field = (name: string) => new RegExp(`name="${name}" value="([^"]*)"`).exec(text)?.[1] ?? '';
    return { text, fields: { key: field('key'), expected: field('expected') } };
  };
  const { fields } = await formOf();
  await website.host.code(as.id, { content: 'https://gone.example/2' });
  expect(statusAndLocation(await browser.post(address, fields))).toEqual([
    303,
    expect.stringContaining(address),
  ]);
  const again = await formOf();
  expect(again.text).toContain('Delete 2 codes?');
  expect(again.text).toContain('The number of results has changed meanwhile');
  await finishJobs();
  expect(rowsOf((await open('/user/qrcodes', as)).text)).toHaveLength(2);
  const [status, job] = statusAndLocation(await browser.post(address, again.fields));
  expect([status, job]).toEqual([303, expect.stringMatching(/^\/user\/qrcodes\/jobs\//)]);
  await finishJobs();
  expect(statusAndLocation(await browser.post(address, again.fields))).toEqual([303, job]);
  expect((await open('/user/qrcodes', as)).text).toContain('No codes yet');
});

test('an action on the only codes of the last page is confirmed on the first page', async () => {
  const as = await website.host.account();
  for (let n = 0; n < 11; n += 1) await website.host.code(as.id, { content: `https://page.example/${n}` });
  const browser = await openBrowser(website, as);
  const last = /value="([^"]*)"[^>]*name="id\[\]"|name="id\[\]"[^>]*value="([^"]*)"/.exec(
    await (await browser.open('/user/qrcodes?page=2')).text(),
  );
  const fields = { act: 'archive', 'id[]': last?.[1] ?? last?.[2] ?? '', page: '2' };
  const [, to] = statusAndLocation(await browser.post('/user/qrcodes/selection', fields));
  expect(to).toBe('/user/qrcodes?page=2');
  expect(statusAndLocation(await browser.open(to ?? ''))).toEqual([303, '/user/qrcodes']);
  const text = await (await browser.open('/user/qrcodes')).text();
  expect(text).toContain('Codes changed: 1');
  expect(text).not.toContain('There is no page with that number');
  expect(statusAndLocation(await browser.open('/user/qrcodes?page=2'))).toEqual([303, '/user/qrcodes']);
  expect(await (await browser.open('/user/qrcodes')).text()).toContain('There is no page with that number');
});

test('making private and deleting are asked first, with the number of codes that people visit', async () => {
  const as = await website.host.account();
  const visited = await website.host.code(as.id, { content: 'https://menu.example/' });
  const quiet = await website.host.code(as.id, { content: 'https://quiet.example/' });
  await website.host.request(`/r/${visited.slug}`);
  const both: [string, string][] = [
    ['id[]', visited.id],
    ['id[]', quiet.id],
  ];
  for (const [act, button] of [
    ['make_private', 'Make 2 codes private'],
    ['delete', 'Delete 2 codes'],
  ] as const) {
    const asked = await send('/user/qrcodes/selection', as, [['act', act], ...both, ['page', '2']]);
    expect([asked.status, asked.to]).toEqual([
      303,
      `/user/qrcodes/selection?act=${act}&ids=${visited.id}%2C${quiet.id}&page=2`,
    ]);
    for (const address of [asked.to, `/user/qrcodes/selection?act=${act}&all=1&search=example`]) {
      const { text } = await open(address, as);
      expect(text).toContain(button);
      expect(text).toContain('1 of them was visited in the last 30 days.');
    }
    const { text } = await open(`/user/qrcodes/selection?act=${act}&ids=${quiet.id}`, as);
    expect(text).toContain('None of them was visited in the last 30 days.');
  }
  const leadsTo = async (slug: string) => (await website.host.request(`/r/${slug}`)).headers.get('location');
  expect(await leadsTo(visited.slug)).toBe('https://menu.example/');
  await send('/user/qrcodes/selection?act=make_private&all=1&search=menu', as, [['expected', '1']]);
  await finishJobs();
  expect(await leadsTo(visited.slug)).not.toContain('menu.example');
  expect(await leadsTo(quiet.slug)).toBe('https://quiet.example/');
});

test('more codes than can be changed at once are refused, and stay selected as far as an address can hold', async () => {
  const as = await website.host.account();
  const ids = Array.from({ length: 101 }, () => randomUUID());
  const browser = await openBrowser(website, as);
  const [status, to] = statusAndLocation(
    await browser.post('/user/qrcodes/selection', { act: 'archive', ids: ids.join() }),
  );
  expect(status).toBe(303);
  expect(new URL(to ?? '', 'http://x').searchParams.get('ids')?.split(',')).toEqual(ids.slice(0, 100));
  expect(await (await browser.open('/user/qrcodes')).text()).toContain('You selected 101 codes.');
});

test('the address of a form sent without scripts loses what says nothing, and keeps the selection', async () => {
  const as = await website.host.account();
  const ids: string[] = [];
  for (let n = 0; n < 12; n += 1) ids.push((await website.host.code(as.id)).id);
  const to = async (query: string) => (await open(`/user/qrcodes?${query}`, as)).headers.get('location');
  expect(await to('search=&tag=&type=&visibility=&show=in_use&order=name&size=10')).toBe(
    '/user/qrcodes?order=name',
  );
  expect(await to('search=&page=1')).toBe('/user/qrcodes');
  const [first = '', second = ''] = ids;
  const chosen = `id%5B%5D=${first}&id%5B%5D=${second}`;
  expect(await to(`order=name&page=2&${chosen}&to=1`)).toBe(
    `/user/qrcodes?order=name&ids=${first}%2C${second}`,
  );
  // The oldest codes are on the second page.
  const { text } = await open(`/user/qrcodes?ids=${first},${ids[11]}`, as);
  const fields = [...text.matchAll(/<input[^>]*name="id\[\]"[^>]*>/g)].map(([tag]) => tag);
  expect(fields).toHaveLength(11);
  expect(fields.filter((tag) => tag.includes('checked=""'))).toEqual([
    expect.stringContaining(`value="${ids[11]}"`),
  ]);
  expect(fields.filter((tag) => tag.includes('type="hidden"'))).toEqual([
    expect.stringContaining(`value="${first}"`),
  ]);
  expect(text).toContain('1 on other pages');
});

test('the list counts the visits of the last 30 days, of each code and of all', async () => {
  const as = await website.host.account();
  const { slug } = await website.host.code(as.id, { content: 'https://menu.example/' });
  for (const _ of [1, 2, 3]) await website.host.request(`/r/${slug}`);
  const { text } = await open('/user/qrcodes', as);
  expect(text).toMatch(/1 code(?:<!-- -->)? · (?:<!-- -->)?3 visits in the last 30 days/);
  expect(text).toMatch(/class="number"><strong>3<\/strong>/);
});
