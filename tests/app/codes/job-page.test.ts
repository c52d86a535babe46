import { afterAll, beforeAll, expect, test } from 'vitest';
import { startBulkAct } from '#contract/jobs';
import { runBatch, runDueJobs } from '#host/codes/bulk/run';
import { openBrowser, statusAndLocation } from '../../support/browser';
import { send } from '../../support/json-calls';
import { createTestWebsite, type TestWebsite } from '../../support/website';

let website: TestWebsite;

beforeAll(async () => {
  website = await createTestWebsite({
    '/user/qrcodes/jobs': 'codes/list/jobs-page.tsx',
    '/user/qrcodes/jobs/:id': 'codes/list/job-page.tsx',
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
