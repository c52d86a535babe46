CREATE TABLE "waiting_engagements" (
	"code_id" uuid NOT NULL,
	"day" date NOT NULL,
	"visitor" bigint NOT NULL,
	"kind" text NOT NULL,
	"since" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "waiting_engagements_code_id_day_visitor_kind_pk" PRIMARY KEY("code_id","day","visitor","kind")
);
