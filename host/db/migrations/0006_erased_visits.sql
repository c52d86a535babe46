CREATE TABLE "visit_erasures" (
	"former_account_id" uuid PRIMARY KEY NOT NULL,
	"at" timestamp with time zone NOT NULL
);
--> statement-breakpoint
CREATE INDEX "mails_to" ON "mails" USING btree (lower("to"));--> statement-breakpoint
CREATE INDEX "billing_steps_subject" ON "billing_steps" USING btree ("subject") WHERE "billing_steps"."done_at" is null;--> statement-breakpoint
CREATE INDEX "declarations_email" ON "declarations" USING btree (lower("email"));--> statement-breakpoint
CREATE INDEX "orders_account" ON "orders" USING btree ("account_id");--> statement-breakpoint
CREATE INDEX "orders_owner" ON "orders" USING btree ("owner_id");--> statement-breakpoint
CREATE INDEX "tickets_email" ON "tickets" USING btree (lower("email"));