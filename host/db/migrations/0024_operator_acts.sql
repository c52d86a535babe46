CREATE TABLE IF NOT EXISTS "blocked_targets" (
	"host" text PRIMARY KEY NOT NULL,
	"at" timestamp with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE IF NOT EXISTS "operator_acts" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "operator_acts_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"at" timestamp with time zone NOT NULL,
	"operator" text NOT NULL,
	"act" text NOT NULL,
	"subject" text NOT NULL,
	"account_id" uuid,
	"reason" text NOT NULL
);
--> statement-breakpoint
ALTER TABLE "codes" ADD COLUMN IF NOT EXISTS "blocked_at" timestamp with time zone;--> statement-breakpoint
CREATE INDEX IF NOT EXISTS "operator_acts_account" ON "operator_acts" USING btree ("account_id");--> statement-breakpoint
CREATE INDEX IF NOT EXISTS "operator_acts_age" ON "operator_acts" USING btree ("at");