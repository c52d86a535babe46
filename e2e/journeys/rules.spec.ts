import type { Page } from '@playwright/test';
import { expect, PHONE, test } from '../support/fixtures';

/** Where a phone is led that scans a code; the text of the page if it is led nowhere. */
async function scan(page: Page, slug: string, phone: Record<string, string> = PHONE) {
  const answer = await page.request.get(`/r/${slug}`, { maxRedirects: 0, headers: phone });
  return { status: answer.status(), to: answer.headers().location, text: await answer.text() };
}

const ANDROID = {
  'User-Agent':
    'Mozilla/5.0 (Linux; Android 14; Pixel 8) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/130.0.0.0 Mobile Safari/537.36',
  Cookie: '',
};

test('a rule is made, found to be never reached, moved, tried and followed by phones', async ({
  page,
  open,
  signIn,
  factories,
  ready,
}) => {
  const account = await signIn();
  const code = await factories.code(account, { content: 'https://menu.example/' });
  await open(`/user/qrcodes/${code.id}`);
  await page.getByRole('link', { name: 'Add rules by language, device, country or time' }).click();
  await expect(page.getByRole('heading', { level: 1, name: 'Where this code leads' })).toBeVisible();
  await ready();

  const add = async (fill: () => Promise<void>) => {
    await page.getByRole('link', { name: 'Add a rule' }).click();
    await expect(page.getByRole('heading', { level: 1, name: 'Add a rule' })).toBeVisible();
    await ready();
    await fill();
    await page.getByRole('button', { name: 'Save the rule' }).click();
    await expect(page.getByText('Rule added')).toBeVisible();
    await ready();
  };
  const address = page.getByLabel('Web address', { exact: true });
  await add(() => address.fill('everyone.example'));
  await add(async () => {
    await page.getByRole('group', { name: 'Device' }).getByLabel('iOS').check();
    await page.getByLabel('Language of the phone').fill('French, German, English');
    await address.fill('store.example');
  });
  const rules = page.getByRole('region', { name: 'Rules in their order' });
  await expect(rules).toContainText('Language: English, French or German');
  const unreached = page.getByText('Never reached: rule 1 before it matches every visit.');
  await expect(unreached).toBeVisible();
  const language = { 'Accept-Language': 'fr-FR,fr;q=0.9' };
  expect((await scan(page, code.slug, { ...PHONE, ...language })).to).toBe('https://everyone.example');

  await page.getByRole('button', { name: 'Move up Rule 2' }).click();
  await expect(page.getByText('The rule is number 1 now')).toBeVisible();
  await ready();
  await expect(unreached).toHaveCount(0);
  expect((await scan(page, code.slug, { ...PHONE, ...language })).to).toBe('https://store.example');
  expect((await scan(page, code.slug, { ...ANDROID, ...language })).to).toBe('https://everyone.example');

  await page.getByLabel('Device').last().selectOption('Android');
  await page.getByRole('combobox', { name: 'Language of the phone' }).selectOption('Spanish');
  await page.getByRole('button', { name: 'Try it' }).click();
  const answer = page.getByRole('region', { name: 'Rule 2 answers' });
  await expect(answer).toContainText('everyone.example');
  await expect(answer).toContainText('The language is Spanish, the rule asks for English, French or German.');
  await expect(answer).toContainText('The device: Android. The rule asks for iOS.');
  await expect(page).toHaveURL(/#answer$/);
  await ready();

  await page.getByRole('button', { name: 'Delete Rule 1' }).click();
  await expect(page.getByText('Rule deleted. The history of the code can bring it back.')).toBeVisible();
  await expect(rules.getByText('store.example')).toHaveCount(0);
  expect((await scan(page, code.slug, { ...PHONE, ...language })).to).toBe('https://everyone.example');
});

test('a rule with mistakes keeps what was typed, and a split is kept or reduced to its winner', async ({
  page,
  open,
  signIn,
  factories,
  ready,
  mode,
}) => {
  const account = await signIn();
  const code = await factories.code(account, { content: 'https://menu.example/' });
  await open(`/user/qrcodes/${code.id}/rules/new`);
  const address = page.getByLabel('Web address', { exact: true });
  await page.getByLabel('Country').fill('Deutschland, Frence');
  await address.fill('a.example');
  await page.getByText('Split among several targets').click();
  await page.getByLabel('Web address 2').fill('b.example');
  await page.getByLabel('Share of address 1').fill('50');
  await page.getByLabel('Share of address 2').fill('40');
  await page.getByRole('button', { name: 'Save the rule' }).click();
  const summary = page.getByRole('region', { name: 'There is a problem' });
  await expect(summary).toBeFocused();
  await expect(summary.getByRole('listitem')).toHaveText([
    'One of these is no country that we know. Did you mean “France”?',
    'The percentages do not add up to 100. Change them, or leave all of them empty to divide evenly.',
  ]);
  await ready();
  await expect(page.getByLabel('Share of address 2')).toHaveValue('40');
  await page.getByLabel('Country').fill('Deutschland, France');
  await page.getByLabel('Share of address 2').fill('50');
  await page.getByRole('button', { name: 'Save the rule' }).click();
  await expect(page.getByText('Rule added')).toBeVisible();
  await ready();
  const rules = page.getByRole('region', { name: 'Rules in their order' });
  await expect(rules).toContainText('Country: France or Germany');
  await expect(rules).toContainText('50% a.example');
  if (mode === 'js') await expect(page.locator('#rule-1')).toBeFocused();

  await page.getByRole('link', { name: 'Keep only this one b.example' }).click();
  await expect(page.getByRole('heading', { level: 1, name: 'Keep only b.example?' })).toBeVisible();
  await ready();
  await page.getByRole('button', { name: 'Keep only b.example' }).click();
  await expect(page.getByText('The rule now has this one target')).toBeVisible();
  await expect(rules.getByText('a.example')).toHaveCount(0);
});

test('a code is paused, resumed, ended and lasts again', async ({ page, open, signIn, factories, ready }) => {
  const account = await signIn();
  const code = await factories.code(account, { content: 'https://menu.example/' });
  await open(`/user/qrcodes/${code.id}`);
  await page.locator('#pause > summary').click();
  await page.getByLabel('Message to visitors').fill('Back on Monday at 9.');
  await page.getByRole('button', { name: 'Pause the code' }).click();
  await expect(page.getByText('Paused: whoever scans the code reads the message')).toBeVisible();
  await expect(page.locator('.code-state')).toContainText('Paused: it leads nowhere for now');
  const paused = await scan(page, code.slug);
  expect([paused.status, paused.to]).toEqual([200, undefined]);
  expect(paused.text).toContain('Back on Monday at 9.');
  await open('/user/qrcodes');
  await expect(page.getByRole('rowheader', { name: 'menu.example' })).toContainText('Paused');

  await open(`/user/qrcodes/${code.id}`);
  await page.getByRole('button', { name: 'Resume' }).click();
  await expect(page.getByText('Resumed: the code answers again')).toBeVisible();
  await ready();
  expect((await scan(page, code.slug)).to).toBe('https://menu.example/');

  await page.locator('#end:not([open]) > summary').click();
  await page.getByLabel('Ends after this many visits in all').fill('none');
  await page.getByRole('button', { name: 'Save the end' }).click();
  await expect(page.getByText('Enter a whole number of visits, such as 500.').last()).toBeVisible();
  await ready();
  // Two so far: one got the message of the pause.
  await page.getByLabel('Ends after this many visits in all').fill('4');
  await page.getByLabel('Or shows this message').fill('Sold out. Thank you!');
  await page.getByRole('button', { name: 'Save the end' }).click();
  await expect(page.getByText('The end is saved')).toBeVisible();
  for (const _ of ['third', 'fourth']) expect((await scan(page, code.slug)).status).toBe(302);
  await factories.counted();
  await expect.poll(async () => (await scan(page, code.slug)).status).toBe(410);
  expect((await scan(page, code.slug)).text).toContain('Sold out. Thank you!');

  await open(`/user/qrcodes/${code.id}`);
  await expect(page.locator('.code-state')).toContainText('Ended.');
  await page.getByRole('button', { name: 'Remove the end' }).click();
  await expect(page.getByText('The code has no end any more')).toBeVisible();
  await expect.poll(async () => (await scan(page, code.slug)).to).toBe('https://menu.example/');
});
