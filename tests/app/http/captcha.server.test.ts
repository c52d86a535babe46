import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { createTestWebsite, type TestWebsite } from '../../support/website';

let website: TestWebsite;

beforeAll(async () => {
  vi.stubEnv('CAPTCHA_SITE_KEY', 'a-site-key');
  website = await createTestWebsite({ '/contact': 'site/contact-page.tsx' });
});
afterAll(async () => website.close());

async function tokenIn(answer: Response): Promise<string> {
  const [field = ''] = /<input[^>]*name="formToken"[^>]*>/.exec(await answer.text()) ?? [];
  return /value="([^"]*)"/.exec(field)?.[1] ?? '';
}

test('each form has its own token, which contains its age', async () => {
  const [first, second] = [await website.browse('/contact'), await website.browse('/contact')];
  const tokens = [await tokenIn(first), await tokenIn(second)];
  expect(tokens).toEqual([expect.stringMatching(/^.{20,}$/), expect.stringMatching(/^.{20,}$/)]);
  expect(tokens[0]).not.toBe(tokens[1]);
});

test('a refused form keeps its token, because a new one would be too young', async () => {
  const formToken = await tokenIn(await website.browse('/contact'));
  const body = new URLSearchParams({ formToken, firstname: 'Ada' });
  const refused = await website.browse('/contact', { method: 'POST', body });
  expect(refused.status).toBe(422);
  expect(await tokenIn(refused)).toBe(formToken);
});
