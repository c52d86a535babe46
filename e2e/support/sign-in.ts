import { type APIRequestContext, expect } from '@playwright/test';
import { WEB_PORT } from './ports';

/**
 * Posts the login form without opening its page, which has tests of its own. Follows the redirect, whose page shows the
 * notice of the sign-in, so that no later page does.
 */
export async function signInTo(
  request: APIRequestContext,
  { email, password }: { email: string; password: string },
  site = `http://localhost:${WEB_PORT}`,
): Promise<void> {
  const response = await request.post(`${site}/login`, {
    form: { email, password },
    headers: { Origin: site },
  });
  expect(new URL(response.url()).pathname).toBe('/user/dashboard');
}
