import { createHmac, timingSafeEqual } from 'node:crypto';

const LASTS_SECONDS = 120;

interface CountedTokens {
  /** A mark that says this visit was counted; lasts two minutes. */
  sign(slug: string, source: string, now: Date): string;
  /** True for an unexpired mark of this code and source, signed with any of the secrets. */
  isValid(mark: string, slug: string, source: string, now: Date): boolean;
}

/** HMAC-SHA256 marks under keys derived for this purpose alone, so that no other signature can stand in. */
export function createCountedTokens(secrets: string[]): CountedTokens {
  const keys = secrets.map((secret) => createHmac('sha256', secret).update('visit counted').digest());
  const signature = (key: Buffer, slug: string, source: string, expiry: string) =>
    createHmac('sha256', key).update(`${slug}\n${source}\n${expiry}`).digest();

  return {
    sign(slug, source, now) {
      const expiry = String(Math.floor(now.getTime() / 1000) + LASTS_SECONDS);
      const [key = Buffer.alloc(0)] = keys;
      return `${expiry}.${signature(key, slug, source, expiry).toString('base64url')}`;
    },
    isValid(mark, slug, source, now) {
      const [, expiry = '', signed = ''] = /^(\d{1,12})\.([\w-]{43})$/.exec(mark) ?? [];
      if (Number(expiry) * 1000 <= now.getTime()) return false;
      const given = Buffer.from(signed, 'base64url');
      return keys.some((key) => timingSafeEqual(signature(key, slug, source, expiry), given));
    },
  };
}
