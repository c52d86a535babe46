import { z } from 'zod';
import { signedCookie } from './cookies.server';
import { signInCookie } from './session.server';

const YEAR_SECONDS = 365 * 24 * 3600;
/** Accounts that one browser is known to; the host takes no more. */
const MOST = 5;

const Devices = z.array(z.string().min(1).max(100)).max(MOST);

const cookie = signedCookie('device', YEAR_SECONDS);

/** What the host left this browser when it signed in before, the newest first; it goes along with each sign-in. */
export async function readDevices(request: Request): Promise<string[]> {
  return Devices.safeParse(await cookie.parse(request.headers.get('cookie'))).data ?? [];
}

/** `Set-Cookie` headers of whoever has signed in: the session, and that the browser is known from now on. */
export async function signInCookies(
  request: Request,
  { token, device }: { token: string; device: string },
  remember: boolean,
): Promise<string[]> {
  const session = await signInCookie(token, remember);
  if (!device) return [session];
  const others = (await readDevices(request)).filter((other) => other !== device);
  return [session, await cookie.serialize([device, ...others].slice(0, MOST))];
}
