import pg from 'pg';

/** Digest of everything that a test may have created or changed in the schema. */
const SCHEMA = `
  select md5(concat(
    (select string_agg(concat(attrelid, attname, attnotnull, atttypid), ',' order by attrelid, attnum)
     from pg_attribute where attrelid >= 16384),
    (select string_agg(concat(oid, relname), ',' order by oid) from pg_class where oid >= 16384),
    (select string_agg(concat(oid, tgenabled), ',' order by oid) from pg_trigger),
    (select string_agg(concat(oid, prosrc), ',' order by oid) from pg_proc where oid >= 16384),
    (select string_agg(concat(oid, conname), ',' order by oid) from pg_constraint where oid >= 16384)
  )) as schema`;

/**
 * Deletes what is in the few tables that a test has used, without checking foreign keys. Truncating a table would also
 * truncate all that refer to it, which costs 30 ms for accounts; it is left for tables that have grown large.
 */
const EMPTY_TABLES = `
  do $$
  declare used regclass[]; is_large boolean; name regclass;
  begin
    select array_agg(oid), bool_or(pg_relation_size(oid) > 512 * 1024) into used, is_large from pg_class
    where relkind = 'r' and relnamespace = 'public'::regnamespace and pg_relation_size(oid) > 0;
    if is_large then execute 'truncate ' || array_to_string(used, ', ') || ' cascade';
    elsif used is not null then
      set local session_replication_role = replica;
      foreach name in array used loop execute 'delete from ' || name; end loop;
    end if;
    perform setval(seqrelid, seqstart, false) from pg_sequence;
  end $$`;

/** A digest of all columns, tables, triggers, functions and constraints of a database. */
export async function readSchema(connection: pg.ClientConfig): Promise<string> {
  return run(connection, [SCHEMA]);
}

/** Deletes all rows of a database and returns the digest of its schema. */
export async function emptyTables(connection: pg.ClientConfig): Promise<string> {
  return run(connection, [EMPTY_TABLES, SCHEMA]);
}

async function run(connection: pg.ClientConfig, statements: string[]): Promise<string> {
  const client = new pg.Client(connection);
  await client.connect();
  let schema = '';
  for (const statement of statements) {
    const { rows } = await client.query<{ schema: string }>(statement);
    schema = rows[0]?.schema ?? '';
  }
  await client.end();
  return schema;
}
