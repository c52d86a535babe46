import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Database } from '#host/db/client';
import { logos } from '#host/db/codes.tables';
import { jobs } from '#host/db/jobs.tables';
import { restoreBackup } from '#host/db/transfer/backup-file';
import { createDigest } from '#host/db/transfer/tables';
import { openFresh } from '../../support/fresh-database';

const ID = '11111111-1111-4111-8111-111111111111';
const AT = '2026-03-01T10:00:00+00:00';
let db: Database;

beforeEach(async () => {
  db = await openFresh();
});
afterEach(() => db.close());

const run = (text: string, ...values: unknown[]) => db.query<object>({ name: '', text, values });

test('a host of release 0.1.0 enqueues, claims and finishes billing jobs, and sees no others', async () => {
  const enqueue = () =>
    run(
      `insert into "billing_jobs" ("id", "kind", "subject", "subscription_id", "period", "planned", "dedupe_key",
        "due_at", "claimed_until", "attempts", "done_at", "last_error")
      values ($1, 'refund', 'x', default, default, default, 'one', $2, default, default, default, default)
      on conflict ("dedupe_key") do nothing`,
      ID,
      AT,
    );
  await enqueue();
  await enqueue();
  await run(`insert into visit_erasures values ($1, $2, null)`, ID, AT);
  const claim = `update "billing_jobs" set "claimed_until" = now() + interval '25 seconds',
    "attempts" = "billing_jobs"."attempts" + 1 where "billing_jobs"."id" = any(array(
      select "id" from "billing_jobs" where "due_at" <= now() and "done_at" is null
        and ("claimed_until" is null or "claimed_until" < now())
      order by "due_at" limit 1 for update skip locked)) returning "id", "kind", "attempts"`;
  expect(await run(claim)).toEqual([{ id: ID, kind: 'refund', attempts: 1 }]);
  expect(await run(claim)).toEqual([]);
  await run(`update "billing_jobs" set "done_at" = $2, "claimed_until" = null where "id" = $1`, ID, AT);
  await run(`delete from "billing_jobs" where "done_at" < now()`);
  expect(await db.orm.select().from(jobs)).toMatchObject([{ kind: 'visit_erasure', subject: ID }]);
});

test('a host of release 0.1.0 schedules, claims and finishes erasures, also beside jobs about no account', async () => {
  await db.orm.insert(jobs).values({ kind: 'event', subject: 'evt_1', dedupeKey: 'x', dueAt: new Date(AT) });
  const schedule = () =>
    run(
      `insert into "visit_erasures" ("former_account_id", "at", "claimed_until") values ($1, $2, default)
      on conflict do nothing`,
      ID,
      AT,
    );
  await schedule();
  await schedule();
  const claim = `update visit_erasures set claimed_until = now() + interval '10 minutes' where former_account_id in (
      select former_account_id from visit_erasures
      where not exists (select from visit_erasures where claimed_until > now()) for update skip locked
    ) returning former_account_id as id`;
  expect(await run(claim)).toEqual([{ id: ID }]);
  expect(await run(claim)).toEqual([]);
  const [claimed] = await run(
    `update visit_erasures set claimed_until = now() where former_account_id = any ($1::uuid[]) returning at`,
    [ID],
  );
  expect(claimed).toEqual({ at: new Date(AT) });
  await run('delete from visit_erasures where former_account_id = any ($1::uuid[])', [ID]);
  expect(await db.orm.select().from(jobs)).toMatchObject([{ kind: 'event' }]);
});

test('the jobs and erasures of a backup of release 0.1.0 are restored as jobs, and rows without columns made since', async () => {
  const rows = {
    logos: `{"id":"${ID}","name":"mark.png","png":"\\\\x00","created_at":"${AT}"}`,
    billing_jobs: `{"id":"${ID}","kind":"event","subject":"evt_1","dedupe_key":"event:1","due_at":"${AT}","claimed_until":null,"attempts":2,"done_at":null,"last_error":"away","subscription_id":null,"period":null,"planned":null}`,
    visit_erasures: `{"former_account_id":"${ID}","at":"${AT}","claimed_until":null}`,
  };
  const [text = '', end = ''] = gunzipSync(readFileSync('tests/host/db/previous-release.backup.gz'))
    .toString()
    .split('\nend ');
  const digests = JSON.parse(end);
  let filled = text;
  for (const [table, row] of Object.entries(rows)) {
    filled = filled.replace(new RegExp(`^table ${table}$`, 'm'), `$&\n${row}`);
    const digest = createDigest();
    digest.add([row]);
    digests[table] = digest.result();
  }
  const folder = mkdtempSync(join(tmpdir(), 'previous-release-'));
  const file = join(folder, 'backup.gz');
  writeFileSync(file, gzipSync(`${filled}\nend ${JSON.stringify(digests)}\n`));
  await restoreBackup(db, file).finally(() => rmSync(folder, { recursive: true }));
  expect(await db.orm.select().from(jobs).orderBy(jobs.kind)).toMatchObject([
    { id: ID, kind: 'event', attempts: 2, lastError: 'away', dueAt: new Date(AT) },
    { kind: 'visit_erasure', subject: ID, dedupeKey: `visit_erasure:${ID}`, dueAt: new Date(AT) },
  ]);
  expect(await db.orm.select().from(logos)).toMatchObject([{ id: ID, name: 'mark.png', accountId: null }]);
});
