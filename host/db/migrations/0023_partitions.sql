DROP INDEX "account_visitors_age";--> statement-breakpoint
DROP INDEX "visitor_days_age";--> statement-breakpoint
ALTER TABLE "visit_erasures" ADD COLUMN "claimed_until" timestamp with time zone;--> statement-breakpoint
-- In the order in which visits are counted, so that a host at work waits for this, or this for it.
LOCK TABLE "visits", "visitor_days", "visit_hours", "account_hours", "account_facets", "account_visitors", "day_figures" IN ACCESS EXCLUSIVE MODE;--> statement-breakpoint
DO $$
DECLARE
  part record;
  made text[];
  statement text;
  begins date;
  has_rows boolean;
BEGIN
  FOR part IN SELECT * FROM (VALUES
    ('visits', 'at', '("at" AT TIME ZONE ''UTC'')', 'day', 'YYYYMMDD'),
    ('visitor_days', 'day', '"day"', 'day', 'YYYYMMDD'),
    ('visit_hours', 'hour', '("hour" AT TIME ZONE ''UTC'')', 'day', 'YYYYMMDD'),
    ('account_hours', 'hour', '("hour" AT TIME ZONE ''UTC'')', 'day', 'YYYYMMDD'),
    ('account_facets', 'day', '"day"', 'day', 'YYYYMMDD'),
    ('account_visitors', 'day', '"day"', 'day', 'YYYYMMDD'),
    ('day_figures', 'day', '"day"', 'month', 'YYYYMM')
  ) AS given (name, key, day, unit, suffix)
  LOOP
    SELECT array_agg(definition) INTO made FROM (
      SELECT format('ALTER TABLE %I ADD CONSTRAINT %I %s', part.name, conname, pg_get_constraintdef(oid))
      FROM pg_constraint WHERE conrelid = part.name::regclass AND contype = 'p'
      UNION ALL
      SELECT pg_get_indexdef(indexrelid) FROM pg_index WHERE indrelid = part.name::regclass AND NOT indisprimary
    ) AS definitions (definition);
    FOR statement IN
      SELECT format('ALTER TABLE %I DROP CONSTRAINT %I', part.name, conname)
      FROM pg_constraint WHERE conrelid = part.name::regclass AND contype = 'p'
      UNION ALL
      SELECT format('DROP INDEX %s', indexrelid::regclass)
      FROM pg_index WHERE indrelid = part.name::regclass AND NOT indisprimary
    LOOP
      EXECUTE statement;
    END LOOP;
    EXECUTE format('ALTER TABLE %I RENAME TO unpartitioned', part.name);
    EXECUTE format('CREATE TABLE %I (LIKE unpartitioned INCLUDING DEFAULTS) PARTITION BY RANGE (%I)', part.name, part.key);
    EXECUTE format('CREATE TABLE %I PARTITION OF %I DEFAULT', part.name || '_default', part.name);
    -- A new database gets its partitions from the host that starts with it.
    EXECUTE 'SELECT EXISTS (SELECT FROM unpartitioned)' INTO has_rows;
    IF has_rows THEN
      FOR begins IN EXECUTE format(
        'SELECT date_trunc(%1$L, %2$s)::date FROM unpartitioned
         UNION
         SELECT date_trunc(%1$L, (now() AT TIME ZONE ''UTC'') + ahead * interval %3$L)::date FROM generate_series(0, 3) AS ahead',
        part.unit, part.day, '1 ' || part.unit)
      LOOP
        EXECUTE format('CREATE TABLE %I PARTITION OF %I FOR VALUES FROM (%L) TO (%L)',
          part.name || '_' || to_char(begins, part.suffix), part.name,
          to_char(begins, 'YYYY-MM-DD 00:00:00+00'),
          to_char(begins + ('1 ' || part.unit)::interval, 'YYYY-MM-DD 00:00:00+00'));
      END LOOP;
      EXECUTE format('INSERT INTO %I SELECT * FROM unpartitioned', part.name);
    END IF;
    DROP TABLE unpartitioned;
    -- After the rows: an index of rows that are there is built in one go.
    FOREACH statement IN ARRAY made LOOP
      EXECUTE statement;
    END LOOP;
  END LOOP;
END $$;
