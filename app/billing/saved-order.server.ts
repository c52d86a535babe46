import { z } from 'zod';
import { signedCookie } from '~/http/cookies.server';
import { readClaims, type Session } from '~/http/session.server';

/** Long enough to look at the card page and come back, short enough for a browser that others use too. */
const SECONDS = 30 * 60;
/** Characters of the whole cookie; browsers drop those beyond 4096. */
const MOST = 3000;

/** What is filled in again. */
const FIELDS = [
  ...['name', 'email', 'address', 'zip_code', 'city', 'country'],
  ...['professional', 'company', 'siret', 'vat_number'],
];

/** Consents are filled in again on the next page only, right after they were given. */
const CONSENTS = ['terms', 'waiver'];

const SavedOrder = z.object({
  /** Account it was typed in; null for visitors. */
  owner: z.string().nullable(),
  /** Moment it ends, in milliseconds: browsers may keep cookies longer than they were told. */
  until: z.number(),
  typed: z.record(z.string(), z.string()),
});

const orderCookie = signedCookie('order', SECONDS);

const ownerOf = (session: Session | undefined) => (session ? (readClaims(session.token)?.sub ?? null) : null);

/** `Set-Cookie` headers that keep what was typed into an order for when its page is opened again; none for too much. */
export async function saveOrder(
  form: FormData,
  { session, consents = false }: { session?: Session | undefined; consents?: boolean },
): Promise<Headers> {
  const names = consents ? [...FIELDS, ...CONSENTS] : FIELDS;
  const typed = Object.fromEntries(names.map((name) => [name, String(form.get(name) ?? '')]));
  const saved = { owner: ownerOf(session), until: Date.now() + SECONDS * 1000, typed };
  const cookie = await orderCookie.serialize(saved);
  return new Headers(cookie.length <= MOST ? { 'Set-Cookie': cookie } : {});
}

/** What this browser typed into an order a short time ago, for the account that typed it. */
export async function readSavedOrder(
  request: Request,
  session?: Session,
): Promise<{ typed: Record<string, string>; headers: Headers } | null> {
  const value: unknown = await orderCookie.parse(request.headers.get('cookie'));
  const saved = SavedOrder.safeParse(value).data;
  if (!saved || saved.owner !== ownerOf(session) || saved.until <= Date.now()) return null;
  const { typed } = saved;
  if (!CONSENTS.some((name) => name in typed)) return { typed, headers: new Headers() };
  const form = new FormData();
  for (const [name, value] of Object.entries(typed)) form.set(name, value);
  return { typed, headers: await saveOrder(form, { session }) };
}

/** `Set-Cookie` that forgets it: once the order went through, or when somebody signs out. */
export async function clearedOrderCookie(): Promise<string> {
  return orderCookie.serialize('', { maxAge: 0 });
}
