CREATE TABLE "styles" (
	"id" uuid PRIMARY KEY NOT NULL,
	"account_id" uuid NOT NULL,
	"key" text NOT NULL,
	"name" text NOT NULL,
	"style" jsonb NOT NULL,
	"is_default" boolean NOT NULL,
	"created_at" timestamp with time zone NOT NULL
);
--> statement-breakpoint
ALTER TABLE "code_jobs" ADD COLUMN "style" jsonb;--> statement-breakpoint
ALTER TABLE "styles" ADD CONSTRAINT "styles_account_id_accounts_id_fk" FOREIGN KEY ("account_id") REFERENCES "public"."accounts"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "styles_key" ON "styles" USING btree ("account_id","key");--> statement-breakpoint
CREATE UNIQUE INDEX "styles_default" ON "styles" USING btree ("account_id") WHERE "styles"."is_default";