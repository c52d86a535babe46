import type { Page } from '@playwright/test';
import { expect, PHONE, test } from '../support/fixtures';
import { expectJobEnd } from '../support/jobs';

test('ticked codes are archived and restored at once, and archived codes keep redirecting', async ({
  page,
  open,
  signIn,
  factories,
  ready,
}) => {
  const account = await signIn();
  const code = await factories.code(account, { content: 'https://kept.example/' });
  await open('/user/qrcodes');
  await ready();
  await page.getByRole('checkbox', { name: 'Select kept.example' }).check();
  await act(page, 'Archive');
  await expect(page.getByText('Codes changed: 1')).toBeVisible();
  expect((await page.request.get(`/r/${code.slug}`, { maxRedirects: 0 })).status()).toBe(302);

  await open('/user/qrcodes?show=archived');
  await ready();
  await page.getByRole('checkbox', { name: 'Select kept.example' }).check();
  await act(page, 'Restore from archive');
  await expect(page.getByText('Codes changed: 1')).toBeVisible();
  await open('/user/qrcodes');
  await expect(page.getByRole('rowheader')).toHaveCount(1);
});

test('an action on all matching codes runs as a job, whose page follows it to the end', {
  tag: '@late',
}, async ({ page, open, signIn, factories, ready, mode }) => {
  await factories.manyCodes(await signIn(), 250);
  await open('/user/qrcodes?search=made');
  await ready();
  await page
    .getByRole('checkbox', { name: /^Select made/ })
    .first()
    .check();
  await page.getByRole('checkbox', { name: 'All 250 results' }).check();
  await act(page, 'Delete');
  await expect(page.getByRole('heading', { level: 1, name: 'Delete 250 codes?' })).toBeVisible();
  await ready();
  await page.getByRole('button', { name: 'Delete 250 codes' }).click();
  await expect(page.getByRole('progressbar')).toBeVisible();
  await expectJobEnd(page, mode, 'Done: 250 of 250 codes');
  await open('/user/qrcodes');
  await expect(page.getByRole('heading', { name: 'No codes yet' })).toBeVisible();
});

test('a selection lasts over pages, and making it private asks first with the number of visited codes', {
  tag: '@late',
}, async ({ page, open, signIn, factories, ready, mode }) => {
  const account = await signIn();
  const made: { slug: string }[] = [];
  for (let n = 1; n <= 12; n += 1) made.push(await factories.code(account, { name: `Table ${n}` }));
  const [first] = made;
  await page.request.get(`/r/${first?.slug}`, { maxRedirects: 0, headers: PHONE });
  await factories.counted();
  await open('/user/qrcodes?order=name');
  await ready();
  await page.getByRole('checkbox', { name: 'Select Table 1', exact: true }).check();
  await page.getByRole('checkbox', { name: 'Select Table 10' }).check();
  // Without scripts a link cannot take the ticked boxes along.
  const next = page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: 'Next' });
  if (mode === 'js') await next.click();
  else await page.getByRole('button', { name: 'Go to page 2, keep the selection' }).click();
  await expect(page.getByRole('rowheader')).toContainText(['Table 11', 'Table 12']);
  await ready();
  await expect(page.getByText('2 on other pages')).toBeVisible();
  await page.getByRole('checkbox', { name: 'Select Table 12' }).check();
  await act(page, 'Make private');
  await expect(page.getByRole('heading', { level: 1, name: 'Make 3 codes private?' })).toBeVisible();
  await expect(page.getByText('1 of them was visited in the last 30 days.')).toBeVisible();
  await expect(page.getByText('Printed copies stop working for everyone else')).toBeVisible();
  await page.getByRole('link', { name: 'Keep the codes' }).click();
  await expect(page.getByRole('checkbox', { name: 'Select Table 12' })).toBeChecked();
  await expect(page.getByText('2 on other pages')).toBeVisible();
  await ready();
  await act(page, 'Make private');
  await ready();
  await page.getByRole('button', { name: 'Make 3 codes private' }).click();
  await expect(page.getByText('Codes changed: 3')).toBeVisible();
  await expect(page.getByText('2 on other pages')).toHaveCount(0);
  await expect(page.getByRole('checkbox', { name: 'Select Table 12' })).not.toBeChecked();
  const hidden = (await factories.codesOf(account)).filter(({ visibility }) => visibility === 'private');
  const expected = [1, 10, 12].map((table) => made[table - 1]?.slug);
  expect(hidden.map(({ slug }) => slug).sort()).toEqual(expected.sort());
});

async function act(page: Page, name: string): Promise<void> {
  await page.locator('.selection-bar summary').click();
  await page.getByRole('button', { name, exact: true }).click();
}
