import type { Logger } from 'pino';
import type { LegalIdentity, PlanSettings } from '#contract/plans';
import type { Database, Orm } from '#host/db/client';
import type { Meters } from '#host/http/meters';
import type { Countries } from '#host/http/request-headers';
import type { Client } from '#runtime/processes/process-pool';
import type { PaymentProvider } from './payment-provider';
import type { RequestPublic } from './public-request';

/** All external dependencies of the host. Tests pass their own. */
export interface Deps {
  db: Database;
  clock: Clock;
  log: Logger;
  /** Metrics of this process. */
  meters: Meters;
  /** Random bytes, from the operating system in production. */
  random(bytes: number): Uint8Array;
  /** Requests to other services: Google's keys, breached passwords, VAT numbers. Their signal covers the body. */
  fetch: typeof fetch;
  /** Requests to addresses that users typed. */
  requestPublic: RequestPublic;
  mail: MailTransport;
  passwords: Passwords;
  payments: PaymentProvider;
  /** Null if no captcha is configured. */
  captcha: CaptchaVerifier | null;
  /** Hooks that run in the transaction that erases an account; throwing aborts it. */
  onAccountDeleted: AccountDeleted[];
  countries: Countries;
  /** This node's own copies of visits and codes, for when the database is down. */
  visits: {
    folder: string;
    /** Maximum size of the spool. */
    spoolBytes: number;
    knownCodes: number;
  };
  settings: {
    appName: string;
    contactEmail: string;
    publicUrl: string;
    shortUrl: string;
    jwtSecrets: string[];
    /** A k-anonymity list, without a trailing slash; null if new passwords are not looked up. */
    breachedPasswordsUrl: string | null;
    /** REST API of VIES, without a trailing slash; null if VAT numbers are not looked up. */
    viesUrl: string | null;
    /** The URL under which browsers reach this host directly. */
    hostPublicUrl: string;
    /** Keys of our gateways and websites, which may name a visitor's IP address and country. */
    internalKeys: string[];
    /** Whether a peer is a proxy, whose two headers below are believed. */
    isProxy: (peer: string) => boolean;
    /** Gives access to the metrics from other machines; without one they have none. */
    metricsToken: string | undefined;
    trustProxy: string | null;
    countryHeader: string | null;
    /** Without a client id there is no sign-in with Google. */
    google: { clientId: string | null; issuer: string };
    /** `Name <address>`. */
    mailFrom: string;
    /** Total size of the uploaded logos of one account. */
    accountLogosBytes: number;
    /** Whether destinations are asked at all. */
    checksDestinations: boolean;
    plans: PlanSettings;
    identity: LegalIdentity;
  };
}

export interface Clock {
  now(): Date;
  /** Reads the database's clock again, as done before charging. Rejects if the database does not respond. */
  synchronize?(orm: Orm): Promise<void>;
  /** Moves the clock; only with sandbox payments. */
  set?(date: Date): void;
  /** Stores how far it was moved. */
  keep?(orm: Orm): Promise<void>;
}

/** Hashes passwords so that guessing is expensive. */
export interface Passwords {
  /** `client` is whose turn it takes. Each throws `rate_limited` or `unavailable` when too many are waiting. */
  hash(password: string, client: Client): Promise<string>;
  /** Takes the same time for an account without a password, and for no account. */
  matches(password: string, passwordHash: string | null | undefined, client: Client): Promise<boolean>;
  /** A hash by which a text is found again, for texts too short for a plain one. */
  digest(text: string, salt: Uint8Array, client: Client): Promise<string>;
}

type AccountDeleted = (orm: Orm, accountId: string, now: Date) => Promise<void>;

/** Sends rendered mails. `kept` means that they stay in the table instead, for the mailbox. */
export interface MailTransport {
  kind: 'smtp' | 'kept';
  /** False once it is closed. */
  isOpen(): boolean;
  /** Resolves when the next server has accepted the mail; rejects otherwise. */
  send(mail: OutgoingMail): Promise<void>;
  /** Accepts no more mails; those in progress get a short grace period. */
  close(): void;
}

export interface OutgoingMail {
  from: string;
  to: string;
  replyTo: string | null;
  /** Where mails of this kind are switched off, by a page and by a POST of RFC 8058. */
  offUrl: string | null;
  messageId: string;
  date: Date;
  subject: string;
  text: string;
  html: string;
  attachments: { filename: string; contentType: string; content: Uint8Array }[];
}

/** Whether a captcha token is valid for an action. Rejects if it cannot be verified. */
export type CaptchaVerifier = (attempt: {
  token: string;
  action: string;
  clientIp: string;
}) => Promise<boolean>;
