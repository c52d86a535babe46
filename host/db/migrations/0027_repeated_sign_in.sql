ALTER TABLE "recovery_codes" ADD COLUMN "challenge_id" uuid;--> statement-breakpoint
ALTER TABLE "totp_secrets" ADD COLUMN "last_used_at" timestamp with time zone;--> statement-breakpoint
ALTER TABLE "totp_secrets" ADD COLUMN "last_challenge_id" uuid;