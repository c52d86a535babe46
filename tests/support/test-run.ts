import { randomUUID } from 'node:crypto';
import pg from 'pg';

/** Sets TEST_RUN, the name prefix of this run's databases on the PostgreSQL server; drops them at its end. */
export default function setup(): () => Promise<void> {
  const run = randomUUID().slice(0, 8);
  process.env.TEST_RUN = run;
  return async () => {
    const server = process.env.TEST_DATABASE_URL;
    if (!server) return;
    const client = new pg.Client({ connectionString: server });
    await client.connect();
    const { rows } = await client.query<{ datname: string }>(
      'select datname from pg_database where starts_with(datname, $1)',
      [`test_${run}_`],
    );
    for (const { datname } of rows) await client.query(`drop database ${datname} with (force)`);
    await client.end();
  };
}
