import { writeSync } from 'node:fs';
import { sql } from 'drizzle-orm';
import { openEmbedded } from '#host/db/client';

// Writes numbers into a database until the process is killed, and prints each one once it is committed.
const db = await openEmbedded(process.argv[2]);
await db.orm.execute(
  sql`create table if not exists ledger (id int primary key, note text, seen int default 0)`,
);
const [row] = await db.query<{ last: number }>({
  name: '',
  text: 'select coalesce(max(id), 0) as last from ledger',
  values: [],
});
for (let id = (row?.last ?? 0) + 1; ; id += 1) {
  await db.orm.transaction(async (transaction) => {
    await transaction.execute(
      sql`insert into ledger (id, note) values (${id}, repeat(md5(${id}::text), 20))`,
    );
    await transaction.execute(sql`update ledger set seen = seen + 1 where id > ${id - 20}`);
  });
  writeSync(1, `${id}\n`);
  if (id % 60 === 0) await db.orm.execute(sql`checkpoint`);
}
