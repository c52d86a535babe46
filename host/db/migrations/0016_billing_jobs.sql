ALTER TABLE "orders" RENAME COLUMN "consent_address" TO "consent_ip";--> statement-breakpoint
ALTER TABLE "billing_steps" RENAME TO "billing_jobs";--> statement-breakpoint
ALTER TABLE "billing_jobs" RENAME COLUMN "key" TO "dedupe_key";--> statement-breakpoint
ALTER TABLE "billing_jobs" ADD COLUMN "subscription_id" uuid;--> statement-breakpoint
ALTER TABLE "billing_jobs" ADD COLUMN "period" integer;--> statement-breakpoint
ALTER TABLE "billing_jobs" ADD COLUMN "planned" integer;--> statement-breakpoint
ALTER INDEX "billing_steps_pkey" RENAME TO "billing_jobs_pkey";--> statement-breakpoint
ALTER INDEX "billing_steps_key" RENAME TO "billing_jobs_dedupe_key";--> statement-breakpoint
ALTER INDEX "billing_steps_due" RENAME TO "billing_jobs_due";--> statement-breakpoint
ALTER INDEX "billing_steps_subject" RENAME TO "billing_jobs_subject";--> statement-breakpoint
UPDATE "billing_jobs" SET
  "subscription_id" = split_part("dedupe_key", ':', 2)::uuid,
  "period" = CASE WHEN "kind" = 'trial_reminder' THEN 0 ELSE split_part("dedupe_key", ':', 3)::integer END,
  "planned" = substring("dedupe_key" from '^charge:[^:]+:[^:]+:(\d+)$')::integer
WHERE "kind" IN ('charge', 'renewal_notice', 'trial_reminder');--> statement-breakpoint
UPDATE "billing_jobs" SET "kind" = 'confirmation_expiry' WHERE "dedupe_key" LIKE 'order-unconfirmed:%';
