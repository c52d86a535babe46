import { randomUUID } from 'node:crypto';
import { redirect } from '@remix-run/node';
import { z } from 'zod';
import type { NoticeKey } from '~/i18n/text-keys';
import common from '../../locales/gb/common.json';
import { signedCookie } from './cookies.server';

const Notice = z.object({
  id: z.string(),
  type: z.enum(['success', 'error', 'warning', 'info']),
  key: z.enum(Object.keys(common.notices) as NoticeKey[]),
  values: z.record(z.string(), z.string()).optional(),
  /**
   * Stays until it is closed or the page is left, like errors and warnings; any other disappears once scripts run and
   * it could be read.
   */
  persistent: z.boolean().default(false),
});
const Notices = z.array(Notice);
export type Notice = z.infer<typeof Notice>;
export type NewNotice = Omit<z.input<typeof Notice>, 'id'>;

// Signed, so that nobody can forge a message.
const cookie = signedCookie('notice', 60);

export async function readNotices(request: Request): Promise<Notice[]> {
  const value: unknown = await cookie.parse(request.headers.get('cookie'));
  return Notices.safeParse(value).data ?? [];
}

/** For the page that is being rendered. */
export function makeNotice(notice: NewNotice): Notice {
  return { id: randomUUID(), persistent: false, ...notice };
}

async function noticeCookie(notice: NewNotice): Promise<string> {
  return cookie.serialize([makeNotice(notice)]);
}

export async function clearedNoticeCookie(): Promise<string> {
  return cookie.serialize('', { maxAge: 0 });
}

/** 303 to a path of this site, with a message for the page that opens there. */
export async function redirectWithFlash(
  to: string,
  notice: NewNotice,
  cookies: string[] = [],
): Promise<Response> {
  const headers = new Headers();
  for (const value of [await noticeCookie(notice), ...cookies]) headers.append('Set-Cookie', value);
  return redirect(to, { status: 303, headers });
}

/** For a change that needs a subscription: leads to that of the account, and says so. */
export function redirectToSubscription(): Promise<Response> {
  return redirectWithFlash('/user/subscription', {
    type: 'info',
    key: 'subscription_needed',
    persistent: true,
  });
}

/** Like `redirectWithFlash`, but a message that is already pending is kept instead of this one. */
export async function redirectKeepingFlash(
  { request }: { request: Request },
  to: string,
  notice: NewNotice,
): Promise<Response> {
  return (await readNotices(request)).length > 0 ? redirect(to, 303) : redirectWithFlash(to, notice);
}
