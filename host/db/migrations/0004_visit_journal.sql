CREATE TABLE "visit_journal" (
	"lane" uuid NOT NULL,
	"batch" bigint NOT NULL,
	"at" timestamp with time zone NOT NULL,
	"visits" text NOT NULL,
	CONSTRAINT "visit_journal_lane_batch_pk" PRIMARY KEY("lane","batch")
);
--> statement-breakpoint
CREATE TABLE "visit_positions" (
	"lane" uuid PRIMARY KEY NOT NULL,
	"batch" bigint NOT NULL,
	"at" timestamp with time zone NOT NULL
);
