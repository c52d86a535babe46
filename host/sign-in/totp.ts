import { createHmac } from 'node:crypto';
import { isSameText } from '#runtime/same-text';

const STEP_SECONDS = 30;
/** One step before and after the current one: clocks differ, and people type slowly (RFC 6238 §5.2). */
const SKEW_STEPS = 1;
const DIGITS = 6;

const BASE32 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';

/** Bytes of a secret: the length of the hash (RFC 4226 §4, R6). */
export const SECRET_BYTES = 20;

/** The code of a time step (RFC 6238 with HMAC-SHA-1, which every authenticator app supports). */
export function totpCode(secret: Uint8Array, step: number, digits = DIGITS): string {
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(step));
  const mac = createHmac('sha1', secret).update(counter).digest();
  const offset = (mac.at(-1) ?? 0) & 0xf;
  const number = (mac.readUInt32BE(offset) & 0x7fffffff) % 10 ** digits;
  return String(number).padStart(digits, '0');
}

export function timeStepAt(now: Date): number {
  return Math.floor(now.getTime() / 1000 / STEP_SECONDS);
}

/** The time step of a code, within the tolerance around now; null if there is none. Constant time. */
export function findTimeStep(secret: Uint8Array, code: string, now: Date): number | null {
  let found: number | null = null;
  for (let skew = -SKEW_STEPS; skew <= SKEW_STEPS; skew++) {
    const step = timeStepAt(now) + skew;
    if (isSameText(code, totpCode(secret, step))) found = step;
  }
  return found;
}

/** RFC 4648 §6 without padding, the form of a secret that is typed into authenticator apps. */
export function base32(bytes: Uint8Array): string {
  let text = '';
  let [bits, value] = [0, 0];
  for (const byte of bytes) {
    value = ((value << 8) | byte) & 0xfff;
    bits += 8;
    while (bits >= 5) {
      bits -= 5;
      text += BASE32[(value >> bits) & 31];
    }
  }
  return bits > 0 ? text + BASE32[(value << (5 - bits)) & 31] : text;
}

/** The URI in the QR code (github.com/google/google-authenticator/wiki/Key-Uri-Format). */
export function otpauthUri(secret: string, { appName, email }: { appName: string; email: string }): string {
  const issuer = encodeURIComponent(appName);
  return `otpauth://totp/${issuer}:${encodeURIComponent(email)}?secret=${secret}&issuer=${issuer}`;
}
