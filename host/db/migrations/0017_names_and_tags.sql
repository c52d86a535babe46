CREATE TABLE "tags" (
	"id" integer PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "tags_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 2147483647 START WITH 1 CACHE 1),
	"account_id" uuid NOT NULL,
	"key" text NOT NULL,
	"label" text NOT NULL,
	"codes" integer DEFAULT 0 NOT NULL,
	"archived" integer DEFAULT 0 NOT NULL
);
--> statement-breakpoint
DROP INDEX "codes_newest";--> statement-breakpoint
ALTER TABLE "accounts" ADD COLUMN "archived_count" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "activities" ADD COLUMN "code_id" uuid;--> statement-breakpoint
ALTER TABLE "activities" ADD COLUMN "codes" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "codes" ADD COLUMN "name" text;--> statement-breakpoint
ALTER TABLE "codes" ADD COLUMN "tag_ids" integer[] DEFAULT '{}' NOT NULL;--> statement-breakpoint
ALTER TABLE "codes" ADD COLUMN "archived_at" timestamp with time zone;--> statement-breakpoint
ALTER TABLE "tags" ADD CONSTRAINT "tags_account_id_accounts_id_fk" FOREIGN KEY ("account_id") REFERENCES "public"."accounts"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "tags_key" ON "tags" USING btree ("account_id","key");--> statement-breakpoint
CREATE INDEX "codes_tags" ON "codes" USING gin ("tag_ids") WHERE "codes"."deleted_at" is null;--> statement-breakpoint
CREATE INDEX "codes_newest" ON "codes" USING btree ("account_id","number") WHERE "codes"."deleted_at" is null and "codes"."archived_at" is null;