CREATE TABLE IF NOT EXISTS "visit_ids" (
	"id" text PRIMARY KEY NOT NULL,
	"at" timestamp with time zone DEFAULT now() NOT NULL
);
