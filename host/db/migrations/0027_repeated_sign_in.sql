ALTER TABLE "recovery_codes" ADD COLUMN IF NOT EXISTS "challenge_id" uuid;--> statement-breakpoint
ALTER TABLE "totp_secrets" ADD COLUMN IF NOT EXISTS "last_used_at" timestamp with time zone;--> statement-breakpoint
ALTER TABLE "totp_secrets" ADD COLUMN IF NOT EXISTS "last_challenge_id" uuid;