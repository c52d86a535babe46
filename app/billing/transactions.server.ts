import { data } from '@remix-run/node';
import { getInvoice, listTransactions, type Transaction } from '#contract/transactions';
import { callHost, fetchHost } from '~/http/host.server';
import { HostError } from '~/http/host-error.server';
import { readPageNumber, requireRows } from '~/http/page-number.server';
import type { UserScope } from '~/http/scope.server';
import { type Formatters, readFormatters } from './formatters.server';
import { cardBrand, SUBSCRIPTION_PATH } from './subscription.server';

/** One page of an account's charges, newest first, with formatted amounts and dates. */
export async function listOwnTransactions(scope: UserScope) {
  const page = await readPageNumber(scope);
  const { data: found, meta } = await callHost(scope, listTransactions, { query: { page, limit: 10 } });
  await requireRows(scope, page, found);
  const formatters = await readFormatters(scope);
  return { meta, transactions: found.map((one) => worded(one, formatters)) };
}
export type OwnTransactions = Awaited<ReturnType<typeof listOwnTransactions>>;

function worded(one: Transaction, { money, day, sellerDay }: Formatters) {
  const { id, status, description, plan, method, invoice, creditNote, date } = one;
  const linkOf = (file: Transaction['invoice']) =>
    file && { number: file.number, path: `${SUBSCRIPTION_PATH}/invoices/${file.number}.pdf` };
  return {
    id,
    status,
    description,
    plan,
    amount: money(one.amountCents),
    refunded: one.refundedCents > 0 ? money(one.refundedCents) : null,
    refund: one.refund && {
      amount: money(one.refund.amountCents),
      from: sellerDay(one.refund.from),
      until: sellerDay(one.refund.until),
    },
    method: method && { brand: cardBrand(method.brand), last4: method.last4 },
    period: one.periodStart && one.periodEnd && [day(one.periodStart), day(one.periodEnd)],
    date: { iso: date, text: day(date) },
    invoice: linkOf(invoice),
    creditNote: linkOf(creditNote),
  };
}

/** An invoice or credit note of the account as PDF; 404 page for any other. */
export async function getOwnInvoice(scope: UserScope, file: string): Promise<Response> {
  try {
    const response = await fetchHost(scope, getInvoice, { params: { file } });
    return new Response(response.body, {
      headers: {
        'Content-Type': 'application/pdf',
        'Content-Disposition': `attachment; filename="${file}"`,
        'Cache-Control': 'private, no-store',
        'Content-Security-Policy': "default-src 'none'; sandbox",
      },
    });
  } catch (thrown) {
    if (thrown instanceof HostError) throw data(null, { status: 404 });
    throw thrown;
  }
}
