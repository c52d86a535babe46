import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { forgotPassword } from '#contract/recovery';
import { createTestWebsite, type TestWebsite } from '../../support/website';

let website: TestWebsite;

beforeAll(async () => {
  website = await createTestWebsite({ '/forgot-password': 'account/sign-in/forgot-password-page.tsx' });
});
afterAll(async () => website.close());

function askForMail(): Promise<Response> {
  const body = new URLSearchParams({ email: 'ada@mails.example' });
  return website.browse('/forgot-password', { method: 'POST', body });
}

test('an unanswered call is reported in the form, which keeps the address', async () => {
  await website.hostDown();
  const answer = await askForMail();
  const page = await answer.text();
  expect(answer.status).toBe(503);
  expect(page).toContain('An error occurred while sending the email.');
  expect(page).toContain('value="ada@mails.example"');
});

test('an error in the website itself is not reported as an unsent mail', async () => {
  const broken = vi.spyOn(forgotPassword.response, 'safeParse').mockImplementation(() => {
    throw new TypeError('not to be read');
  });
  const answer = await askForMail();
  broken.mockRestore();
  expect(answer.status).toBe(500);
  expect(await answer.text()).not.toContain('An error occurred while sending the email.');
});
