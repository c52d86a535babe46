import { decodeImage } from '../../app/codes/pictures/decode.server';
import { expect, PHONE, test } from '../support/fixtures';

test('the row of a code that was just created is marked as new until the list is opened again', async ({
  page,
  open,
  signIn,
  factories,
  ready,
}) => {
  const account = await signIn();
  await factories.code(account, { content: 'https://older.example/' });
  await open('/create');
  await page.getByLabel('Web address').fill('https://newer.example/');
  await page.getByRole('button', { name: 'Create the code' }).click();
  const reported = page.getByRole('row', { name: 'newer.example' }).getByRole('status');
  await expect(reported).toHaveText(/^Done: QR code created successfully/);
  await expect(page.getByText('QR code created successfully')).toHaveCount(1);
  await ready();
  const [newer, older] = ['newer.example', 'older.example'].map((name) =>
    page.getByRole('row').filter({ has: page.getByRole('rowheader', { name }) }),
  );
  if (!newer || !older) throw new Error('no rows');
  await expect(newer.getByText('New', { exact: true })).toBeVisible();
  await expect(newer).toHaveCSS('box-shadow', /inset/);
  await expect(newer.getByRole('link', { name: 'Download' })).toHaveClass(/button/);
  await expect(older).toBeVisible();
  await expect(older.getByText('New', { exact: true })).toHaveCount(0);
  await expect(older).toHaveCSS('box-shadow', 'none');
  await expect(older.getByRole('link', { name: 'Download' })).not.toHaveClass(/button/);

  await open('/user/qrcodes');
  await expect(newer).toBeVisible();
  await expect(newer.getByText('New', { exact: true })).toHaveCount(0);
});

