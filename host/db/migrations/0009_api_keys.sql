CREATE TABLE "api_keys" (
	"id" uuid PRIMARY KEY NOT NULL,
	"account_id" uuid NOT NULL,
	"name" text NOT NULL,
	"permission" text NOT NULL,
	"tag" text,
	"hash" text NOT NULL,
	"last_four" text NOT NULL,
	"earlier_hash" text,
	"earlier_last_four" text,
	"earlier_expires_at" timestamp with time zone,
	"created_at" timestamp with time zone NOT NULL,
	"expires_at" timestamp with time zone,
	"last_used_at" timestamp with time zone,
	"form_key" text
);
--> statement-breakpoint
CREATE TABLE "idempotent_requests" (
	"key_id" uuid NOT NULL,
	"path" text NOT NULL,
	"idempotency_key" text NOT NULL,
	"fingerprint" text NOT NULL,
	"status" integer,
	"body" text,
	"etag" text,
	"started_at" timestamp with time zone NOT NULL,
	CONSTRAINT "idempotent_requests_key_id_path_idempotency_key_pk" PRIMARY KEY("key_id","path","idempotency_key")
);
--> statement-breakpoint
ALTER TABLE "code_imports" ADD COLUMN "within_tag" text;--> statement-breakpoint
ALTER TABLE "code_jobs" ADD COLUMN "within_tag" text;--> statement-breakpoint
ALTER TABLE "api_keys" ADD CONSTRAINT "api_keys_account_id_accounts_id_fk" FOREIGN KEY ("account_id") REFERENCES "public"."accounts"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "idempotent_requests" ADD CONSTRAINT "idempotent_requests_key_id_api_keys_id_fk" FOREIGN KEY ("key_id") REFERENCES "public"."api_keys"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "api_keys_hash" ON "api_keys" USING btree ("hash");--> statement-breakpoint
CREATE UNIQUE INDEX "api_keys_earlier_hash" ON "api_keys" USING btree ("earlier_hash");--> statement-breakpoint
CREATE INDEX "api_keys_account" ON "api_keys" USING btree ("account_id","created_at");--> statement-breakpoint
CREATE INDEX "idempotent_requests_age" ON "idempotent_requests" USING btree ("started_at");