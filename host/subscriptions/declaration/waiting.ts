import type { WaitingDeclaration } from '#contract/contract-end';
import type { Locale } from '#contract/locales';
import { hashToken } from '#host/accounts/mail-tokens';
import type { Orm } from '#host/db/client';
import type { Deps } from '#host/http/deps';
import { dateTimeText, fillText, planText } from '#host/invoices/wording';
import { enqueueJob, type Job } from '#host/jobs/queue';
import { BILLING_TEXTS } from '#host/mail/texts';
import { mailOwner, manageUrl } from '#host/subscriptions/billing-mails';
import { addHours } from '#host/subscriptions/calendar';
import { releaseCharges } from '#host/subscriptions/charge/hold';
import { cancelRenewal } from '#host/subscriptions/contract/changes';
import { describeCharges, paidUntil } from '#host/subscriptions/contract/ending';
import {
  findContract,
  isOngoing,
  lockSubscription,
  type SubscriptionRow,
} from '#host/subscriptions/contract/store';
import {
  changeDeclaration,
  type DeclarationRow,
  findDeclaration,
  listWaiting,
  lockDeclaration,
} from './store';
import { canWithdraw, type Outcome, withdraw } from './withdrawal';

/** Whether a declaration would end the contract or refund something. One that changes nothing needs no confirmation. */
export async function wouldHaveEffect(
  orm: Orm,
  deps: Pick<Deps, 'settings'>,
  { kind, receivedAt }: DeclarationRow,
  subscription: SubscriptionRow,
): Promise<boolean> {
  if (kind === 'cancel') return isOngoing(subscription);
  return canWithdraw(orm, deps, subscription, receivedAt);
}

/** Makes a declaration wait for the owner, who is told by mail. */
export async function storeWaitingDeclaration(
  orm: Orm,
  deps: Deps,
  { id, kind, receivedAt }: DeclarationRow,
  subscription: SubscriptionRow,
  now: Date,
): Promise<void> {
  const token = Buffer.from(deps.random(32)).toString('base64url');
  const effectiveAt = addHours(now, deps.settings.plans.objectionHours);
  await changeDeclaration(orm, id, { outcome: 'waiting', effectiveAt, tokenHash: hashToken(token) });
  const dedupeKey = `declaration-effect:${id}`;
  await enqueueJob(orm, { kind: 'declaration_effect', subject: id, dedupeKey, dueAt: effectiveAt });
  const values = (locale: Locale, timeZone: string) => ({
    declared: BILLING_TEXTS[locale].declared[kind],
    plan: planText(subscription.plan, locale),
    receivedAt: dateTimeText(receivedAt, locale, timeZone),
    effectiveAt: dateTimeText(effectiveAt, locale, timeZone),
    actionUrl: `${deps.settings.publicUrl}/declaration?token=${token}`,
  });
  const template = 'billing-mail.declaration_waiting' as const;
  const mail = { template, values, dedupeKey: `waiting:${id}`, usefulUntil: effectiveAt };
  await mailOwner(orm, subscription.accountId, mail, now);
}

interface Resolution {
  decision: 'confirm' | 'undo';
  /** Who decided; `period` means that nobody did in time. */
  proof: 'link' | 'session' | 'period';
}

/**
 * Decides a waiting declaration, once: a second call finds the result of the first. Returns the declaration afterwards,
 * or null if there is none with this id.
 */
export async function endWaiting(
  deps: Deps,
  id: string,
  resolution: Resolution,
  now: Date,
): Promise<DeclarationRow | null> {
  return deps.db.orm.transaction(async (transaction) => {
    const unlocked = await findDeclaration(transaction, id);
    if (!unlocked?.subscriptionId) return unlocked;
    const found = await findContract(transaction, unlocked.subscriptionId);
    // Lock the account before the declaration, as everywhere.
    const subscription = found && (await lockSubscription(transaction, found.accountId));
    const declaration = await lockDeclaration(transaction, id);
    if (declaration.outcome !== 'waiting') return declaration;
    if (!subscription || subscription.id !== declaration.subscriptionId) {
      await changeDeclaration(transaction, id, { outcome: 'nothing_to_do', decidedAt: now });
    } else if (resolution.decision === 'undo') {
      await undoDeclaration(transaction, deps, declaration, subscription, now);
    } else {
      await changeDeclaration(transaction, id, { proof: resolution.proof, decidedAt: now });
      await applyDeclaration(transaction, deps, declaration, subscription, now);
    }
    return findDeclaration(transaction, id);
  });
}

