CREATE TABLE "oauth_records" (
	"kind" text NOT NULL,
	"hash" text NOT NULL,
	"key_id" uuid,
	"payload" jsonb NOT NULL,
	"consumed_at" timestamp with time zone,
	"expires_at" timestamp with time zone NOT NULL,
	CONSTRAINT "oauth_records_kind_hash_pk" PRIMARY KEY("kind","hash")
);
--> statement-breakpoint
ALTER TABLE "api_keys" ADD COLUMN "client_id" text;--> statement-breakpoint
ALTER TABLE "api_keys" ADD COLUMN "client_host" text;--> statement-breakpoint
ALTER TABLE "api_keys" ADD COLUMN "resource" text;--> statement-breakpoint
ALTER TABLE "oauth_records" ADD CONSTRAINT "oauth_records_key_id_api_keys_id_fk" FOREIGN KEY ("key_id") REFERENCES "public"."api_keys"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "oauth_records_key" ON "oauth_records" USING btree ("key_id");--> statement-breakpoint
CREATE INDEX "oauth_records_end" ON "oauth_records" USING btree ("expires_at");