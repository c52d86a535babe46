CREATE TABLE "code_import_parts" (
	"import_id" uuid NOT NULL,
	"part" integer NOT NULL,
	"rows" text NOT NULL,
	"code_ids" uuid[] DEFAULT '{}' NOT NULL,
	CONSTRAINT "code_import_parts_import_id_part_pk" PRIMARY KEY("import_id","part")
);
--> statement-breakpoint
CREATE TABLE "code_imports" (
	"id" uuid PRIMARY KEY NOT NULL,
	"account_id" uuid NOT NULL,
	"report" jsonb NOT NULL,
	"created_at" timestamp with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "code_job_problems" (
	"job_id" uuid NOT NULL,
	"position" integer NOT NULL,
	"code_id" uuid,
	"reason" text NOT NULL,
	CONSTRAINT "code_job_problems_job_id_position_pk" PRIMARY KEY("job_id","position")
);
--> statement-breakpoint
CREATE TABLE "code_jobs" (
	"id" uuid PRIMARY KEY NOT NULL,
	"account_id" uuid NOT NULL,
	"kind" text NOT NULL,
	"act" text,
	"tag" text,
	"import_id" uuid,
	"key" text,
	"numbers" integer[] DEFAULT '{}' NOT NULL,
	"total" integer NOT NULL,
	"position" integer DEFAULT 0 NOT NULL,
	"succeeded" integer DEFAULT 0 NOT NULL,
	"failed" integer DEFAULT 0 NOT NULL,
	"status" text NOT NULL,
	"created_at" timestamp with time zone NOT NULL,
	"due_at" timestamp with time zone NOT NULL,
	"ended_at" timestamp with time zone
);
--> statement-breakpoint
ALTER TABLE "code_import_parts" ADD CONSTRAINT "code_import_parts_import_id_code_imports_id_fk" FOREIGN KEY ("import_id") REFERENCES "public"."code_imports"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "code_imports" ADD CONSTRAINT "code_imports_account_id_accounts_id_fk" FOREIGN KEY ("account_id") REFERENCES "public"."accounts"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "code_job_problems" ADD CONSTRAINT "code_job_problems_job_id_code_jobs_id_fk" FOREIGN KEY ("job_id") REFERENCES "public"."code_jobs"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "code_jobs" ADD CONSTRAINT "code_jobs_account_id_accounts_id_fk" FOREIGN KEY ("account_id") REFERENCES "public"."accounts"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "code_imports_account" ON "code_imports" USING btree ("account_id","created_at");--> statement-breakpoint
CREATE INDEX "code_imports_age" ON "code_imports" USING btree ("created_at");--> statement-breakpoint
CREATE UNIQUE INDEX "code_jobs_key" ON "code_jobs" USING btree ("account_id","key");--> statement-breakpoint
CREATE INDEX "code_jobs_newest" ON "code_jobs" USING btree ("account_id","created_at");--> statement-breakpoint
CREATE INDEX "code_jobs_due" ON "code_jobs" USING btree ("due_at") WHERE "code_jobs"."status" = 'running';