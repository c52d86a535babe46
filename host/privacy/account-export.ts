import { desc, eq, sql } from 'drizzle-orm';
import type { MailRecord } from '#contract/account-records';
import type { AccountExport } from '#contract/accounts';
import { exportActivities } from '#host/accounts/activities';
import { listKeys, presentKey } from '#host/accounts/api-keys';
import { readMailSettings } from '#host/accounts/mail-settings';
import { listPasskeys, presentPasskey } from '#host/accounts/passkeys';
import { type AccountRow, findProfile } from '#host/accounts/store';
import { listAddresses, presentAddress } from '#host/addresses/store';
import { exportCodes } from '#host/codes/code/export';
import { withDisplayedContent } from '#host/codes/contents/contents';
import { listUnfinishedDrafts } from '#host/codes/drafts/store';
import { listStyles, presentStyle } from '#host/codes/looks/store';
import type { Orm } from '#host/db/client';
import { mails } from '#host/db/mail.tables';
import type { Deps } from '#host/http/deps';
import { streamText } from '#host/http/streamed-text';
import { listIdentities } from '#host/sign-in/identities';
import { listKnownDevices } from '#host/sign-in/known-devices';
import { exportSecondFactor } from '#host/sign-in/second-factor';
import { listLiveSessions, presentSession } from '#host/sign-in/sessions';
import { listSharedReports, presentReport } from '#host/statistics/shared-reports';
import { exportPurchases } from '#host/subscriptions/contract/purchase-export';
import { listTickets } from '#host/tickets/store';
import { listWebhooks, presentWebhook } from '#host/webhooks/store';

/**
 * `{ data: AccountExport }` as a stream of JSON text: activities and codes are read page by page, so that an account with
 * 100,000 of them needs no more memory than one with ten.
 */
export async function streamAccountExport(
  { db, clock, log, settings }: Pick<Deps, 'db' | 'clock' | 'log' | 'settings'>,
  account: AccountRow,
  sessionId: string,
): Promise<ReadableStream<Uint8Array>> {
  const now = clock.now();
  const [profile, addresses, styles, drafts, sessions, identities, secondFactor, passkeys, ...others] =
    await Promise.all([
      findProfile(db.orm, account.id, now),
      listAddresses(db.orm, account.id),
      listStyles(db.orm, account.id),
      listUnfinishedDrafts(db.orm, account.id, now),
      listLiveSessions(db.orm, account.id, now),
      listIdentities(db.orm, account.id),
      exportSecondFactor(db.orm, account.id),
      listPasskeys(db.orm, account.id),
      listKnownDevices(db.orm, account.id),
      exportPurchases(db.orm, account),
      listTickets(db.orm, account.email),
      listMailsTo(db.orm, account.email),
      listKeys(db.orm, account.id),
      readMailSettings(db.orm, account.id),
      listWebhooks(db.orm, account.id),
      listSharedReports(db.orm, account.id, now),
    ]);
  const [devices, purchases, tickets, mails, keys, mailSettings, webhooks, reports] = others;
  const head: Omit<AccountExport, 'activities' | 'codes'> = {
    exportedAt: now.toISOString(),
    account: {
      id: account.id,
      firstName: account.firstName,
      lastName: account.lastName,
      publicName: account.publicName,
      email: account.email,
      pendingEmail: account.pendingEmail,
      timeZone: account.timeZone,
      subscription: profile?.subscription ?? null,
      locale: account.locale,
      createdAt: account.createdAt.toISOString(),
      lastLoginAt: account.lastLoginAt?.toISOString() ?? null,
      identities: identities.map(({ issuer, subject, email, createdAt }) => ({
        issuer,
        subject,
        email,
        createdAt: createdAt.toISOString(),
      })),
      secondFactor,
      passkeys: passkeys.map(presentPasskey),
      mailSettings,
      keys: keys.map((key) => presentKey(key, now)),
      webhooks: webhooks.map(presentWebhook),
    },
    sharedReports: reports.map(presentReport),
    addresses: addresses.map(presentAddress),
    styles: styles.map((style) => presentStyle(style, log)),
    unfinishedDesigns: drafts,
    sessions: sessions.map((session) => presentSession(session, sessionId)),
    knownDevices: devices,
    ...purchases,
    tickets,
    mails,
  };

  async function* write(): AsyncGenerator<string> {
    yield `{"data":${JSON.stringify(head).slice(0, -1)},"activities":`;
    yield* writeList(activitiesOf(db.orm, account.id));
    const presenting = { shortUrl: settings.shortUrl, log, now: clock.now() };
    yield ',"codes":';
    yield* writeList(exportCodes(db.orm, account.id, presenting));
    yield '}}';
  }

  return streamText(write(), log, 'account');
}

async function* activitiesOf(orm: Orm, accountId: string) {
  for await (const activities of exportActivities(orm, accountId))
    yield activities.map((one) => ({ ...one, code: one.code && withDisplayedContent(one.code) }));
}

async function* writeList(pages: AsyncGenerator<object[]>): AsyncGenerator<string> {
  let separator = '[';
  for await (const items of pages) {
    for (const item of items) {
      yield `${separator}${JSON.stringify(item)}`;
      separator = ',';
    }
  }
  yield separator === '[' ? '[]' : ']';
}

/** Which mails went to an address and when, newest first. Their content is left out: links in it may still work. */
async function listMailsTo(orm: Orm, email: string): Promise<MailRecord[]> {
  const rows = await orm
    .select({
      kind: mails.template,
      to: mails.to,
      createdAt: mails.createdAt,
      sentAt: mails.sentAt,
      givenUpAt: mails.givenUpAt,
    })
    .from(mails)
    .where(eq(sql`lower(${mails.to})`, email.toLowerCase()))
    .orderBy(desc(mails.place))
    .limit(10_000);
  return rows.map(({ createdAt, sentAt, givenUpAt, ...mail }) => ({
    ...mail,
    createdAt: createdAt.toISOString(),
    sentAt: sentAt?.toISOString() ?? null,
    givenUpAt: givenUpAt?.toISOString() ?? null,
  }));
}
