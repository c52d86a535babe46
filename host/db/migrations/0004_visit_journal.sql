CREATE TABLE "visit_journal" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "visit_journal_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"at" timestamp with time zone DEFAULT now() NOT NULL,
	"size" integer NOT NULL,
	"visits" text NOT NULL
);
--> statement-breakpoint
-- A row of up to 8 kB stays as it is: to compress it would take longer than it lives.
ALTER TABLE "visit_journal" SET (toast_tuple_target = 8160);
