import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { openBrowser, statusAndLocation } from '../../support/browser';
import { START } from '../../support/host';
import { createTestWebsite, startClocks, type TestWebsite } from '../../support/website';
import { tagWith } from '../ui/rendered';

const MONTHLY = '/subscribe/basic_monthly';
const ENTERED: Record<string, string> = {
  name: 'Ada Lovelace',
  email: 'order@shop.example',
  address: '1 rue du Papier',
  zip_code: '10115',
  city: 'Ville de Papier',
  country: 'DE',
  terms: 'on',
  waiver: 'on',
  professional: 'on',
  company: 'Karo GmbH',
  siret: '73282932000074',
  vat_number: 'DE136695976',
};
let website: TestWebsite;

beforeAll(async () => {
  website = await createTestWebsite({
    '/subscribe/:slug': 'billing/subscribe-page.tsx',
    '/user/subscription/order/:slug': 'billing/order-page.tsx',
    '/logout': 'account/sign-in/logout-route.ts',
  });
});
afterAll(async () => website.close());

test('the input is restored when the order page is opened again within half an hour', async () => {
  startClocks(website);
  const browser = await openBrowser(website);
  await browser.post(MONTHLY, { ...ENTERED, switch: 'yes' });
  await browser.open(MONTHLY);
  vi.setSystemTime(START.getTime() + 30 * 60_000 - 1);
  const page = await (await browser.open(MONTHLY)).text();
  for (const name of ['name', 'email', 'address', 'zip_code', 'city', 'company', 'siret', 'vat_number'])
    expect(tagWith(page, 'input', `name="${name}"`)).toContain(`value="${ENTERED[name]}"`);
  expect(tagWith(page, 'option', 'value="DE"')).toContain('selected');
  expect(tagWith(page, 'input', 'name="professional"')).toContain('checked');
  expect(page).not.toMatch(/name="(?:terms|waiver)"[^>]* checked/);
  vi.setSystemTime(START.getTime() + 30 * 60_000);
  const later = await (await browser.open(MONTHLY)).text();
  expect(later).not.toContain('Karo GmbH');
});

test('a very long input is not kept, as browsers drop such cookies', async () => {
  const saved = async (address: string) => {
    const browser = await openBrowser(website);
    await browser.post(MONTHLY, { ...ENTERED, address, switch: 'yes' });
    return browser.cookie('order') !== undefined;
  };
  expect(await saved('x'.repeat(1_500))).toBe(true);
  expect(await saved('x'.repeat(2_500))).toBe(false);
});

test('the consents are carried over to the page of the other plan and then forgotten', async () => {
  const browser = await openBrowser(website);
  const answer = await browser.post('/subscribe/basic_yearly', { ...ENTERED, switch: 'yes' });
  expect(statusAndLocation(answer)).toEqual([303, '/subscribe/basic_yearly']);
  const boxes = async () =>
    (await (await browser.open('/subscribe/basic_yearly')).text()).match(
      /<input(?=[^>]* checked)(?=[^>]*name="(?:terms|waiver)")[^>]*>/g,
    )?.length ?? 0;
  expect([await boxes(), await boxes()]).toEqual([2, 0]);
});

test("an account's order input is shown neither to other accounts nor when signed out", async () => {
  const path = '/user/subscription/order/basic_monthly';
  const [ada, eve] = [
    await website.host.account({ access: false }),
    await website.host.account({ access: false }),
  ];
  const browser = await openBrowser(website, ada);
  await browser.post(path, ENTERED);
  const order = browser.cookie('order') ?? '';
  const pageFor = async (as?: { token: string }) => {
    const other = await openBrowser(website, as);
    const session = other.cookie('session');
    const cookie = [`order=${order}`, ...(session ? [`session=${session}`] : [])].join('; ');
    return (await website.browse(as ? path : MONTHLY, { headers: { cookie } })).text();
  };
  expect(await pageFor(ada)).toContain('Ville de Papier');
  expect(await pageFor(eve)).not.toContain('Ville de Papier');
  expect(await pageFor()).not.toContain('Ville de Papier');
  await browser.post('/logout', {}, { 'sec-fetch-site': 'same-origin' });
  expect(browser.cookie('order')).toBeUndefined();
});
