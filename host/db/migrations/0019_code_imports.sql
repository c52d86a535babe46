ALTER TABLE "code_imports" ADD COLUMN "skip_duplicates" boolean DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE "code_import_parts" DROP COLUMN "code_ids";