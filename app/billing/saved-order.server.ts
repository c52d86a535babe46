import { z } from 'zod';
import { readClaims } from '#runtime/session-cookies';
import { signedCookie } from '~/http/cookies.server';
import type { Scope } from '~/http/scope.server';

/** Long enough to visit the card page and come back, short enough for a shared browser. */
const SECONDS = 30 * 60;
/** Characters of the whole cookie; browsers drop those beyond 4096. */
const MAX = 3000;

/** Fields that are filled in again. */
const FIELDS = [
  'name',
  'email',
  'address',
  'zip_code',
  'city',
  'country',
  'professional',
  'company',
  'siret',
  'vat_number',
];

/** Consents are filled in again on the next page only, right after they were given. */
const CONSENTS = ['terms', 'waiver'];

const SavedOrder = z.object({
  /** Account it was typed in; null for visitors. */
  owner: z.string().nullable(),
  /** When it expires, in milliseconds: browsers may keep cookies longer than `Max-Age`. */
  until: z.number(),
  entered: z.record(z.string(), z.string()),
});

const orderCookie = signedCookie('order', SECONDS);

const ownerOf = ({ user }: Scope) => (user ? (readClaims(user.token)?.sub ?? null) : null);

/** `Set-Cookie` headers that keep what was typed into an order until its page is reopened; none if it is too long. */
export async function saveOrder(scope: Scope, form: FormData, { consents = false } = {}): Promise<Headers> {
  const names = consents ? [...FIELDS, ...CONSENTS] : FIELDS;
  const entered = Object.fromEntries(names.map((name) => [name, String(form.get(name) ?? '')]));
  const saved = { owner: ownerOf(scope), until: Date.now() + SECONDS * 1000, entered };
  const cookie = await orderCookie.serialize(saved);
  return new Headers(cookie.length <= MAX ? { 'Set-Cookie': cookie } : {});
}

/** What was recently typed into an order in this browser, for the account it was typed in. */
export async function readSavedOrder(
  scope: Scope,
): Promise<{ entered: Record<string, string>; headers: Headers } | null> {
  const value: unknown = await orderCookie.parse(scope.request.headers.get('cookie'));
  const saved = SavedOrder.safeParse(value).data;
  if (!saved || saved.owner !== ownerOf(scope) || saved.until <= Date.now()) return null;
  const { entered } = saved;
  if (!CONSENTS.some((name) => name in entered)) return { entered, headers: new Headers() };
  const form = new FormData();
  for (const [name, value] of Object.entries(entered)) form.set(name, value);
  return { entered, headers: await saveOrder(scope, form) };
}

/** `Set-Cookie` that clears it, once the order went through or on sign-out. */
export async function clearedOrderCookie(): Promise<string> {
  return orderCookie.serialize('', { maxAge: 0 });
}
