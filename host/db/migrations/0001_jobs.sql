-- works beside 0.1.0: in the same transaction a view gets the old name, through which an old host works on the same jobs
ALTER TABLE "billing_jobs" RENAME TO "jobs";--> statement-breakpoint
-- works beside 0.1.0: no statement names them
ALTER INDEX "billing_jobs_pkey" RENAME TO "jobs_pkey";
ALTER INDEX "billing_jobs_dedupe_key" RENAME TO "jobs_dedupe_key";
ALTER INDEX "billing_jobs_due" RENAME TO "jobs_due";
ALTER INDEX "billing_jobs_subject" RENAME TO "jobs_subject";--> statement-breakpoint
ALTER TABLE "jobs" ALTER COLUMN "id" SET DEFAULT gen_random_uuid();--> statement-breakpoint
CREATE VIEW "billing_jobs" AS SELECT * FROM "jobs" WHERE "kind" <> 'visit_erasure';--> statement-breakpoint
INSERT INTO "jobs" ("kind", "subject", "dedupe_key", "due_at", "claimed_until")
SELECT 'visit_erasure', "former_account_id", 'visit_erasure:' || "former_account_id", "at", "claimed_until" FROM "visit_erasures";--> statement-breakpoint
-- works beside 0.1.0: a view takes its name, through which an old host works on the same erasures
DROP TABLE "visit_erasures";--> statement-breakpoint
CREATE VIEW "visit_erasures" WITH (security_barrier) AS
SELECT "subject"::uuid AS "former_account_id", "due_at" AS "at", "claimed_until" FROM "jobs" WHERE "kind" = 'visit_erasure';--> statement-breakpoint
CREATE FUNCTION "enqueue_visit_erasure"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO jobs (kind, subject, dedupe_key, due_at, claimed_until)
  VALUES ('visit_erasure', NEW.former_account_id, 'visit_erasure:' || NEW.former_account_id, NEW.at, NEW.claimed_until)
  ON CONFLICT (dedupe_key) DO NOTHING;
  RETURN NEW;
END $$;--> statement-breakpoint
-- works beside 0.1.0: an old host schedules its erasures by it
CREATE TRIGGER "visit_erasures_insert" INSTEAD OF INSERT ON "visit_erasures" FOR EACH ROW EXECUTE FUNCTION "enqueue_visit_erasure"();
