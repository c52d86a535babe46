import pg from 'pg';
import { TRANSITIONS } from '#host/subscriptions/states';

/** Access granted without an order has whatever status it was given, and a new contract begins anew. */
const CHECKED = { orders: 'true', subscriptions: 'old.id = new.id and new.order_id is not null' };

/** Makes an unlisted change of a status fail in a migrated database, so that every test is also one of the list. */
export async function checkStatusChanges(connectionString: string): Promise<void> {
  const client = new pg.Client({ connectionString });
  await client.connect();
  for (const [table, transitions] of Object.entries(TRANSITIONS)) {
    const listed = Object.entries<readonly string[]>(transitions).flatMap(([from, all]) =>
      all.map((to) => `('${from}', '${to}')`),
    );
    await client.query(`
      create function refuse_${table}_status() returns trigger language plpgsql as $$
      begin raise exception 'unlisted change of a status in ${table}: % to %', old.status, new.status; end $$;
      create trigger refuse_${table}_status before update of status on ${table} for each row
      when (old.status <> new.status and ${CHECKED[table as keyof typeof CHECKED]}
        and (old.status, new.status) not in (${listed.join(', ')}))
      execute function refuse_${table}_status()`);
  }
  await client.end();
}
