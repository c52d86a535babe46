CREATE TABLE IF NOT EXISTS "installation" (
	"is_only" boolean PRIMARY KEY DEFAULT true NOT NULL,
	"id" uuid NOT NULL,
	CONSTRAINT "installation_only" CHECK ("installation"."is_only")
);
