CREATE TABLE "campaign_days" (
	"code_id" uuid NOT NULL,
	"day" date NOT NULL,
	"source" text NOT NULL,
	"medium" text NOT NULL,
	"campaign" text NOT NULL,
	"account_id" uuid NOT NULL,
	"visits" bigint NOT NULL,
	CONSTRAINT "campaign_days_key" PRIMARY KEY("code_id","day","source","medium","campaign")
);
--> statement-breakpoint
ALTER TABLE "codes" ADD COLUMN "campaign" jsonb;--> statement-breakpoint
CREATE INDEX "campaign_days_account" ON "campaign_days" USING btree ("account_id","day");