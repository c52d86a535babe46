ALTER TABLE "account_days" ALTER COLUMN "visitors" SET DATA TYPE bigint, ALTER COLUMN "measured" SET DATA TYPE bigint, ALTER COLUMN "engaged" SET DATA TYPE bigint, ALTER COLUMN "engagements" SET DATA TYPE bigint;--> statement-breakpoint
ALTER TABLE "account_facets" ALTER COLUMN "visits" SET DATA TYPE bigint;--> statement-breakpoint
ALTER TABLE "account_hours" ALTER COLUMN "scans" SET DATA TYPE bigint, ALTER COLUMN "clicks" SET DATA TYPE bigint, ALTER COLUMN "bots" SET DATA TYPE bigint, ALTER COLUMN "previews" SET DATA TYPE bigint, ALTER COLUMN "owner" SET DATA TYPE bigint;--> statement-breakpoint
ALTER TABLE "code_engagements" ALTER COLUMN "engagements" SET DATA TYPE bigint, ALTER COLUMN "engaged" SET DATA TYPE bigint;--> statement-breakpoint
ALTER TABLE "code_marks" ALTER COLUMN "before" SET DATA TYPE bigint;--> statement-breakpoint
ALTER TABLE "code_totals" ALTER COLUMN "scans" SET DATA TYPE bigint, ALTER COLUMN "clicks" SET DATA TYPE bigint, ALTER COLUMN "others" SET DATA TYPE bigint;--> statement-breakpoint
ALTER TABLE "visit_hours" ALTER COLUMN "count" SET DATA TYPE bigint, ALTER COLUMN "visitors" SET DATA TYPE bigint;
