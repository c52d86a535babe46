import pg from 'pg';
import { CONTRACT_TRANSITIONS, ORDER_TRANSITIONS } from '#host/subscriptions/states';

const pairsOf = (transitions: Record<string, readonly string[]>) =>
  Object.entries(transitions).flatMap(([from, to]) => to.map((next) => `('${from}', '${next}')`));

/** Makes an unlisted change of a status fail; access granted without an order has whatever status it was given. */
const CHECKS = (
  [
    ['orders', ORDER_TRANSITIONS, 'old.id = new.id'],
    ['subscriptions', CONTRACT_TRANSITIONS, 'old.id = new.id and new.order_id is not null'],
  ] as const
).map(
  ([table, transitions, condition]) => `
    create function refuse_${table}_status() returns trigger language plpgsql as $$
    begin raise exception 'unlisted change of a status in ${table}: % to %', old.status, new.status; end $$;
    create trigger refuse_${table}_status before update of status on ${table} for each row
    when (old.status <> new.status and ${condition}
      and (old.status, new.status) not in (${pairsOf(transitions).join(', ')}))
    execute function refuse_${table}_status()`,
);

/** Installs the checks in a migrated database, so that every test that changes a status is also a test of the lists. */
export async function checkStatusChanges(connectionString: string): Promise<void> {
  const client = new pg.Client({ connectionString });
  await client.connect();
  for (const statement of CHECKS) await client.query(statement);
  await client.end();
}
