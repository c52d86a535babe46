ALTER TABLE "drafts" ADD COLUMN "account_id" uuid;--> statement-breakpoint
ALTER TABLE "drafts" ADD CONSTRAINT "drafts_account_id_accounts_id_fk" FOREIGN KEY ("account_id") REFERENCES "public"."accounts"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "drafts_account" ON "drafts" USING btree ("account_id");--> statement-breakpoint
UPDATE "codes" SET "visibility" = 'public' WHERE "type" = 'wifi' AND "visibility" = 'private';
