DROP INDEX "visits_age";--> statement-breakpoint
CREATE INDEX "visits_age" ON "visits" USING brin ("at") WITH (autosummarize=true,pages_per_range=16);