CREATE TABLE IF NOT EXISTS "code_import_duplicates" (
	"import_id" uuid NOT NULL,
	"page" integer NOT NULL,
	"duplicates" text NOT NULL,
	CONSTRAINT "code_import_duplicates_import_id_page_pk" PRIMARY KEY("import_id","page")
);
--> statement-breakpoint
ALTER TABLE "code_import_duplicates" DROP CONSTRAINT IF EXISTS "code_import_duplicates_import_id_code_imports_id_fk";--> statement-breakpoint
ALTER TABLE "code_import_duplicates" ADD CONSTRAINT "code_import_duplicates_import_id_code_imports_id_fk" FOREIGN KEY ("import_id") REFERENCES "public"."code_imports"("id") ON DELETE cascade ON UPDATE no action;
