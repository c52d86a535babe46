import { z } from 'zod';
import { signedCookie } from './cookies.server';
import { signInCookie } from './session.server';

const YEAR_SECONDS = 365 * 24 * 3600;
/** How many device tokens a browser keeps, one per account; the host accepts no more. */
const MAX_DEVICES = 5;

const Devices = z.array(z.string().min(1).max(100)).max(MAX_DEVICES);

const cookie = signedCookie('device', YEAR_SECONDS, { signsWithSharedSecret: true });

/** Device tokens from earlier sign-ins in this browser, newest first; they are sent with each sign-in. */
export async function readDevices(request: Request): Promise<string[]> {
  return Devices.safeParse(await cookie.parse(request.headers.get('cookie'))).data ?? [];
}

/** `Set-Cookie` headers of a sign-in: the session and the device tokens. */
export async function signInCookies(
  request: Request,
  { token, device }: { token: string; device: string },
  remember: boolean,
): Promise<string[]> {
  const cookies = [await signInCookie(token, remember)];
  if (!device) return cookies;
  const others = (await readDevices(request)).filter((other) => other !== device);
  return [...cookies, await cookie.serialize([device, ...others].slice(0, MAX_DEVICES))];
}
