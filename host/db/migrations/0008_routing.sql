CREATE TABLE "route_days" (
	"code_id" uuid NOT NULL,
	"day" date NOT NULL,
	"route" integer NOT NULL,
	"scans" bigint NOT NULL,
	"clicks" bigint NOT NULL,
	CONSTRAINT "route_days_code_id_day_route_pk" PRIMARY KEY("code_id","day","route")
);
--> statement-breakpoint
ALTER TABLE "codes" ADD COLUMN "routing" jsonb;