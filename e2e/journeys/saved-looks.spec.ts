import { expect, test } from '../support/fixtures';

test("a look is saved, applied to another code, and reverted from that code's history", async ({
  page,
  open,
  signIn,
  factories,
  ready,
}) => {
  const account = await signIn();
  const style = { version: 1, moduleShape: 'dots', ringShape: 'circle', cornerColour: '#a4210d' };
  const styled = await factories.code(account, { content: 'https://styled.example/', style });
  const plain = await factories.code(account, { content: 'https://plain.example/' });

  await open(`/user/qrcodes/${styled.id}/look`);
  await page.locator('summary', { hasText: 'Save this look' }).click();
  await page.getByRole('button', { name: 'Save this look' }).click();
  await expect(page.getByRole('link', { name: 'Enter a name.' })).toBeVisible();
  await ready();
  await page.getByLabel('Name of the look').fill('Shop window');
  await page.getByRole('button', { name: 'Save this look' }).click();
  await expect(page.getByText('Look saved: Shop window')).toBeVisible();
  await expect(page).toHaveURL(`/user/qrcodes/${styled.id}/look`);

  await open('/user/qrcodes');
  await ready();
  await page.getByRole('checkbox', { name: 'Select plain.example' }).check();
  await page.getByRole('button', { name: 'Logo and look' }).click();
  await page.locator('label', { hasText: 'Shop window' }).click();
  await page.getByRole('button', { name: 'Change 1 code' }).click();
  await expect(page.getByText('Codes changed: 1')).toBeVisible();
  expect((await page.request.get(`/r/${plain.slug}`, { maxRedirects: 0 })).status()).toBe(302);

  await open(`/user/qrcodes/${plain.id}`);
  await page.locator('#history > summary').click();
  await expect(page.locator('.history img')).toHaveCount(2);
  await page.getByRole('button', { name: 'Bring back the previous look' }).click();
  await expect(page.getByText('The new look is in every file you download from now on.')).toBeVisible();
});

test('a saved look is changed, shown on a code before it is used, and offered for the codes with a tag', async ({
  page,
  open,
  signIn,
  factories,
  ready,
}) => {
  const account = await signIn();
  const style = { version: 1, moduleShape: 'dots' };
  const code = await factories.code(account, { content: 'https://plain.example/', tags: ['terrace'], style });

  await open(`/user/qrcodes/${code.id}/look`);
  await page.locator('summary', { hasText: 'Save this look' }).click();
  await ready();
  await page.getByLabel('Name of the look').fill('Shop window');
  await page.getByRole('button', { name: 'Save this look' }).click();
  await expect(page.getByText('Look saved: Shop window')).toBeVisible();
  await page.getByRole('link', { name: 'All saved looks' }).click();
  await page.getByRole('link', { name: 'Change Shop window' }).click();
  await ready();
  await page.getByLabel('Name of the look').fill('Winter');
  await page.locator('label', { hasText: 'Vertical bars' }).click();
  await page.locator('label', { hasText: 'heart' }).click();
  await page.getByRole('button', { name: 'Save the look' }).click();
  await expect(page.getByText('Look saved: Winter')).toBeVisible();

  await page.getByRole('link', { name: 'Use for codes Winter' }).click();
  await ready();
  await page.getByRole('button', { name: 'See it on this code' }).click();
  await expect(page).toHaveURL(new RegExp(`/user/qrcodes/${code.id}/look\\?look=`));
  await expect(page.getByRole('radio', { name: 'Vertical bars' })).toBeChecked();
  await ready();
  await page.getByRole('button', { name: 'Use this logo and look' }).click();
  await expect(page.getByText('The new look is in every file you download from now on.')).toBeVisible();

  await open('/user/styles');
  await page.getByRole('link', { name: 'Use for codes Winter' }).click();
  await ready();
  await page.getByLabel('For all codes with a tag').fill('terrace');
  await page.getByRole('button', { name: 'Go on with these codes' }).click();
  await expect(page.getByRole('heading', { name: 'A logo and a look for 1 code' })).toBeVisible();
  await expect(page.getByRole('radio', { name: 'Winter' })).toBeChecked();
});
