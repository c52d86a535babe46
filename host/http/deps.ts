import type { Logger } from 'pino';
import type { Identity, PlanSettings } from '#contract/plans';
import type { Database } from '#host/db/client';

/** Everything that reaches the host from outside. Tests hand in their own. */
export interface Deps {
  db: Database;
  clock: { now(): Date };
  log: Logger;
  /** Random bytes, from the operating system in production. */
  random(bytes: number): Uint8Array;
  mail: MailTransport;
  /** Null where no captcha is set up. */
  captcha: CaptchaVerifier | null;
  settings: {
    appName: string;
    contactEmail: string;
    publicUrl: string;
    shortUrl: string;
    jwtSecrets: string[];
    trustProxy: string | null;
    /** `Name <address>`. */
    mailFrom: string;
    plans: PlanSettings;
    identity: Identity;
  };
}

/** Takes finished mails away. `kept` means that they stay in the table instead, for the mailbox. */
export interface MailTransport {
  kind: 'smtp' | 'kept';
  /** Resolves when the next server has taken the mail; rejects otherwise. */
  send(mail: OutgoingMail): Promise<void>;
  close(): void;
}

export interface OutgoingMail {
  from: string;
  to: string;
  replyTo: string | null;
  messageId: string;
  date: Date;
  subject: string;
  text: string;
  html: string;
  attachments: { filename: string; contentType: string; content: Uint8Array }[];
}

/** Whether a captcha token holds for an action. Rejects when that could not be found out. */
export type CaptchaVerifier = (attempt: {
  token: string;
  action: string;
  address: string;
}) => Promise<boolean>;
