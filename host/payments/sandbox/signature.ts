import { createHmac, timingSafeEqual } from 'node:crypto';
import { WebhookRefused } from '#host/payments/provider';

export const SIGNATURE_HEADER = 'sandbox-signature';
/** Older webhooks are refused, so that a copied one cannot be replayed forever. */
const TOLERANCE_SECONDS = 300;

/** `t=<seconds>,v1=<hex>`: HMAC-SHA256 over time and raw body, as the big providers do. */
export function signBody(rawBody: string, secret: string, now: Date): string {
  const time = Math.floor(now.getTime() / 1000);
  return `t=${time},v1=${macOf(rawBody, secret, time)}`;
}

/** Throws `WebhookRefused` unless a signature made with one of the secrets is valid and within five minutes of now. */
export function verifyBody(rawBody: string, header: string | undefined, secrets: string[], now: Date): void {
  const parts = (header ?? '').split(',').map((part) => part.split('=', 2));
  const time = Number(parts.find(([name]) => name === 't')?.[1] ?? Number.NaN);
  const signatures = parts.filter(([name]) => name === 'v1').map(([, mac = '']) => Buffer.from(mac));
  if (!Number.isSafeInteger(time) || signatures.length === 0) throw new WebhookRefused('no signature');
  const isSigned = secrets.some((secret) => {
    const mac = Buffer.from(macOf(rawBody, secret, time));
    return signatures.some((signature) => signature.length === mac.length && timingSafeEqual(signature, mac));
  });
  if (!isSigned) throw new WebhookRefused('wrong signature');
  if (Math.abs(now.getTime() / 1000 - time) > TOLERANCE_SECONDS) throw new WebhookRefused('too old');
}

function macOf(rawBody: string, secret: string, time: number): string {
  return createHmac('sha256', secret).update(`${time}.${rawBody}`).digest('hex');
}
