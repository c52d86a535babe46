ALTER TABLE "logos" ADD COLUMN "account_id" uuid;--> statement-breakpoint
ALTER TABLE "styles" ADD COLUMN "logo" jsonb;--> statement-breakpoint
ALTER TABLE "code_jobs" ADD COLUMN "logo" jsonb;--> statement-breakpoint
-- works beside 0.1.0: it leaves the column empty
ALTER TABLE "logos" ADD CONSTRAINT "logos_account_id_accounts_id_fk" FOREIGN KEY ("account_id") REFERENCES "public"."accounts"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "code_changes_logo" ON "code_changes" USING btree (substr("before", 8, 36)) WHERE "code_changes"."field" = 'logo';--> statement-breakpoint
CREATE INDEX "logos_account" ON "logos" USING btree ("account_id");--> statement-breakpoint
UPDATE "logos" SET "account_id" = "codes"."account_id" FROM "codes" WHERE "codes"."logo_id" = "logos"."id";
