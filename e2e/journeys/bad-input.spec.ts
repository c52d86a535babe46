import { chooseType, expect, test } from '../support/fixtures';
import { badLogos } from '../support/logos';

test('a link that runs a script gets an error message and stays in the form', async ({ page, open }) => {
  const content = 'javascript:alert(1)';
  const message = 'Only http and https work, without a user name or password.';
  await open('/create');
  await page.getByLabel('Web address').fill(content);
  await page.getByRole('button', { name: 'Create the code' }).click();
  const summary = page.getByRole('region', { name: 'There is a problem' });
  await expect(summary.getByRole('link', { name: message })).toBeVisible();
  await expect(summary).toBeFocused();
  await expect(page).toHaveTitle(/^Error: /);
  await expect(page.getByLabel('Web address')).toHaveValue(content);
  await expect(page.getByLabel('Web address')).toHaveAccessibleDescription(
    new RegExp(message.replace('.', '\\.')),
  );
  await summary.getByRole('link', { name: message }).click();
  await expect(page.getByLabel('Web address')).toBeFocused();
});

test('Wi-Fi details that phones would misread are refused', async ({ page, open }) => {
  await open('/create');
  await chooseType(page, 'Wi-Fi');
  await page.getByLabel('Network name (SSID)').fill('ÄÖÜäöüßÄÖÜäöüßÄÖ!');
  await page.getByLabel('Network password').fill('short');
  await page.getByRole('button', { name: 'Create the code' }).click();
  await expect(page.getByText(/longer than 32 bytes/).first()).toBeVisible();
  await expect(page.getByText(/8 to 63 plain characters/).first()).toBeVisible();
  await page.getByLabel('Network name (SSID)').fill('Guests');
  await page.getByLabel('Network password').fill('ends in slash\\');
  await page.getByRole('button', { name: 'Create the code' }).click();
  await expect(page.getByText(/ends in a backslash/).first()).toBeVisible();
});

test('invalid logo files get their error messages, and the content stays', async ({ page, open }) => {
  await open('/create');
  for (const [upload, message] of await badLogos()) {
    await page.getByLabel('Web address').fill('https://example.com/logos');
    await page.getByLabel('Your own image').setInputFiles(upload);
    await page.getByRole('button', { name: 'Preview and check' }).click();
    await expect(page.locator('#create-logo-error')).toContainText(message);
    await expect(page.getByLabel('Web address')).toHaveValue('https://example.com/logos');
  }
});

test("a hand-made POST with a disabled type, a path as preset or another's draft changes nothing", {
  tag: '@once',
}, async ({ page, open, baseURL }) => {
  const headers = { Origin: baseURL ?? '' };
  const base = { type: 'link', content: 'https://example.com/', intent: 'create', key: 'by-hand' };
  const bad: [Record<string, string>, RegExp][] = [
    [{ ...base, type: 'image' }, /Image and video are coming soon/],
    [{ ...base, logoPreset: '../../../etc/passwd' }, /Choose one of the logos shown/],
    [{ ...base, draft: 'e58ed763-928c-4155-bee9-fdbaaadc15f3' }, /saved design is no longer there/],
  ];
  for (const [multipart, message] of bad) {
    const response = await page.request.post('/create', { multipart, headers, maxRedirects: 0 });
    expect(response.status()).toBeGreaterThanOrEqual(400);
    expect(response.status()).toBeLessThan(500);
    expect(await response.text()).toMatch(message);
  }
  expect(await open('/create')).toBe(200);
});

test('invalid page numbers show the first page and say so', async ({ page, open, signIn, factories }) => {
  const account = await signIn();
  await factories.code(account, { content: 'https://only.example/' });
  for (const number of ['-1', 'abc', '1000000000', '2.5', '0']) {
    expect(await open(`/user/qrcodes?page=${number}`)).toBe(200);
    await expect(page.getByText('There is no page with that number')).toBeVisible();
    await expect(page.getByRole('link', { name: 'only.example', exact: true })).toBeVisible();
  }
  expect(await open('/user/qrcodes?page=2')).toBe(200);
  await expect(page.getByText('There is no page with that number')).toBeVisible();
  await expect(page).toHaveURL(/\/user\/qrcodes$/);
});
