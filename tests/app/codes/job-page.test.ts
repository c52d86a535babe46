import { afterAll, beforeAll, expect, test } from 'vitest';
import { startBulkAct } from '#contract/jobs';
import { runBatch, runDueJobs } from '#host/codes/bulk/run';
import { importCalls } from '../../host/codes/import-calls';
import { openBrowser, statusAndLocation } from '../../support/browser';
import { send } from '../../support/json-calls';
import { createTestWebsite, type TestWebsite } from '../../support/website';

let website: TestWebsite;

beforeAll(async () => {
  website = await createTestWebsite({
    '/user/qrcodes/jobs': 'codes/list/jobs-page.tsx',
    '/user/qrcodes/jobs/:id': 'codes/list/job-page.tsx',
    '/user/qrcodes': 'codes/list/page.tsx',
    '/user/qrcodes/selection': 'codes/list/bulk-page.tsx',
  });
});
afterAll(async () => website.close());

test('every code that a job failed to process is named on one of its pages', async () => {
  const { host } = website;
  const account = await host.account();
  const ids: string[] = [];
  for (let number = 0; number < 101; number += 1) {
    const wifi = { type: 'wifi', content: 'WIFI:T:WPA;S:x;P:password;;' } as const;
    ids.push((await host.code(account.id, wifi)).id);
  }
  const body = { act: 'make_private', filter: { type: 'wifi' } };
  const started = startBulkAct.response.parse((await send(host, 'POST', '/api/jobs', body, account)).body);
  await runDueJobs(host.deps, new AbortController().signal);
  const path = `/user/qrcodes/jobs/${started.data.id}`;
  const browser = await openBrowser(website, account);
  const namedOn = async (address: string) => {
    const html = await (await browser.open(address)).text();
    return { html, named: ids.filter((id) => html.includes(`href="/user/qrcodes/${id}"`)) };
  };
  const [first, second] = [await namedOn(path), await namedOn(`${path}?page=2`)];
  expect([first.named.length, second.named.length]).toEqual([100, 1]);
  expect(new Set([...first.named, ...second.named]).size).toBe(101);
  expect(first.html).toContain(`href="${path}?page=2"`);
  const beyond = await browser.open(`${path}?page=3`);
  expect([beyond.status, beyond.headers.get('location')]).toEqual([303, path]);
});

test('recent jobs are listed with their progress and a link, those of other accounts are not', async () => {
  const { host } = website;
  const [owner, other] = [await host.account(), await host.account()];
  const start = async (account: typeof owner, act: string) => {
    await host.code(account.id, { type: 'link', content: 'https://example.com/' });
    const body = { act, filter: {}, ...(act === 'tag' && { tag: 'Summer' }) };
    return startBulkAct.response.parse((await send(host, 'POST', '/api/jobs', body, account)).body).data.id;
  };
  const browser = await openBrowser(website, owner);
  expect(await (await browser.open('/user/qrcodes/jobs')).text()).toContain('No jobs in the last 30 days');
  const foreign = await start(other, 'archive');
  const ids = [await start(owner, 'tag'), await start(owner, 'archive')];
  await runDueJobs(host.deps, new AbortController().signal);
  const html = await (await browser.open('/user/qrcodes/jobs')).text();
  for (const id of ids) expect(html).toContain(`href="/user/qrcodes/jobs/${id}"`);
  expect(html).not.toContain(foreign);
  expect(html).toContain('Tag “Summer” added');
  expect(html).toContain('Done: 1 of 1 code');
});

test('a running job is stopped by a POST to its page, which shows how many codes it processed', async () => {
  const { host } = website;
  const [owner, other] = [await host.account(), await host.account()];
  for (let number = 0; number < 30; number += 1) await host.code(owner.id);
  const body = { act: 'archive', filter: {} };
  const { data } = startBulkAct.response.parse((await send(host, 'POST', '/api/jobs', body, owner)).body);
  const path = `/user/qrcodes/jobs/${data.id}`;
  await runBatch(host.deps, data.id);
  const browser = await openBrowser(website, owner);
  const running = await (await browser.open(path)).text();
  expect(running).toContain('20 of 30 codes');
  expect(running).toMatch(/<form[^>]*method="post".*Stop<\/button>/s);

  expect((await (await openBrowser(website, other)).post(path, {})).status).toBe(404);
  expect(await (await browser.open(path)).text()).toContain('20 of 30 codes');
  for (const _ of ['the first time', 'when it has ended'])
    expect(statusAndLocation(await browser.post(path, {}))).toEqual([303, path]);
  await runDueJobs(host.deps, new AbortController().signal);
  const stopped = await (await browser.open(path)).text();
  expect(stopped).toContain('Stopped after 20 of 30 codes');
  expect(stopped).not.toContain('Stop</button>');
  const { body: codes } = await send(host, 'GET', '/api/qrcodes?show=archived', undefined, owner);
  expect(codes).toMatchObject({ meta: { total: 20 } });
});

test('a job that does not exist cannot be stopped', async () => {
  const browser = await openBrowser(website, await website.host.account());
  for (const id of [crypto.randomUUID(), 'nonsense'])
    expect((await browser.post(`/user/qrcodes/jobs/${id}`, {})).status).toBe(404);
});

test('what an import has made, however much, can be listed and changed from its page', async () => {
  const { host } = website;
  const account = await host.account();
  await host.code(account.id, { name: 'Not imported' });
  const imports = importCalls(() => ({ host, account }));
  const rows = Array.from({ length: 120 }, (_, row) => `https://row-${row}.example/,Row ${row}`);
  const { data } = await imports.upload(['url,name', ...rows].join('\n'));
  const job = await imports.start(data.id);
  await imports.run();
  const browser = await openBrowser(website, account);
  const page = await (await browser.open(`/user/qrcodes/jobs/${job.data.id}`)).text();
  expect(page).toContain('What next with these 120 codes?');
  const filter = `import=${data.id}&show=all`;
  expect(page).toContain(`href="/user/qrcodes?${filter.replace('&', '&amp;')}"`);
  const list = await (await browser.open(`/user/qrcodes?${filter}`)).text();
  expect(list).toContain('This import only');
  expect(list).not.toContain('Not imported');

  const fields = [...page.matchAll(/<input type="hidden" name="(\w+)" value="([^"]*)"/g)];
  const query = new URLSearchParams(fields.map(([, name = '', value = '']) => [name, value]));
  const act = `/user/qrcodes/selection?${query}&act=tag`;
  expect(await (await browser.open(act)).text()).toContain('120');
  expect((await browser.post(act, { withTag: 'Spring' })).status).toBe(303);
  await imports.run();
  const { body } = await send(host, 'GET', '/api/qrcodes?tag=Spring', undefined, account);
  expect(body).toMatchObject({ meta: { total: 120 } });
});

test('an import of another account finds nothing', async () => {
  const { host } = website;
  const [owner, other] = [await host.account(), await host.account()];
  const imports = importCalls(() => ({ host, account: owner }));
  const { data } = await imports.upload('url\nhttps://row.example/');
  await imports.start(data.id);
  await imports.run();
  await host.code(other.id);
  const found = async (account: typeof owner) =>
    (await send(host, 'GET', `/api/qrcodes?import=${data.id}`, undefined, account)).body;
  expect(await found(owner)).toMatchObject({ meta: { total: 1 } });
  expect(await found(other)).toMatchObject({ meta: { total: 0 } });
});