test('a code is created once, listed, downloaded, scanned, counted, changed and deleted', {
  tag: '@late',
}, async ({ page, open, signIn, factories, ready }) => {
  const account = await signIn();
  await open('/create');
  await page.getByLabel('Web address').fill('localhost:3000/first');
  await page.locator('label').filter({ hasText: 'Heart' }).click();
  await page.getByRole('button', { name: 'Create the code' }).click();
  await expect(page).toHaveURL(/\/user\/qrcodes$/);
  await expect(page.getByText('QR code created successfully')).toBeVisible();
  const [code] = await factories.codesOf(account);
  expect(code).toMatchObject({ type: 'link', content: 'https://localhost:3000/first', visibility: 'public' });

  await ready();
  await page.getByRole('link', { name: 'localhost:3000/first', exact: true }).click();
  await expect(page.getByRole('heading', { level: 1, name: 'localhost:3000/first' })).toBeVisible();
  await expect(page.getByText(/reads back: LOCALHOST:\d+\/R\//)).toBeVisible();

  for (const format of ['png', 'svg']) {
    const file = await page.request.get(`/user/qrcodes/${code?.id}/download?format=${format}&size=600`);
    expect(file.headers()['content-disposition']).toContain(`.${format}"`);
    expect(await decodeImage(await file.body())).toMatch(new RegExp(`/R/${code?.slug}$`));
  }
  const pdf = await page.request.get(`/user/qrcodes/${code?.id}/download?format=pdf&size=40`);
  expect((await pdf.body()).subarray(0, 5).toString()).toBe('%PDF-');

  const scan = await page.request.get(`/R/${code?.slug}`, { maxRedirects: 0, headers: PHONE });
  expect(scan.status()).toBe(302);
  expect(scan.headers().location).toBe('https://localhost:3000/first');
  expect(scan.headers()['cache-control']).toBe('no-store');
  await expect
    .poll(() => factories.visitsOf(code?.id ?? ''))
    .toEqual([{ source: 'scan', class: 'human', outcome: 'served' }]);

  await ready();
  await page.getByLabel('Web address').fill('https://localhost:3000/second');
  await page.getByRole('button', { name: 'Save the change' }).click();
  await expect(page.getByText('The code now leads to localhost:3000/second')).toBeVisible();
  const rescan = await page.request.get(`/r/${code?.slug.toLowerCase()}`, { maxRedirects: 0 });
  expect(rescan.headers().location).toBe('https://localhost:3000/second');

  await open(`/user/qrcodes/${code?.id}`);
  await page.locator('#history > summary').click();
  const old = page.locator('.history').getByRole('link', { name: 'https://localhost:3000/first' });
  await expect(old).toHaveAttribute('rel', 'noopener noreferrer nofollow');
  await page.getByRole('button', { name: 'Bring back what it was before' }).click();
  await expect(page.getByText('The code now leads to localhost:3000/first')).toBeVisible();
  await expect(page.getByLabel('Web address')).toHaveValue('https://localhost:3000/first');

  await open(`/user/qrcodes/${code?.id}`);
  await page.locator('#archive > summary').click();
  await page.getByRole('link', { name: 'Delete this code' }).click();
  await expect(page.getByText('This action cannot be undone.')).toBeVisible();
  await ready();
  await page.getByRole('button', { name: /^Delete/ }).click();
  await expect(page.getByText('QR code deleted successfully')).toBeVisible();
  expect((await factories.codesOf(account))[0]?.deleted_at).not.toBeNull();
});

test('a text keeps its lines when it is changed', async ({ page, open, signIn, factories }) => {
  const account = await signIn();
  const { id } = await factories.code(account, { type: 'text', content: 'Mon 9–17\nTue 10–18' });
  await open(`/user/qrcodes/${id}`);
  const text = page.getByLabel('Text');
  await text.fill(`${await text.inputValue()}\nWed closed`);
  await page.getByRole('button', { name: 'Save the change' }).click();
  await expect
    .poll(async () => (await factories.codesOf(account))[0]?.content)
    .toBe('Mon 9–17\nTue 10–18\nWed closed');
});

test('posting the same form twice creates one code', { tag: '@once' }, async ({
  page,
  open,
  signIn,
  factories,
  baseURL,
}) => {
  const account = await signIn();
  await open('/create');
  const key = await page.locator('input[name=key]').getAttribute('value');
  const multipart = { type: 'link', content: 'https://once.example/', intent: 'create', key: key ?? '' };
  const headers = { Origin: baseURL ?? '' };
  await Promise.all([0, 1].map(() => page.request.post('/create', { multipart, headers, maxRedirects: 0 })));
  expect(await factories.codesOf(account)).toHaveLength(1);
});

test('a code can be made private and public again', { tag: '@late' }, async ({
  page,
  open,
  signIn,
  factories,
  playwright,
  baseURL,
}) => {
  const account = await signIn();
  const code = await factories.code(account, { content: 'https://hidden.example/' });
  await open(`/user/qrcodes/${code.id}`);
  await page.locator('#visibility > summary').click();
  await page.getByRole('button', { name: 'Make it private' }).click();
  await expect(page.getByRole('button', { name: 'Make it public' })).toBeVisible();
  await expect(page.getByText('Now private: whoever scans it is told so')).toBeVisible();
  await expect(page.locator('.code-state')).toContainText('Private: only you see the content');
  const outsider = await playwright.request.newContext({ baseURL: baseURL ?? '' });
  const refused = await outsider.get(`/r/${code.slug}`, { maxRedirects: 0, headers: PHONE });
  expect(refused.status()).toBe(404);
  expect(await refused.text()).toContain('This code is private');
  const own = await page.request.get(`/r/${code.slug}`, { maxRedirects: 0 });
  expect(own.headers().location).toBe('https://hidden.example/');
  await expect
    .poll(async () => (await factories.visitsOf(code.id)).map((visit) => visit.class))
    .toEqual(['human', 'owner']);
});

test('an account cannot see, change or delete the codes of another account', { tag: '@once' }, async ({
  page,
  open,
  signIn,
  factories,
}) => {
  const owner = await factories.account();
  const code = await factories.code(owner, { content: 'https://theirs.example/' });
  await signIn();
  for (const path of ['', '/delete', '/download?format=png', '/logo']) {
    const response = await page.request.get(`/user/qrcodes/${code.id}${path}`, { maxRedirects: 0 });
    expect(response.status()).toBe(404);
  }
  expect(await open(`/user/qrcodes/${code.id}`)).toBe(404);
  expect((await factories.codesOf(owner))[0]?.deleted_at).toBeNull();
});

test('without an active subscription, creating a code leads to the subscription page', async ({
  page,
  open,
  signIn,
  factories,
}) => {
  const account = await signIn({ access: false });
  await open('/create');
  await page.getByLabel('Web address').fill('https://later.example/');
  await page.getByRole('button', { name: 'Create the code' }).click();
  await expect(page).toHaveURL(/\/user\/subscription$/);
  expect(await factories.codesOf(account)).toEqual([]);
});

test('a long list is paginated with links', async ({ page, open, signIn, factories, ready }) => {
  const account = await signIn();
  for (let n = 1; n <= 12; n += 1) await factories.code(account, { content: `https://many.example/${n}` });
  await open('/user/qrcodes');
  await expect(page.getByRole('rowheader')).toHaveCount(10);
  await ready();
  await page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: 'Next' }).click();
  await expect(page.getByRole('rowheader')).toHaveCount(2);
  await expect(page).toHaveURL(/page=2/);
});

