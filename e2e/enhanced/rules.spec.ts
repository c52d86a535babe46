import { send } from '../../tests/support/json-calls';
import { expect, test } from '../support/fixtures';
import { host } from '../support/host';

test('whoever deletes a rule goes on from the heading, and another period keeps the visit that is tried', async ({
  page,
  open,
  signIn,
  factories,
}) => {
  const account = await signIn();
  const code = await factories.code(account, { content: 'https://menu.example/' });
  const rules = ['a', 'b'].map((name) => ({ variants: [{ target: `https://${name}.example/` }] }));
  const answer = await send(host, 'PATCH', `/api/qrcodes/${code.id}`, { routing: { rules } }, account);
  expect(answer.status).toBe(200);
  await open(`/user/qrcodes/${code.id}/rules?at=2026-12-01T19:30&country=&system=android&language=es`);
  const tried = page.getByRole('region', { name: 'Rule 1 answers' });
  await expect(tried).toBeVisible();
  await page.getByRole('link', { name: '7 days' }).click();
  await expect(page).toHaveURL(/language=es&period=7$/);
  await expect(tried).toBeVisible();

  await open(`/user/qrcodes/${code.id}/rules`);
  const remove = page.getByRole('button', { name: 'Delete Rule 2' });
  await remove.focus();
  await page.keyboard.press('Enter');
  await expect(remove).toHaveCount(0);
  await expect(page.getByRole('heading', { level: 1, name: 'Where this code leads' })).toBeFocused();
});
