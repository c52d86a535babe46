import type { Page } from '@playwright/test';
import { expect, test } from '../support/fixtures';

/** Freezes the page's timers, so that the test cannot miss what shows for only a second. */
async function stopClock(page: Page): Promise<void> {
  await page.clock.pauseAt((await page.evaluate(() => Date.now())) + 1_000);
}

test('a refused form in the middle of a page moves the focus to its error summary', async ({
  page,
  open,
  signIn,
}) => {
  await signIn();
  await open('/user/settings');
  await page.getByRole('button', { name: 'Change the password' }).click();
  const summary = page.getByRole('region', { name: 'There is a problem' });
  await expect(summary).toBeFocused();
  await expect(summary).toBeInViewport();
});

test('the page after a password change redirects to the login after a second', async ({
  page,
  open,
  signIn,
}) => {
  await page.clock.install();
  const account = await signIn();
  await open('/user/settings');
  const password = page.locator('#password-section');
  await password.getByLabel('Current password').fill(account.password);
  await password.getByLabel('New password').fill('seven paper lanterns at noon');
  await password.getByLabel('Repeat the password').fill('seven paper lanterns at noon');
  await stopClock(page);
  await password.getByRole('button', { name: 'Change the password' }).click();
  await expect(
    page.getByText('Your password has been changed and you are signed out everywhere.'),
  ).toBeVisible();
  await page.clock.runFor(999);
  await expect(page).toHaveURL(/\/user\/signed-out$/);
  await page.clock.runFor(1);
  await expect(page).toHaveURL(/\/login$/);
  await expect(page.getByText('Password changed successfully. You are signed out everywhere')).toBeVisible();
});

test('the home page says goodbye after an account is deleted', async ({ page, open, signIn }) => {
  await page.clock.install();
  const account = await signIn();
  await open('/user/settings/delete');
  await page.getByLabel('Current password').fill(account.password);
  await stopClock(page);
  await page.getByRole('button', { name: 'Delete my account for good' }).click();
  await expect(page.getByRole('heading', { name: 'Your account is deleted' })).toBeVisible();
  await page.clock.resume();
  await page.waitForURL(/:\d+\/$/);
  const goodbye = page.getByText('Thank you for having been with us.');
  await expect(goodbye).toBeVisible();
  await expect(page.locator('.notice.success')).not.toHaveClass(/passing/);
  await page.getByRole('button', { name: 'Close the message' }).click();
  await expect(goodbye).toHaveCount(0);
  await page.reload();
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
  await expect(goodbye).toHaveCount(0);
});

test('a notice stays for as long as its text takes to read, and longer under the pointer', async ({
  page,
  open,
  signIn,
  factories,
}) => {
  const account = await signIn();
  const code = await factories.code(account, { content: 'https://before.example/' });
  await page.clock.install();
  await open(`/user/qrcodes/${code.id}`);
  await page.locator('#edit [name=content]').fill('https://after.example/');
  await stopClock(page);
  await page.locator('#edit button[type=submit]').click();
  const notice = page.locator('.notice.success');
  await expect(notice).toContainText('The code now leads to after.example');
  await notice.hover();
  await page.clock.runFor(60_000);
  await expect(notice).toBeVisible();
  await page.mouse.move(0, 0);
  await page.clock.runFor(4_000);
  await expect(notice).toBeVisible();
  await page.clock.runFor(4_000);
  await expect(notice).toHaveCount(0);
});

test('hydrating a page with a temporary notice causes no layout shift', async ({ page, open, signIn }) => {
  await page.addInitScript(() => {
    const shifts: number[] = [];
    Object.assign(window, { shifts });
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries()) shifts.push((entry as unknown as { value: number }).value);
    }).observe({ type: 'layout-shift', buffered: true });
  });
  await signIn();
  await open('/user/dashboard');
  await page.getByRole('banner').getByRole('button', { name: 'My account' }).click();
  await page.getByRole('button', { name: 'Sign out', exact: true }).click();
  await expect(page.getByText('Logout successful')).toBeVisible();
  await expect(page.locator('html[data-ready]')).toBeAttached();
  await expect(page.getByText('Logout successful')).toBeHidden();
  const shifts = await page.evaluate(() => (window as unknown as { shifts: number[] }).shifts);
  expect(shifts.reduce((sum, shift) => sum + shift, 0)).toBeLessThan(0.01);
});
