import { expect, test } from '../support/fixtures';

test('a filter applies at once, keeps the focus, and says what it found', async ({
  page,
  open,
  signIn,
  factories,
}) => {
  const account = await signIn();
  await factories.code(account, { name: 'Menu' });
  await factories.code(account, { name: 'Rules', type: 'text', content: 'x' });
  await open('/user/qrcodes');
  const kind = page.getByLabel('Kind');
  await kind.focus();
  await kind.selectOption('Text');
  await expect(page.getByRole('rowheader')).toHaveCount(1);
  await expect(page).toHaveURL('/user/qrcodes?type=text');
  await expect(kind).toBeFocused();
  await expect(page.locator('[role=status]').filter({ hasText: '1 code found' })).toBeAttached();
  const search = page.getByLabel('Search names');
  await search.fill('nothing');
  await search.press('Enter');
  await expect(page.getByRole('heading', { name: 'No code matches' })).toBeVisible();
  await expect(search).toBeFocused();
  await page.getByRole('main').getByRole('link', { name: 'Show all codes' }).first().click();
  await expect(page).toHaveURL('/user/qrcodes');
  await expect(search).toHaveValue('');
  await expect(kind).toHaveValue('');
});

test('what is typed while the list is loading stays', async ({ page, open, signIn, factories }) => {
  const account = await signIn();
  await factories.code(account, { name: 'Menu' });
  await open('/user/qrcodes');
  let answer = () => {};
  const typed = new Promise<void>((resolve) => {
    answer = resolve;
  });
  await page.route('**/user/qrcodes.data?*', async (route) => {
    await typed;
    await route.continue();
  });
  const search = page.getByLabel('Search names');
  await search.fill('Men');
  const request = page.waitForRequest('**/user/qrcodes.data?*');
  await search.press('Enter');
  await request;
  await search.pressSequentially('u card');
  answer();
  await expect(page).toHaveURL('/user/qrcodes?search=Men');
  await expect(page.locator('[role=status]').filter({ hasText: '1 code found' })).toBeAttached();
  await expect(search).toHaveValue('Menu card');
});

test('a selected code that is deleted by itself leaves the selection', async ({
  page,
  open,
  signIn,
  factories,
}) => {
  const account = await signIn();
  const gone = await factories.code(account, { name: 'Gone' });
  await factories.code(account, { name: 'Kept' });
  await open('/user/qrcodes');
  for (const name of ['Gone', 'Kept'])
    await page.getByRole('checkbox', { name: `Select ${name}`, exact: true }).check();
  await open(`/user/qrcodes/${gone.id}/delete`);
  await page.getByRole('button', { name: /^Delete/ }).click();
  await expect(page.getByText('QR code deleted successfully')).toBeVisible();
  await expect(page.locator('.selection-bar')).toContainText(/^\s*1 selected(?!,)/);
});

test('whoever comes back to a filtered list starts at its heading and hears its title', async ({
  page,
  open,
  signIn,
  factories,
}) => {
  const account = await signIn();
  await factories.code(account, { name: 'Menu' });
  await factories.code(account, { name: 'Rules', type: 'text', content: 'x' });
  await open('/user/qrcodes');
  const list = page.getByRole('heading', { level: 1, name: 'Your QR codes' });
  await page.getByLabel('Kind').selectOption('Text');
  await expect(page).toHaveURL('/user/qrcodes?type=text');
  await page.getByRole('rowheader').getByRole('link', { name: 'Rules' }).click();
  await expect(page.getByRole('heading', { level: 1, name: 'Rules' })).toBeFocused();
  await page.goBack();
  await expect(page).toHaveURL('/user/qrcodes?type=text');
  await expect(list).toBeFocused();
  await expect(page.locator('[role=status]').filter({ hasText: 'Your QR codes' })).toBeAttached();
});

test('the acts on selected codes appear with the first, are announced, and never leave the focus behind', async ({
  page,
  open,
  signIn,
  factories,
}) => {
  const account = await signIn();
  for (let n = 1; n <= 11; n += 1) await factories.code(account, { name: `Table ${n}` });
  await open('/user/qrcodes?order=name');
  const bar = page.locator('.selection-bar');
  await expect(bar).toBeHidden();
  await page.getByRole('checkbox', { name: 'Select Table 1', exact: true }).check();
  const said = page.locator('[role=status]');
  await expect(said.filter({ hasText: /^1 selected$/ })).toBeAttached();
  await expect(bar).toBeInViewport();
  await page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: 'Next' }).click();
  await expect(page.getByRole('rowheader')).toHaveCount(1);
  await page.getByRole('checkbox', { name: 'Select Table 11' }).check();
  await expect(said.filter({ hasText: '1 selected, 1 on other pages' })).toBeAttached();
  await page.goBack();
  await expect(page.getByRole('checkbox', { name: 'Select Table 1', exact: true })).toBeChecked();
  await bar.getByRole('button', { name: 'Select none' }).click();
  await expect(bar).toBeHidden();
  await expect(page.getByRole('checkbox', { name: 'Select all on this page' })).toBeFocused();
  await page.keyboard.press('Space');
  await expect(said.filter({ hasText: /^10 selected$/ })).toBeAttached();
  await bar.locator('summary').click();
  await bar.getByRole('button', { name: 'Make public' }).click();
  await expect(page.getByText('Codes changed: 10')).toBeVisible();
  await expect(bar).toBeHidden();
  await expect(page.getByRole('heading', { level: 1 })).toBeFocused();
});

test('the menu of a row closes by Esc and when something else is used', async ({
  page,
  open,
  signIn,
  factories,
}) => {
  const account = await signIn();
  for (const name of ['One', 'Two']) await factories.code(account, { name, tags: ['a', 'b', 'third'] });
  await open('/user/qrcodes?order=name');
  const menuOf = (name: string) => page.locator('summary', { hasText: `More about ${name}` });
  await menuOf('Two').click();
  const edit = page.getByRole('link', { name: 'Edit Two' });
  await expect(edit).toBeVisible();
  await edit.focus();
  await page.keyboard.press('Escape');
  await expect(edit).toBeHidden();
  await expect(menuOf('Two')).toBeFocused();
  await menuOf('Two').click();
  await menuOf('One').click();
  await expect(edit).toBeHidden();
  await expect(page.getByRole('link', { name: 'Delete One' })).toBeVisible();
  await expect(page.getByRole('link', { name: 'third' })).toBeVisible();
});
