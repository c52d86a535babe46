import { createHmac } from 'node:crypto';
import type { Logger } from 'pino';

type AuditEvent =
  | 'login'
  | 'login_refused'
  | 'first_factor_accepted'
  | 'second_factor_refused'
  | 'second_factor_on'
  | 'second_factor_off'
  | 'recovery_code_used'
  | 'recovery_codes_renewed'
  | 'logout'
  | 'passkey_login'
  | 'passkey_refused'
  | 'passkey_added'
  | 'passkey_removed'
  | 'google_login'
  | 'google_login_refused'
  | 'google_linked'
  | 'google_unlinked'
  | 'key_made'
  | 'key_changed'
  | 'key_renewed'
  | 'keys_revoked'
  | 'webhook_made'
  | 'webhook_moved'
  | 'webhook_rotated'
  | 'webhook_deleted'
  | 'grant_made'
  | 'grant_refused'
  | 'grant_ended'
  | 'sessions_ended'
  | 'onboarding_mailed'
  | 'onboarding_asked'
  | 'onboarded'
  | 'mail_token_refused'
  | 'mail_token_repeated'
  | 'password_reset_asked'
  | 'password_reset_mailed'
  | 'password_reset'
  | 'password_changed'
  | 'reauthentication_refused'
  | 'email_change_asked'
  | 'email_change_cancelled'
  | 'email_changed'
  | 'account_exported'
  | 'account_deleted'
  | 'account_expired'
  | 'held_back'
  | 'captcha_refused';

export interface AuditDetails {
  account?: string;
  session?: string;
  /** IP address of the client. */
  clientIp?: string;
  /** From `emailDigest`: never a plain address, as a failed sign-in may hold a password typed in the wrong field. */
  email?: string;
  reason?: string;
}

/** One log line per security event, with its logger's request id. No passwords, tokens or e-mail addresses. */
export function audit(log: Logger, event: AuditEvent, details: AuditDetails): void {
  log.info({ audit: event, ...details }, 'audit');
}

/** Lets addresses be compared in the log without revealing them; useless without the secret. */
export function emailDigest(email: string, secrets: string[]): string {
  return createHmac('sha256', secrets[0] ?? '')
    .update(email.toLowerCase())
    .digest('hex')
    .slice(0, 16);
}