test('the confirmation of a deletion shows the visits of the code and what printed copies will do', async ({
  page,
  open,
  signIn,
  factories,
}) => {
  const account = await signIn();
  const code = await factories.code(account, { content: 'https://printed.example/' });
  const wifi = await factories.code(account, {
    type: 'wifi',
    content: 'WIFI:T:WPA;S:Guests;P:welcome-2026;;',
  });
  const main = page.getByRole('main');
  await open(`/user/qrcodes/${code.id}/delete`);
  await expect(main.getByText('Nobody has scanned it or opened its link so far.')).toBeVisible();
  for (const path of ['r', 'r', 'l']) {
    await page.request.get(`/${path}/${code.slug}`, { maxRedirects: 0, headers: PHONE });
  }
  await factories.counted();
  await open(`/user/qrcodes/${code.id}/delete`);
  const counted = main.getByRole('region', { name: 'What it has counted so far' });
  await expect(counted.locator('dl')).toHaveText(/Visits\s*3\s*Scans\s*2\s*Clicks on its link\s*1/);
  await expect(
    main.getByText(/Anyone who scans a printed copy will be told that the code was deleted/),
  ).toBeVisible();
  await main.getByRole('link', { name: 'Keep the code' }).click();
  await expect(page).toHaveURL(`/user/qrcodes/${code.id}`);
  await open(`/user/qrcodes/${wifi.id}/delete`);
  await expect(main.getByText(/^Printed copies go on connecting phones/)).toBeVisible();
});

test('a code deleted in another window is reported as deleted everywhere', async ({
  page,
  open,
  signIn,
  factories,
  ready,
}) => {
  const account = await signIn();
  const code = await factories.code(account, { content: 'https://soon-gone.example/' });
  await open(`/user/qrcodes/${code.id}`);
  const other = await page.context().newPage();
  await other.goto(`/user/qrcodes/${code.id}/delete`);
  await other.getByRole('button', { name: /^Delete/ }).click();
  await other.waitForURL('**/user/qrcodes');
  await other.close();

  await page.getByLabel('Web address').fill('https://too-late.example/');
  await page.getByRole('button', { name: 'Save the change' }).click();
  await expect(page.getByRole('heading', { level: 1, name: 'This code was deleted' })).toBeVisible();
  for (const path of ['', '/delete', '/download?format=png']) {
    expect(await open(`/user/qrcodes/${code.id}${path}`)).toBe(410);
    await expect(page.getByText('Anyone who scans a printed copy')).toBeVisible();
  }
  await ready();
  await page.getByRole('main').getByRole('link', { name: 'All your codes' }).click();
  await expect(page.getByRole('heading', { level: 1, name: 'Your QR codes' })).toBeVisible();
});

test('deleting a code twice is not an error', async ({ page, open, signIn, factories }) => {
  const account = await signIn();
  const code = await factories.code(account, {});
  const first = await page.context().newPage();
  for (const window of [first, page]) {
    await window.goto(`/user/qrcodes/${code.id}/delete`, { waitUntil: 'domcontentloaded' });
  }
  for (const window of [first, page]) {
    await window.getByRole('button', { name: /^Delete/ }).click();
    await expect(window.getByText('QR code deleted successfully')).toBeVisible();
  }
  await first.close();
  await open('/user/qrcodes');
});

