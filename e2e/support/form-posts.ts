import type { Request } from '@playwright/test';

/** Whether a request submits a form, unlike the browser's time zone, which a page may report at any moment. */
export function isFormPost(request: Request): boolean {
  return request.method() === 'POST' && new URL(request.url()).pathname !== '/user/time-zone';
}
