CREATE TABLE "shared_reports" (
	"id" uuid PRIMARY KEY NOT NULL,
	"account_id" uuid NOT NULL,
	"name" text NOT NULL,
	"filter" jsonb NOT NULL,
	"hash" text NOT NULL,
	"sealed" text NOT NULL,
	"created_at" timestamp with time zone NOT NULL,
	"ends_at" timestamp with time zone NOT NULL,
	"form_key" text
);
--> statement-breakpoint
ALTER TABLE "shared_reports" ADD CONSTRAINT "shared_reports_account_id_accounts_id_fk" FOREIGN KEY ("account_id") REFERENCES "public"."accounts"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "shared_reports_hash" ON "shared_reports" USING btree ("hash");--> statement-breakpoint
CREATE INDEX "shared_reports_account" ON "shared_reports" USING btree ("account_id","created_at");--> statement-breakpoint
CREATE INDEX "shared_reports_end" ON "shared_reports" USING btree ("ends_at");--> statement-breakpoint
CREATE INDEX "codes_targets" ON "codes" USING gin (jsonb_path_query_array("routing", '$.**.target') jsonb_path_ops) WHERE "codes"."deleted_at" is null and "codes"."routing" is not null;