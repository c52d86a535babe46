import type { TestHost } from './host';

export interface Books {
  /** Successful charges minus refunds at the provider, in cents, and the number of those charges. */
  charged: number;
  charges: number;
  /** Transactions minus refunds, invoices, and credit notes, each in cents. */
  paid: number;
  invoiced: number;
  credited: number;
  attempts: number;
}

/** Totals over all accounts: at the provider, in the transactions and in the invoices. */
export async function readBooks({ db }: Pick<TestHost, 'db'>): Promise<Books> {
  const { rows } = (await db.orm.execute(`
    select
      (select coalesce(sum((data->>'amountCents')::int * case kind when 'charge' then 1 else -1 end), 0)::int
        from sandbox_objects where kind in ('charge', 'refund') and data->>'status' = 'succeeded') as charged,
      (select count(*)::int from sandbox_objects where kind = 'charge' and data->>'status' = 'succeeded') as charges,
      (select coalesce(sum(amount_cents - refunded_cents), 0)::int from payments where paid_at is not null) as paid,
      (select coalesce(sum(gross_cents), 0)::int from invoices where series = 'F') as invoiced,
      (select coalesce(sum(gross_cents), 0)::int from invoices where series = 'A') as credited,
      (select count(*)::int from payment_attempts) as attempts
  `)) as unknown as { rows: Books[] };
  const [books] = rows;
  if (!books) throw new Error('no books');
  return books;
}
