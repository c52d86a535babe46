import { afterAll, beforeAll, expect, test } from 'vitest';
import { insertManyCodes } from '../../support/many-codes';
import type { TestWebsite } from '../../support/website';
import {
  addresses,
  createSheetWebsite,
  DOWNLOAD,
  makeCodes,
  PAGE,
  queryOf,
  readSheet,
} from './sheet-website';

let website: TestWebsite;

beforeAll(async () => {
  website = await createSheetWebsite();
});
afterAll(() => website.close());

test('more codes than fit into a file are split into parts, posted if they do not fit into a URL', async () => {
  const as = await website.host.account({ access: false });
  const [code] = await makeCodes(website, as, 1);
  if (!code) throw new Error('no code');
  const ids = [code, ...Array.from({ length: 480 }, () => ({ id: crypto.randomUUID() }))];
  const body = new URLSearchParams(queryOf(ids));
  const page = await (await website.browse(PAGE, { as, method: 'POST', body })).text();
  expect(page).toContain('<option value="2">481–481</option>');
  const sheet = await website.browse(DOWNLOAD, { as, method: 'POST', body });
  expect(sheet.headers.get('content-disposition')).toBe('attachment; filename="qr-sheet-a4-24-1.pdf"');
  expect((await readSheet(sheet, 'a4-24'))[0]?.[0]).toMatch(new RegExp(`/R/${code.slug}$`));
});

test('as many codes as fit into a file are one file, without parts', async () => {
  const as = await website.host.account({ access: false });
  const [code] = await makeCodes(website, as, 1);
  if (!code) throw new Error('no code');
  const ids = [...Array.from({ length: 479 }, () => ({ id: crypto.randomUUID() })), code];
  const post = (path: string, more = {}) =>
    website.browse(path, { as, method: 'POST', body: new URLSearchParams(queryOf(ids, more)) });
  expect(await (await post(PAGE)).text()).not.toContain('name="part"');
  const sheet = await post(DOWNLOAD);
  expect(sheet.headers.get('content-disposition')).toBe('attachment; filename="qr-sheet-a4-24.pdf"');
  expect((await readSheet(sheet, 'a4-24'))[0]?.[0]).toMatch(new RegExp(`/R/${code.slug}$`));
  const beyond = await post(DOWNLOAD, { part: '2' });
  expect([beyond.status, beyond.headers.get('location')]).toEqual([303, '/user/qrcodes']);
});

test('all names that cannot be printed are listed and counted', async () => {
  const as = await website.host.account();
  const codes = [];
  for (let n = 1; n <= 6; n += 1) codes.push(await website.host.code(as.id, { name: `メニュー${n}` }));
  const page = await (await website.browse(PAGE + queryOf(codes), { as })).text();
  expect(page.replaceAll('<!-- -->', '')).toMatch(
    /6 names have letters or symbols [^<]* メニュー1 · メニュー2 · メニュー3 · メニュー4 · メニュー5 · メニュー6<\/p>/,
  );
});

test('a part of a list is as it was when the page opened, and every name is checked', async () => {
  const as = await website.host.account({ access: false });
  const oldest = await website.host.code(as.id, {
    name: 'メニュー',
    content: 'https://table.example/oldest',
  });
  const codes: { id: string; slug: string }[] = [oldest];
  for (const code of await insertManyCodes(website.host, as.id, 481)) codes.unshift(code);
  const page = await (await website.browse(`${PAGE}?all=1&order=last_visit&sort=list`, { as })).text();
  expect(page).toContain('1 name has letters or symbols that our print font does not have');
  expect(page).toContain('<option value="2">481–482</option>');
  expect(page).toContain('method="post" action="/user/qrcodes/sheet/download"');
  const hidden = [
    ...page.matchAll(/<input type="hidden" name="(all|order|listed|listedSort)" value="([^"]*)"/g),
  ];
  const fields = hidden.map(([, name = '', value = '']): [string, string] => [name, value]);
  expect(fields.map(([name]) => name)).toEqual(['all', 'order', 'listed', 'listedSort']);
  const { status } = await website.host.request(`/api/qrcodes/${codes[0]?.id}`, {
    method: 'DELETE',
    token: as.token,
  });
  expect(status).toBe(200);
  const post = (path: string, more: [string, string][]) =>
    website.browse(path, {
      as,
      method: 'POST',
      body: new URLSearchParams([...fields, ['sort', 'list'], ['part', '2'], ...more]),
    });
  const sheet = await post(DOWNLOAD, []);
  expect((await readSheet(sheet, 'a4-24')).flat().filter((text) => text !== null)).toEqual(
    addresses(codes.slice(480)),
  );
  expect(await (await post(PAGE, [])).text()).toContain('<option value="2" selected="">481–482</option>');
  const { headers } = await post(DOWNLOAD, [['start', '99']]);
  expect(headers.get('location')).toMatch(/^\/user\/qrcodes\/sheet\?all=1&order=last_visit&.*start=99/);
});

test('more than 1,000 matching codes are printed in parts that follow the list', async () => {
  const as = await website.host.account({ access: false });
  const codes = (await insertManyCodes(website.host, as.id, 1_442)).reverse();
  const page = await (await website.browse(`${PAGE}?all=1&sort=list`, { as })).text();
  const offered = Array.from(page.matchAll(/<option value="(\d)"[^>]*>([^<]*)/g), ([, part, label]) => [
    part,
    label,
  ]);
  expect(offered).toEqual([
    ['1', '1–480'],
    ['2', '481–960'],
    ['3', '961–1440'],
    ['4', '1441–1442'],
  ]);
  expect(page).toContain(
    'A file takes 480 codes, in the order you choose: download these 4 one after the other',
  );
  expect(page).toContain('method="get" action="/user/qrcodes/sheet/download"');
  expect(page).not.toContain('name="listed"');
  const sheet = await website.browse(`${DOWNLOAD}?all=1&sort=list&part=4`, { as });
  expect(sheet.headers.get('content-disposition')).toBe('attachment; filename="qr-sheet-a4-24-4.pdf"');
  expect((await readSheet(sheet, 'a4-24')).flat().filter((text) => text !== null)).toEqual(
    addresses(codes.slice(1_440)),
  );
  const beyond = await website.browse(`${DOWNLOAD}?all=1&part=5`, { as });
  expect(beyond.headers.get('location')).toMatch(/^\/user\/qrcodes\/sheet\?all=1&.*part=5\b/);
});

test('names are checked for the chosen part of more than 1,000 codes', async () => {
  const as = await website.host.account({ access: false });
  await website.host.code(as.id, { name: 'メニュー' });
  await insertManyCodes(website.host, as.id, 1_000);
  const pageOf = async (part: string) =>
    (await website.browse(`${PAGE}?all=1&sort=list&part=${part}`, { as })).text();
  expect(await pageOf('1')).not.toContain('メニュー');
  const last = (await pageOf('3')).replaceAll('<!-- -->', '');
  expect(last).toContain('961–1001 · 1 name has letters or symbols that our print font does not have');
});
