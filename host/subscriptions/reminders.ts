import type { Locale } from '#contract/locales';
import type { Orm } from '#host/db/client';
import type { Deps } from '#host/http/deps';
import { findInvoice, type InvoiceRow } from '#host/invoices/invoices.store';
import { renderInvoice } from '#host/invoices/pdf';
import { cardText, lastDayText, momentText, moneyText, periodText, planText } from '#host/invoices/wording';
import { findMethod, getPayment } from '#host/payments/payments.store';
import { mailOwner, manageUrl } from './billing-mails';
import { monthsOf, startOfDay } from './calendar';
import { isAbout, type Job } from './jobs';
import { findSubscription } from './subscriptions.store';

/** The reminder before the first charge; nothing when it will not be made. */
export async function remindOfTrialEnd(deps: Deps, job: Job, now: Date): Promise<void> {
  const { orm } = deps.db;
  const subscription = await findSubscription(orm, job.subject);
  if (subscription?.status !== 'trialing' || subscription.cancelAtPeriodEnd) return;
  if (!isAbout(job, subscription)) return;
  const method = await findMethod(orm, job.subject);
  const { trialEnd, plan, priceCents } = subscription;
  const values = (locale: Locale) => ({
    plan: planText(plan, locale),
    amount: moneyText(priceCents, locale),
    firstChargeAt: momentText(trialEnd ?? now, locale),
    card: cardText(method ?? { brand: '', last4: '' }, locale),
    actionUrl: manageUrl(deps),
  });
  const mail = { template: 'billing-mail.trial_reminder' as const, values, dedupeKey: job.dedupeKey };
  await mailOwner(orm, job.subject, mail, now);
}

/** Between three months and one before a yearly plan is renewed (consumer code L215-1). */
export async function announceRenewal(deps: Deps, job: Job, now: Date): Promise<void> {
  const { orm } = deps.db;
  const subscription = await findSubscription(orm, job.subject);
  if (subscription?.status !== 'active' || subscription.cancelAtPeriodEnd) return;
  const { plan, periodEnd, priceCents } = subscription;
  if (!isAbout(job, subscription) || !periodEnd || monthsOf(plan) < 12) return;
  const next = subscription.nextPlan ?? plan;
  const values = (locale: Locale) => ({
    plan: planText(next, locale),
    amount: moneyText(subscription.nextPriceCents ?? priceCents, locale),
    renewalAt: momentText(periodEnd, locale),
    deadline: lastDayText(startOfDay(periodEnd), locale),
    actionUrl: manageUrl(deps),
  });
  const mail = { template: 'billing-mail.renewal_notice' as const, values, dedupeKey: job.dedupeKey };
  await mailOwner(orm, job.subject, mail, now);
}

/** Sends an invoice or a credit note. It is drawn here, outside of the transaction that gave it its number. */
export async function mailDocument(deps: Deps, job: Job, now: Date): Promise<void> {
  const { orm } = deps.db;
  const invoice = await findInvoice(orm, job.subject);
  if (!invoice) return;
  const content = await renderInvoice(invoice);
  const { accountId, number, series } = invoice;
  const mail = {
    template: series === 'A' ? ('billing-mail.refunded' as const) : ('billing-mail.receipt' as const),
    values: await documentValues(orm, deps, invoice),
    dedupeKey: job.dedupeKey,
    attachments: [{ filename: `${number}.pdf`, contentType: 'application/pdf', content }],
  };
  await mailOwner(orm, accountId, mail, now);
}

async function documentValues(orm: Orm, deps: Deps, invoice: InvoiceRow) {
  const { number, plan, grossCents, periodStart, periodEnd, paymentId } = invoice;
  const { cardBrand: brand, cardLast4: last4 } = await getPayment(orm, paymentId);
  return (locale: Locale) => ({
    number,
    amount: moneyText(grossCents, locale),
    card: cardText({ brand, last4 }, locale),
    plan: planText(plan, locale),
    period: periodText(periodStart, periodEnd, locale),
    renewalAt: momentText(periodEnd, locale),
    actionUrl: manageUrl(deps),
  });
}
