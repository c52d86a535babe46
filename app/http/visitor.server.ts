import { randomBytes } from 'node:crypto';
import { z } from 'zod';
import { signedCookie } from '~/http/cookies.server';

const Visitor = z.object({ key: z.string().min(20), draft: z.uuid().optional() });
export type Visitor = z.infer<typeof Visitor>;

const cookie = signedCookie('visitor', 30 * 24 * 3600, { signsWithSharedSecret: true });

/**
 * The key that proves that a draft belongs to this browser, and its latest draft; a new key if there is no
 * valid cookie.
 */
export async function readVisitor(request: Request): Promise<Visitor> {
  const value: unknown = await cookie.parse(request.headers.get('cookie'));
  return Visitor.safeParse(value).data ?? { key: randomBytes(24).toString('base64url') };
}

/** Adds the visitor cookie to a response, so that this browser is recognised again. */
export async function withVisitorCookie<Result>(result: Result, visitor: Visitor): Promise<Result> {
  if (result instanceof Response) result.headers.append('Set-Cookie', await visitorCookie(visitor));
  return result;
}

export async function visitorCookie(visitor: Visitor): Promise<string> {
  return cookie.serialize(visitor);
}