test('a Wi-Fi code cannot be made private, as its image contains the network', async ({
  page,
  open,
  signIn,
  factories,
}) => {
  const account = await signIn();
  const content = 'WIFI:T:WPA;S:Guests;P:espresso;;';
  const wifi = await factories.code(account, { type: 'wifi', content });
  await open(`/user/qrcodes/${wifi.id}`);
  await page.locator('#visibility > summary').click();
  await expect(page.getByText('so it cannot be made private')).toBeVisible();
  await expect(page.getByRole('button', { name: 'Make it private' })).toHaveCount(0);
  await open('/user/qrcodes');
  const row = page.getByRole('row').filter({ hasText: 'Guests' });
  await expect(row).toContainText('Open to anyone who has the image');
  await expect(row).toContainText('Not counted');
  await expect(row).not.toContainText('Public');
});

test('the page of a private code warns that its direct files are readable', async ({
  page,
  open,
  signIn,
  factories,
}) => {
  const account = await signIn();
  const code = await factories.code(account, { content: 'https://hidden.example/' });
  const warning = page.getByText('a direct file is not');
  await open(`/user/qrcodes/${code.id}`);
  await page.getByText('Files with the content itself (direct)', { exact: true }).click();
  await expect(warning).toBeHidden();
  await page.locator('#visibility > summary').click();
  await page.getByRole('button', { name: 'Make it private' }).click();
  await expect(page.getByRole('button', { name: 'Make it public' })).toBeVisible();
  if (!(await warning.isVisible()))
    await page.getByText('Files with the content itself (direct)', { exact: true }).click();
  await expect(warning).toBeVisible();
});

test('campaign parameters are shown in the address before they are saved, and visitors then get them', {
  tag: '@late',
}, async ({ page, open, signIn, factories, ready, mode }) => {
  const account = await signIn();
  await open('/create');
  await page.getByLabel('Web address').fill('made.example/?utm_source=own&a=1');
  await page.getByText('Campaign parameters', { exact: true }).click();
  await page.getByLabel('utm_source (source)').fill('flyer');
  await page.getByLabel('utm_campaign (campaign)').fill('{nmae}');
  await page.getByRole('button', { name: 'Create the code' }).click();
  const refused = page.getByText('In braces, only {name}, {tag} and {id} have a meaning.');
  await expect(refused).toHaveCount(2);
  await page.getByLabel('utm_campaign (campaign)').fill('{name}');
  await page.getByText('Name, tags and counting', { exact: true }).click();
  await page.getByLabel('Name (optional)').fill('Spring sale');
  await page.getByRole('button', { name: 'Preview and check' }).click();
  // With scripts, the address is there before the response.
  await expect(page.getByText(/reads back/)).toBeVisible();
  const final = 'https://made.example/?utm_source=flyer&a=1&utm_campaign=Spring%20sale';
  await expect(page.locator('.final-address')).toHaveText(`Visitors get this address: ${final}`);
  await page.getByRole('button', { name: 'Create the code' }).click();
  await expect(page.getByText('QR code created successfully')).toBeVisible();
  const [code] = await factories.codesOf(account);
  expect(code?.content).toBe('https://made.example/?utm_source=own&a=1');

  await open(`/user/qrcodes/${code?.id}`);
  await ready();
  await page.locator('#campaign > summary').click();
  await page.getByLabel('Further parameters').fill('b=2');
  // With scripts, it follows what is typed.
  if (mode !== 'js') await page.getByRole('button', { name: 'Show the address' }).click();
  await expect(page.locator('.final-address')).toHaveText(`Visitors get this address: ${final}&b=2`);
  await expect(page.getByLabel('Further parameters')).toHaveValue('b=2');
  await page.getByRole('button', { name: 'Save parameters' }).click();
  await expect(page.getByText('Campaign parameters saved.')).toBeVisible();
  const location = async () =>
    (await page.request.get(`/l/${code?.slug}`, { maxRedirects: 0 })).headers().location;
  await expect.poll(location).toBe(`${final}&b=2`);
  await open(`/user/qrcodes/${code?.id}`);
  await page.locator('#campaign > summary').click();
  await page.getByRole('link', { name: 'Figures of the campaign “Spring sale”' }).click();
  await expect(page.getByRole('link', { name: 'Campaign “Spring sale”' })).toBeVisible();
});
