import type { Logger } from 'pino';
import type { LegalIdentity, PlanSettings } from '#contract/plans';
import type { Database, Orm } from '#host/db/client';
import type { Meters } from '#host/http/meters';
import type { PaymentProvider } from '#host/payments/provider';

/** Everything that reaches the host from outside. Tests hand in their own. */
export interface Deps {
  db: Database;
  clock: Clock;
  log: Logger;
  /** What this process counts of its own work, for those who watch it. */
  meters: Meters;
  /** Random bytes, from the operating system in production. */
  random(bytes: number): Uint8Array;
  /** Requests to other programs: Google's keys, breached passwords. */
  fetch: typeof fetch;
  mail: MailTransport;
  passwords: Passwords;
  payments: PaymentProvider;
  /** Null where no captcha is set up. */
  captcha: CaptchaVerifier | null;
  /** What others do when an account is erased, in its transaction; throwing keeps the account. */
  onAccountDeleted: AccountDeleted[];
  /** What this node keeps of visits and codes for itself, so that it needs the database for neither. */
  visits: {
    folder: string;
    /** How much the spool may hold. */
    spoolBytes: number;
    knownCodes: number;
  };
  settings: {
    appName: string;
    contactEmail: string;
    publicUrl: string;
    shortUrl: string;
    jwtSecrets: string[];
    /** Of a list by k-anonymity, without a slash at its end; null where new passwords are not looked up. */
    breachedPasswordsUrl: string | null;
    /** Where browsers reach this host by itself. */
    hostPublicUrl: string;
    /** Who brings one is believed about a visitor's address and country: gateways and websites of ours. */
    internalKeys: string[];
    /** Who brings it reads the metrics from another machine; nobody does without one. */
    metricsToken: string | undefined;
    /** Who brings it from this machine acts as an operator; null where the database is a server of its own. */
    operatorSecret: string | null;
    trustProxy: string | null;
    countryHeader: string | null;
    /** Without a client id nobody signs in with Google. */
    google: { clientId: string | null; issuer: string };
    /** `Name <address>`. */
    mailFrom: string;
    /** What the uploaded logos of one account may take together. */
    accountLogosBytes: number;
    plans: PlanSettings;
    identity: LegalIdentity;
  };
}

export interface Clock {
  now(): Date;
  /** Reads the database's clock again; what charges does so first. Rejects when the database does not answer. */
  synchronize?(orm: Orm): Promise<void>;
  /** Moves it; only where the sandbox takes the payments. */
  set?(date: Date): void;
  /** Keeps how far it was moved. */
  keep?(orm: Orm): Promise<void>;
}

/** Keeps passwords as hashes that are expensive to guess from. */
export interface Passwords {
  hash(password: string): Promise<string>;
  /** Takes the same time for an account without a password, and for none at all. */
  matches(password: string, passwordHash: string | null | undefined): Promise<boolean>;
}

type AccountDeleted = (orm: Orm, accountId: string, now: Date) => Promise<void>;

/** Takes finished mails away. `kept` means that they stay in the table instead, for the mailbox. */
export interface MailTransport {
  kind: 'smtp' | 'kept';
  /** False once it is closed. */
  isOpen(): boolean;
  /** Resolves when the next server has taken the mail; rejects otherwise. */
  send(mail: OutgoingMail): Promise<void>;
  /** Takes no more mails; those on their way get a moment to arrive. */
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
  clientIp: string;
}) => Promise<boolean>;
