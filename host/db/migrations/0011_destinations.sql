CREATE TABLE "destinations" (
	"key" text PRIMARY KEY NOT NULL,
	"address" text NOT NULL,
	"next_at" timestamp with time zone NOT NULL,
	"claimed_until" timestamp with time zone,
	"attempts" integer DEFAULT 0 NOT NULL,
	"checked_at" timestamp with time zone,
	"problem" text,
	"status" integer,
	"moved_to" text,
	"failures" integer DEFAULT 0 NOT NULL,
	"failing_since" timestamp with time zone,
	"confirmed_at" timestamp with time zone
);
--> statement-breakpoint
ALTER TABLE "codes" ADD COLUMN "is_watched" boolean DEFAULT true NOT NULL;--> statement-breakpoint
CREATE INDEX "destinations_next" ON "destinations" USING btree ("next_at");--> statement-breakpoint
CREATE INDEX "destinations_confirmed" ON "destinations" USING btree ("confirmed_at") WHERE "destinations"."confirmed_at" is not null;--> statement-breakpoint
CREATE INDEX "codes_destination" ON "codes" USING btree (md5("content")) WHERE "codes"."deleted_at" is null;