ALTER TABLE "declarations" ADD COLUMN "caller_id" uuid;--> statement-breakpoint
ALTER TABLE "declarations" ADD COLUMN "proof" text;--> statement-breakpoint
ALTER TABLE "declarations" ADD COLUMN "effective_at" timestamp with time zone;--> statement-breakpoint
ALTER TABLE "declarations" ADD COLUMN "token_hash" text;--> statement-breakpoint
ALTER TABLE "declarations" ADD COLUMN "decided_at" timestamp with time zone;--> statement-breakpoint
ALTER TABLE "orders" ADD COLUMN "confirm_by" timestamp with time zone;--> statement-breakpoint
ALTER TABLE "orders" ADD COLUMN "token_hash" text;--> statement-breakpoint
CREATE UNIQUE INDEX "declarations_token_hash" ON "declarations" USING btree ("token_hash");--> statement-breakpoint
CREATE INDEX "declarations_waiting" ON "declarations" USING btree ("subscription_id") WHERE "declarations"."outcome" = 'waiting';--> statement-breakpoint
CREATE UNIQUE INDEX "orders_token_hash" ON "orders" USING btree ("token_hash");