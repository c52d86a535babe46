import { createHmac, timingSafeEqual } from 'node:crypto';

const LIFETIME_SECONDS = 120;

interface CountedTokens {
  /** A token that proves that this visit was counted; valid for two minutes. */
  sign(slug: string, source: string, now: Date): string;
  /** Whether the token is unexpired, for this code and source, and signed with any of the secrets. */
  isValid(token: string, slug: string, source: string, now: Date): boolean;
}

/** HMAC-SHA256 under keys derived for this purpose alone, so that no other signature is accepted in its place. */
export function createCountedTokens(secrets: string[]): CountedTokens {
  const keys = secrets.map((secret) => createHmac('sha256', secret).update('visit counted').digest());
  const signature = (key: Buffer, slug: string, source: string, expiry: string) =>
    createHmac('sha256', key).update(`${slug}\n${source}\n${expiry}`).digest();

  return {
    sign(slug, source, now) {
      const expiry = String(Math.floor(now.getTime() / 1000) + LIFETIME_SECONDS);
      const [key = Buffer.alloc(0)] = keys;
      return `${expiry}.${signature(key, slug, source, expiry).toString('base64url')}`;
    },
    isValid(token, slug, source, now) {
      const [, expiry = '', signatureText = ''] = /^(\d{1,12})\.([\w-]{43})$/.exec(token) ?? [];
      if (Number(expiry) * 1000 <= now.getTime()) return false;
      const givenSignature = Buffer.from(signatureText, 'base64url');
      return keys.some((key) => timingSafeEqual(signature(key, slug, source, expiry), givenSignature));
    },
  };
}
