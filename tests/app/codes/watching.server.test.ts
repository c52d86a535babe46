import { afterAll, beforeAll, expect, test } from 'vitest';
import { openBrowser, statusAndLocation, textOf } from '../../support/browser';
import { failDestination } from '../../support/failing-destination';
import { START } from '../../support/host';
import { createTestWebsite, type TestWebsite } from '../../support/website';

let website: TestWebsite;

beforeAll(async () => {
  website = await createTestWebsite({
    '/user/qrcodes': 'codes/list/page.tsx',
    '/user/qrcodes/:id': 'codes/code/page.tsx',
  });
});
afterAll(async () => website.close());

async function ownerOf(content: string, access = true) {
  const { host } = website;
  const account = await host.account({ access });
  const code = await host.code(account.id, { content });
  return { browser: await openBrowser(website, account), path: `/user/qrcodes/${code.id}` };
}

const fail = (address: string, seen: Parameters<typeof failDestination>[2]) =>
  failDestination(website.host.db.orm, address, seen, START);

test('a failing destination is shown in the list and on top of the page, until its owner does not want to know', async () => {
  const { browser, path } = await ownerOf('https://down.example/');
  await fail('https://down.example/', { problem: 'status', status: 404 });
  expect(await textOf(await browser.open('/user/qrcodes'))).toContain('Destination fails');
  const page = await textOf(await browser.open(path));
  expect(page).toContain('The destination fails: The site answers with error 404.');
  expect(page).toMatch(/Seen since .*2026.* Last checked: .*Change the destination Stop checking/);
  const off = await browser.post(`${path}?index`, { intent: 'watching', watched: 'false' });
  expect(statusAndLocation(off)).toEqual([303, path]);
  expect(await browser.notices()).toMatchObject([{ key: 'code_unwatched' }]);
  expect(await textOf(await browser.open('/user/qrcodes'))).not.toContain('Destination fails');
  const after = await textOf(await browser.open(path));
  expect(after).not.toContain('The destination fails');
  expect(after).toMatch(/Checking the destination checked every day not checked/);
  await browser.post(`${path}?index`, { intent: 'watching', watched: 'true' });
  expect(await textOf(await browser.open(path))).toContain('The destination fails');
});

test('a destination that has moved is told differently, with its new address', async () => {
  const { browser, path } = await ownerOf('https://moved.example/');
  await fail('https://moved.example/', { problem: 'moved', movedTo: 'https://new.other/' });
  const page = await textOf(await browser.open(path));
  expect(page).toContain('The destination has moved: For good to another site, at https://new.other/');
});

test('without a subscription it is told, and cannot be switched off', async () => {
  const { browser, path } = await ownerOf('https://locked.example/', false);
  await fail('https://locked.example/', { problem: 'dns' });
  const page = await textOf(await browser.open(path));
  expect(page).toContain('The name of the site does not exist.');
  expect(page).not.toContain('Change the destination');
});

test.each(['', 'maybe', 'null'])('%j is no answer to whether to check', async (watched) => {
  const { browser, path } = await ownerOf('https://fine.example/');
  expect((await browser.post(`${path}?index`, { intent: 'watching', watched })).status).toBe(422);
});

test('a check at once is noted, shown as under way, and refused a second time within a minute', async () => {
  const { browser, path } = await ownerOf('https://now.example/');
  expect(await textOf(await browser.open(path))).toContain('https://now.example/ Not checked yet.');
  const post = () => browser.post(`${path}?index`, { intent: 'check' });
  expect(statusAndLocation(await post())).toEqual([303, `${path}#watching`]);
  expect(await browser.notices()).toMatchObject([{ key: 'code_check_requested' }]);
  expect(await textOf(await browser.open(path))).toContain('https://now.example/ Being checked');
  const refused = await post();
  expect(refused.status).toBe(429);
  expect(await textOf(refused)).toMatch(/Too many|wait/i);
});

test('the address of an end that fails is named, and listed among the codes that fail', async () => {
  const { host } = website;
  const account = await host.account();
  const end = { at: '2026-06-01T00:00:00.000Z', visits: null, message: '', target: 'https://end.example/' };
  const routing = {
    rules: [],
    schedule: null,
    pause: null,
    next: 2,
    end: { ...end, route: 1, reachedAt: null, setAt: START.toISOString(), noticedAt: null },
  };
  const code = await host.code(account.id, { content: 'https://fine.example/', routing } as never);
  await fail('https://end.example/', { problem: 'dns' });
  const browser = await openBrowser(website, account);
  const page = await textOf(await browser.open(`/user/qrcodes/${code.id}`));
  expect(page).toContain('Address, of a rule, the schedule or the end: https://end.example/');
  expect(await textOf(await browser.open('/user/qrcodes?show=failing'))).toContain('1 code found');
});
