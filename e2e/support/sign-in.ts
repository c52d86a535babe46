import { type APIRequestContext, expect } from '@playwright/test';
import { WEB_PORT } from './ports';

/**
 * Posts the login form without opening its page, which has tests of its own. Follows the redirect, whose page shows the
 * notice of the sign-in, so that no later page does.
 */
export async function signInTo(
  request: APIRequestContext,
  { email, password }: { email: string; password: string },
): Promise<void> {
  const headers = { Origin: `http://localhost:${WEB_PORT}` };
  const response = await request.post('/login', { form: { email, password }, headers });
  expect(new URL(response.url()).pathname).toBe('/user/dashboard');
}
