import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { breakingStatements } from '../../support/migration-rules';

const FOLDER = 'host/db/migrations';
const files = readdirSync(FOLDER).filter((name) => name.endsWith('.sql'));
const read = (name: string) => readFileSync(join(FOLDER, name), 'utf8');

test('migrations are compatible with hosts of the previous release: nothing is removed until one release later', () => {
  const found = files
    .filter((name) => name !== '0000_foundation.sql')
    .flatMap((name) => breakingStatements(read(name)).map((problem) => `${name}: ${problem}`));
  expect(found).toEqual([]);
});

test.each([
  'ALTER TABLE "codes" DROP COLUMN "subject";',
  'ALTER TABLE "codes" RENAME COLUMN "subject" TO "title";',
  'ALTER TABLE "codes" RENAME TO "qr_codes";',
  'DROP TABLE "codes" CASCADE;',
  'ALTER TABLE "codes" ALTER COLUMN "name" SET NOT NULL;',
  'ALTER TABLE "codes" ALTER COLUMN "name" SET DATA TYPE bigint;',
  'ALTER TABLE "codes" ALTER COLUMN "name" DROP DEFAULT;',
  'ALTER TABLE "codes" ADD COLUMN "title" text NOT NULL;',
  'ALTER TABLE "codes" ADD CONSTRAINT "codes_title" UNIQUE ("title");',
  'CREATE UNIQUE INDEX "codes_title" ON "codes" USING btree ("title");',
  'DROP INDEX "codes_slug";',
  "DO $$ BEGIN EXECUTE format('ALTER TABLE %I RENAME TO old', 'codes'); END $$;",
  'DELETE FROM "codes";',
  '-- unused since last summer\nALTER TABLE "codes" DROP COLUMN "subject";',
])('%s has to wait for the next release', (statement) => {
  expect(breakingStatements(statement)).toHaveLength(1);
});

test.each([
  'ALTER TABLE "codes" ADD COLUMN "title" text;',
  'ALTER TABLE "codes" ADD COLUMN "count" integer DEFAULT 0 NOT NULL;',
  'ALTER TABLE "codes" ALTER COLUMN "name" DROP NOT NULL;',
  'CREATE INDEX "codes_title" ON "codes" USING btree ("title");',
  'UPDATE "codes" SET "title" = "name";',
  '-- unused since 0.1.0: subjects are part of the content\nALTER TABLE "codes" DROP COLUMN "subject";',
  "-- works beside 0.1.0: the table is renamed and made again in one transaction\nDO $$ BEGIN EXECUTE format('ALTER TABLE %I RENAME TO old', 'visits'); END $$;",
  'CREATE TABLE "labels" ("id" uuid PRIMARY KEY NOT NULL, "type" text NOT NULL);\n--> statement-breakpoint\nALTER TABLE "labels" ADD CONSTRAINT "labels_account" FOREIGN KEY ("id") REFERENCES "accounts"("id");--> statement-breakpoint\nCREATE UNIQUE INDEX "labels_type" ON "labels" USING btree ("type");',
])('%s is compatible with a host of the previous release', (statement) => {
  expect(breakingStatements(statement)).toEqual([]);
});

test('migrations after the jobs only change rules and logging, or add tables or columns that backups from before them may lack', () => {
  const statements = files.slice(2).flatMap((name) => read(name).split('--> statement-breakpoint'));
  const plain = statements.map((statement) => statement.replace(/^--.*$/gm, '').trim());
  const harmless =
    /^(?:ALTER TABLE "\w+" (?:(?:ADD|DROP) CONSTRAINT "|ADD COLUMN "|SET UNLOGGED)|CREATE (?:TABLE|INDEX) |UPDATE )/;
  const added = plain.flatMap((text) => /^CREATE TABLE "(\w+)"/.exec(text)?.[1] ?? []);
  const isOfAdded = (text: string) =>
    added.some((table) => text.startsWith('CREATE UNIQUE INDEX') && text.includes(` ON "${table}" `));
  expect(plain.filter((text) => !harmless.test(text) && !isOfAdded(text))).toEqual([]);
});

test('only the newest snapshot of the tables is kept, with which the next migration is compared', () => {
  expect(readdirSync(join(FOLDER, 'meta')).sort()).toEqual([
    `${files.at(-1)?.slice(0, 4)}_snapshot.json`,
    '_journal.json',
  ]);
});
