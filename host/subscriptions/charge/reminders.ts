import type { Locale } from '#contract/locales';
import type { Orm } from '#host/db/client';
import type { Deps } from '#host/http/deps';
import { renderInvoice } from '#host/invoices/pdf';
import { findInvoice, type InvoiceRow } from '#host/invoices/store';
import { cardText, dateTimeText, lastDayText, moneyText, periodText, planText } from '#host/invoices/wording';
import type { Job } from '#host/jobs/queue';
import { findMethod, getPayment } from '#host/payments/store';
import { mailOwner, manageUrl } from '#host/subscriptions/billing-mails';
import { monthsOf, startOfDay } from '#host/subscriptions/calendar';
import { nextChargeText } from '#host/subscriptions/contract/ending';
import { findSubscription, type SubscriptionRow } from '#host/subscriptions/contract/store';
import { isCurrentJob } from '#host/subscriptions/jobs';

/** Sent before the first charge, unless there will be none. */
export async function sendTrialReminder(deps: Deps, job: Job, now: Date): Promise<void> {
  const { orm } = deps.db;
  const subscription = await findSubscription(orm, job.subject);
  if (subscription?.status !== 'trialing' || subscription.cancelAtPeriodEnd) return;
  if (!isCurrentJob(job, subscription)) return;
  const method = await findMethod(orm, job.subject);
  const { trialEnd, plan, priceCents } = subscription;
  const values = (locale: Locale, timeZone: string) => ({
    plan: planText(plan, locale),
    amount: moneyText(priceCents, locale),
    firstChargeAt: dateTimeText(trialEnd ?? now, locale, timeZone),
    card: cardText(method ?? { brand: '', last4: '' }, locale),
    actionUrl: manageUrl(deps),
  });
  const mail = { template: 'billing-mail.trial_reminder' as const, values, dedupeKey: job.dedupeKey };
  await mailOwner(orm, job.subject, mail, now);
}

/**
 * Sent once for each plan, between three months and one month before a yearly plan renews (consumer code L215-1); later only if no
 * renewal was planned then.
 */
export async function sendRenewalNotice(deps: Deps, job: Job, now: Date): Promise<void> {
  const { orm } = deps.db;
  const subscription = await findSubscription(orm, job.subject);
  if (subscription?.status !== 'active' || subscription.cancelAtPeriodEnd) return;
  const { plan, periodEnd, priceCents } = subscription;
  if (!isCurrentJob(job, subscription) || !periodEnd || monthsOf(plan) < 12) return;
  const next = subscription.nextPlan ?? plan;
  const values = (locale: Locale, timeZone: string) => ({
    plan: planText(next, locale),
    amount: moneyText(subscription.nextPriceCents ?? priceCents, locale),
    renewalAt: dateTimeText(periodEnd, locale, timeZone),
    deadline: lastDayText(startOfDay(periodEnd), locale),
    actionUrl: manageUrl(deps),
  });
  const baseKey = `renewal-notice:${subscription.id}:${subscription.nextPeriod}`;
  // So that another follows if the owner changes back to the plan of now.
  const dedupeKey = subscription.nextPlan ? `${baseKey}:${next}` : baseKey;
  const template = subscription.nextPlan
    ? ('billing-mail.renewal_notice_switch' as const)
    : ('billing-mail.renewal_notice' as const);
  const mail = { template, values, dedupeKey };
  await mailOwner(orm, job.subject, mail, now);
}

/** Mails an invoice or a credit note. The PDF is made here, outside the transaction that numbered the document. */
export async function mailDocument(deps: Deps, job: Job, now: Date): Promise<void> {
  const { orm } = deps.db;
  const invoice = await findInvoice(orm, job.subject);
  if (!invoice) return;
  const content = await renderInvoice(invoice);
  const { accountId, number, series } = invoice;
  const mail = {
    template: series === 'A' ? ('billing-mail.refunded' as const) : ('billing-mail.receipt' as const),
    values: await documentValues(orm, deps, invoice, now),
    dedupeKey: job.dedupeKey,
    attachments: [{ filename: `${number}.pdf`, contentType: 'application/pdf', content }],
  };
  await mailOwner(orm, accountId, mail, now);
}

async function documentValues(orm: Orm, deps: Deps, invoice: InvoiceRow, now: Date) {
  const { number, plan, grossCents, periodStart, periodEnd, paymentId } = invoice;
  const subscription = await findSubscription(orm, invoice.accountId);
  const renewing = subscription && willRenewAfter(invoice, subscription, now) ? subscription : null;
  const { cardBrand: brand, cardLast4: last4 } = await getPayment(orm, paymentId);
  return (locale: Locale, timeZone: string) => ({
    number,
    amount: moneyText(grossCents, locale),
    card: cardText({ brand, last4 }, locale),
    plan: planText(plan, locale),
    period: periodText(periodStart, periodEnd, locale),
    nextCharge: renewing ? nextChargeText(renewing, locale, timeZone) : '',
    actionUrl: manageUrl(deps),
  });
}

/** Whether the invoiced period is the present one of a contract that goes on after it. */
function willRenewAfter(
  invoice: InvoiceRow,
  { status, cancelAtPeriodEnd, periodEnd }: SubscriptionRow,
  now: Date,
): boolean {
  if (status !== 'active' || cancelAtPeriodEnd || !periodEnd) return false;
  return periodEnd > now && periodEnd.getTime() === invoice.periodEnd.getTime();
}
