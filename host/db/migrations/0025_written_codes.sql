ALTER TABLE "codes" ADD COLUMN IF NOT EXISTS "written_in" bigint DEFAULT (pg_current_xact_id()::text)::bigint NOT NULL;--> statement-breakpoint
ALTER TABLE "code_totals" ADD COLUMN IF NOT EXISTS "account_id" uuid;--> statement-breakpoint
ALTER TABLE "code_totals" ADD COLUMN IF NOT EXISTS "counted_in" bigint DEFAULT 0 NOT NULL;--> statement-breakpoint
CREATE INDEX IF NOT EXISTS "codes_written" ON "codes" USING btree ("account_id","written_in");--> statement-breakpoint
CREATE INDEX IF NOT EXISTS "code_totals_counted" ON "code_totals" USING btree ("account_id","counted_in");--> statement-breakpoint
CREATE OR REPLACE FUNCTION "note_writing"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	NEW."written_in" := pg_current_xact_id()::text::bigint;
	RETURN NEW;
END $$;--> statement-breakpoint
DROP TRIGGER IF EXISTS "codes_written" ON "codes";--> statement-breakpoint
-- works beside 0.1.0: it fills in a column that older hosts neither read nor write.
CREATE TRIGGER "codes_written" BEFORE UPDATE ON "codes" FOR EACH ROW EXECUTE FUNCTION "note_writing"();
