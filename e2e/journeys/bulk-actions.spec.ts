import { expect, test } from '../support/fixtures';
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
  await page.getByRole('button', { name: 'Archive', exact: true }).click();
  await expect(page.getByText('Codes changed: 1')).toBeVisible();
  expect((await page.request.get(`/r/${code.slug}`, { maxRedirects: 0 })).status()).toBe(302);

  await open('/user/qrcodes?show=archived');
  await ready();
  await page.getByRole('checkbox', { name: 'Select kept.example' }).check();
  await page.getByRole('button', { name: 'Restore from archive' }).click();
  await expect(page.getByText('Codes changed: 1')).toBeVisible();
  await open('/user/qrcodes');
  await expect(page.getByRole('rowheader')).toHaveCount(1);
});

test('an action on all matching codes runs as a job, whose page follows it to the end', async ({
  page,
  open,
  signIn,
  factories,
  ready,
  mode,
}) => {
  const account = await signIn();
  for (let n = 0; n < 250; n += 1) await factories.code(account, { content: `https://many.example/${n}` });
  await open('/user/qrcodes?search=many');
  await ready();
  await page.getByRole('checkbox', { name: 'All 250 results' }).check();
  await page.getByRole('button', { name: 'Delete', exact: true }).click();
  await expect(page.getByRole('heading', { level: 1, name: 'Delete 250 codes?' })).toBeVisible();
  await ready();
  await page.getByRole('button', { name: 'Delete 250 codes' }).click();
  await expect(page.getByRole('progressbar')).toBeVisible();
  await expectJobEnd(page, mode, 'Done: 250 of 250 codes');
  await open('/user/qrcodes');
  await expect(page.getByRole('heading', { name: 'No codes yet' })).toBeVisible();
});
