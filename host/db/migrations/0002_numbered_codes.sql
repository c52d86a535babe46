CREATE TABLE "code_blocks" (
	"account_id" uuid NOT NULL,
	"block" integer NOT NULL,
	"codes" integer NOT NULL,
	CONSTRAINT "code_blocks_account_id_block_pk" PRIMARY KEY("account_id","block")
);
--> statement-breakpoint
DROP INDEX "activities_recent";--> statement-breakpoint
DROP INDEX "billing_addresses_account";--> statement-breakpoint
DROP INDEX "code_changes_code";--> statement-breakpoint
DROP INDEX "codes_newest";--> statement-breakpoint
DROP INDEX "mails_newest";--> statement-breakpoint
DROP INDEX "payments_newest";--> statement-breakpoint
DROP INDEX "mail_tokens_account";--> statement-breakpoint
ALTER TABLE "accounts" ADD COLUMN "last_code_number" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "codes" ADD COLUMN "number" integer;--> statement-breakpoint
UPDATE "codes" SET "number" = numbered."number" FROM (
	SELECT "id", row_number() OVER (PARTITION BY "account_id" ORDER BY "created_at", "id") AS "number" FROM "codes"
) AS numbered WHERE "codes"."id" = numbered."id";--> statement-breakpoint
ALTER TABLE "codes" ALTER COLUMN "number" SET NOT NULL;--> statement-breakpoint
UPDATE "accounts" SET "last_code_number" = made."number" FROM (
	SELECT "account_id", max("number") AS "number" FROM "codes" GROUP BY "account_id"
) AS made WHERE "accounts"."id" = made."account_id";--> statement-breakpoint
INSERT INTO "code_blocks" ("account_id", "block", "codes")
	SELECT "account_id", "number" / 500, count(*) FROM "codes" WHERE "deleted_at" IS NULL GROUP BY 1, 2;--> statement-breakpoint
ALTER TABLE "code_blocks" ADD CONSTRAINT "code_blocks_account_id_accounts_id_fk" FOREIGN KEY ("account_id") REFERENCES "public"."accounts"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "codes_number" ON "codes" USING btree ("account_id","number");--> statement-breakpoint
CREATE INDEX "activities_recent" ON "activities" USING btree ("account_id","at");--> statement-breakpoint
CREATE INDEX "billing_addresses_account" ON "billing_addresses" USING btree ("account_id","created_at","id");--> statement-breakpoint
CREATE INDEX "code_changes_code" ON "code_changes" USING btree ("code_id","at");--> statement-breakpoint
CREATE INDEX "codes_newest" ON "codes" USING btree ("account_id","number") WHERE "codes"."deleted_at" is null;--> statement-breakpoint
CREATE INDEX "mails_newest" ON "mails" USING btree ("place");--> statement-breakpoint
CREATE INDEX "payments_newest" ON "payments" USING btree ("account_id","created_at","id");--> statement-breakpoint
CREATE INDEX "mail_tokens_account" ON "mail_tokens" USING btree ("account_id","purpose","created_at");