/** The owner did not object in time. */
export async function endObjectionPeriod(deps: Deps, job: Job, now: Date): Promise<void> {
  await endWaiting(deps, job.subject, { decision: 'confirm', proof: 'period' }, now);
}

async function undoDeclaration(
  orm: Orm,
  deps: Deps,
  { id, receivedAt }: DeclarationRow,
  subscription: SubscriptionRow,
  now: Date,
): Promise<void> {
  await changeDeclaration(orm, id, { outcome: 'undone', decidedAt: now });
  await releaseCharges(orm, subscription, now);
  const values = (locale: Locale, timeZone: string) => ({
    plan: planText(subscription.plan, locale),
    receivedAt: dateTimeText(receivedAt, locale, timeZone),
    actionUrl: manageUrl(deps),
  });
  const mail = { template: 'billing-mail.declaration_undone' as const, values, dedupeKey: `undone:${id}` };
  await mailOwner(orm, subscription.accountId, mail, now);
}

/**
 * Does what was declared, as of the date of the declaration, and mails the owner the result. The row must be locked.
 */
export async function applyDeclaration(
  orm: Orm,
  deps: Deps,
  declaration: DeclarationRow,
  subscription: SubscriptionRow,
  now: Date,
): Promise<void> {
  const outcome = await cancelOrWithdraw(orm, deps, declaration, subscription, now);
  if (outcome === 'nothing_to_do') await mailAlreadyEnded(orm, deps, declaration, subscription, now);
  await changeDeclaration(orm, declaration.id, { outcome });
}

async function cancelOrWithdraw(
  orm: Orm,
  deps: Deps,
  { kind, receivedAt }: DeclarationRow,
  subscription: SubscriptionRow,
  now: Date,
): Promise<Outcome> {
  if (kind !== 'cancel') return withdraw(orm, deps, subscription, { kind, receivedAt }, now);
  if (!isOngoing(subscription)) return 'nothing_to_do';
  await cancelRenewal(orm, deps, subscription, now);
  return 'done';
}

/** Answers a declaration about a contract that had ended before, and says how it did. */
async function mailAlreadyEnded(
  orm: Orm,
  deps: Deps,
  { id, receivedAt }: DeclarationRow,
  subscription: SubscriptionRow,
  now: Date,
): Promise<void> {
  const { accountId, plan, endedAt, status } = subscription;
  const charges = await describeCharges(orm, subscription);
  const mail = {
    template: 'billing-mail.already_ended' as const,
    values: (locale: Locale, timeZone: string) => {
      const { expired, canceled } = BILLING_TEXTS[locale].ended;
      const endedValues = {
        plan: planText(plan, locale),
        endAt: dateTimeText(endedAt ?? paidUntil(subscription), locale, timeZone),
      };
      return {
        receivedAt: dateTimeText(receivedAt, locale, timeZone),
        ended: fillText(status === 'expired' ? expired : canceled, endedValues),
        charges: charges(locale),
        actionUrl: manageUrl(deps),
      };
    },
    dedupeKey: `ended-already:${id}`,
  };
  await mailOwner(orm, accountId, mail, now);
}

/** The waiting declarations of a contract, as its owner sees them. */
export async function viewWaiting(orm: Orm, subscriptionId: string): Promise<WaitingDeclaration[]> {
  const waiting = await listWaiting(orm, subscriptionId);
  return waiting.map(({ id, kind, receivedAt, effectiveAt }) => ({
    id,
    kind,
    receivedAt: receivedAt.toISOString(),
    effectiveAt: effectiveAt.toISOString(),
  }));
}
