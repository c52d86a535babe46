import { startFailingHost } from '../support/failing-host';
import { test as base, expect } from '../support/fixtures';
import { isFormPost } from '../support/form-posts';
import { pictureBytes } from '../support/logos';
import { startWebsite } from '../support/website';

type FailingHost = Awaited<ReturnType<typeof startFailingHost>>;

const test = base.extend<object, { failing: { url: string; host: FailingHost } }>({
  failing: [
    async ({ browserName: _browser }, use) => {
      await using host = await startFailingHost('POST /api/qrcodes');
      await using website = await startWebsite({ HOST_URL: host.url });
      await use({ url: website.url, host });
    },
    { scope: 'worker' },
  ],
});

test.afterEach(({ failing }) => failing.host.fail('none'));

test('if the host fails while a code is created, the form says so and keeps everything, including the logo', {
  tag: '@late',
}, async ({ page, open, signIn, factories, failing, mode }) => {
  const account = await signIn();
  await open(`${failing.url}/`);
  await page.getByLabel('Web address').fill('https://kept.example/');
  await page.getByLabel('Your own image').setInputFiles(await pictureBytes('mark.png'));
  failing.host.fail('refuses');
  const [answer] = await Promise.all([
    page.waitForResponse((response) => isFormPost(response.request())),
    page.getByRole('button', { name: 'Create the code' }).click(),
  ]);
  expect(answer.status()).toBe(503);
  const box = page.locator('#create-failure');
  await expect(box).toHaveText('The service is not responding right now. Try again in a moment.');
  await expect(page.getByLabel('Web address')).toHaveValue('https://kept.example/');
  if (mode === 'js') {
    await expect(page).toHaveURL(`${failing.url}/`);
    await expect(page.getByLabel('Your own image')).toHaveValue(/mark\.png$/);
    await expect(page.getByRole('img', { name: 'Preview of your QR code' })).toBeVisible();
  } else {
    expect(answer.headers()['retry-after']).toBe('30');
    await expect(page.getByText('Current logo: mark.png')).toBeVisible();
  }
  failing.host.fail('none');
  await page.getByRole('button', { name: 'Create the code' }).click();
  await expect(page.getByText('QR code created successfully')).toBeVisible();
  const [code, ...others] = await factories.codesOf(account);
  expect(others).toEqual([]);
  const logo = await page.request.get(`${failing.url}/user/qrcodes/${code?.id}/logo`);
  expect(logo.headers()['content-type']).toBe('image/png');
});

test('a code is not created twice if the first response was lost', { tag: '@late' }, async ({
  page,
  open,
  signIn,
  factories,
  failing,
}) => {
  const account = await signIn();
  await open(`${failing.url}/create`);
  await page.getByLabel('Web address').fill('https://once.example/');
  failing.host.fail('loses-answers');
  await page.getByRole('button', { name: 'Create the code' }).click();
  await expect(page.locator('#create-failure')).toBeVisible();
  expect(await factories.codesOf(account)).toHaveLength(1);
  failing.host.fail('none');
  await page.getByRole('button', { name: 'Create the code' }).click();
  await expect(page.getByText('QR code created successfully')).toBeVisible();
  expect(await factories.codesOf(account)).toHaveLength(1);
});
