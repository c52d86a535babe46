CREATE TABLE "mail_settings" (
	"account_id" uuid PRIMARY KEY NOT NULL,
	"figures" text NOT NULL,
	"first_scan" boolean NOT NULL,
	"unusual" boolean NOT NULL,
	"destination_failing" boolean NOT NULL,
	"counted_in" bigint DEFAULT 0 NOT NULL
);
--> statement-breakpoint
CREATE TABLE "visited_codes" (
	"account_id" uuid NOT NULL,
	"code_id" uuid NOT NULL,
	CONSTRAINT "visited_codes_account_id_code_id_pk" PRIMARY KEY("account_id","code_id")
);
--> statement-breakpoint
ALTER TABLE "mail_settings" ADD CONSTRAINT "mail_settings_account_id_accounts_id_fk" FOREIGN KEY ("account_id") REFERENCES "public"."accounts"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "visited_codes" ADD CONSTRAINT "visited_codes_account_id_accounts_id_fk" FOREIGN KEY ("account_id") REFERENCES "public"."accounts"("id") ON DELETE no action ON UPDATE no action;