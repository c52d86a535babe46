import { z } from 'zod';
import { signedCookie, zoneCookie } from './cookies.server';
import { readClaims, signInCookie } from './session.server';

const YEAR_SECONDS = 365 * 24 * 3600;
/** Accounts that one browser is known to; the host takes no more. */
const MOST = 5;

const Devices = z.array(z.string().min(1).max(100)).max(MOST);

const cookie = signedCookie('device', YEAR_SECONDS, { signsAsBefore: true });

/** What the host left this browser when it signed in before, the newest first; it goes along with each sign-in. */
export async function readDevices(request: Request): Promise<string[]> {
  return Devices.safeParse(await cookie.parse(request.headers.get('cookie'))).data ?? [];
}

/** `Set-Cookie` headers of whoever has signed in: the session, the account's zone, and that the browser is known. */
export async function signInCookies(
  request: Request,
  { token, device }: { token: string; device: string },
  remember: boolean,
): Promise<string[]> {
  const zone = readClaims(token)?.zoneinfo ?? null;
  const cookies = [await signInCookie(token, remember), zoneCookie(zone)];
  if (!device) return cookies;
  const others = (await readDevices(request)).filter((other) => other !== device);
  return [...cookies, await cookie.serialize([device, ...others].slice(0, MOST))];
}
