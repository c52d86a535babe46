ALTER TABLE "codes" ADD COLUMN "is_counted" boolean DEFAULT true NOT NULL;--> statement-breakpoint
ALTER TABLE "codes" ADD COLUMN "erase_at" timestamp with time zone;--> statement-breakpoint
ALTER TABLE "code_jobs" ADD COLUMN "retarget" jsonb;--> statement-breakpoint
CREATE INDEX "codes_erasure" ON "codes" USING btree ("account_id","erase_at") WHERE "codes"."erase_at" is not null;