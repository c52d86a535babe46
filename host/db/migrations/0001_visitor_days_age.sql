CREATE INDEX "visitor_days_age" ON "visitor_days" USING brin ("day");--> statement-breakpoint
ALTER TABLE "visitor_days" DROP COLUMN "engaged";