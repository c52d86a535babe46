import type { TestHost } from './host';

export interface Books {
  /** What the provider took less what it has paid back, in cents, and in how many charges that worked. */
  charged: number;
  charges: number;
  /** Transactions less refunds, invoices, credit notes; cents. */
  paid: number;
  invoiced: number;
  credited: number;
  attempts: number;
}

/** Sums over everything: at the provider, in the transactions and on paper. */
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
