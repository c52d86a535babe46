CREATE TABLE "accounts" (
	"id" uuid PRIMARY KEY NOT NULL,
	"email" text NOT NULL,
	"password_hash" text,
	"first_name" text DEFAULT '' NOT NULL,
	"last_name" text DEFAULT '' NOT NULL,
	"roles" text[] DEFAULT '{ROLE_USER}' NOT NULL,
	"pending_email" text,
	"locale" text DEFAULT 'gb' NOT NULL,
	"code_count" integer DEFAULT 0 NOT NULL,
	"created_at" timestamp with time zone NOT NULL,
	"last_login_at" timestamp with time zone,
	"deletion_told_at" timestamp with time zone,
	"deleted_at" timestamp with time zone,
	"last_code_number" integer DEFAULT 0 NOT NULL,
	"archived_count" integer DEFAULT 0 NOT NULL,
	"time_zone" text
);
--> statement-breakpoint
CREATE TABLE "activities" (
	"id" uuid PRIMARY KEY NOT NULL,
	"account_id" uuid NOT NULL,
	"type" text NOT NULL,
	"at" timestamp with time zone NOT NULL,
	"code_id" uuid,
	"codes" integer DEFAULT 0 NOT NULL
);
--> statement-breakpoint
CREATE TABLE "billing_addresses" (
	"id" uuid PRIMARY KEY NOT NULL,
	"account_id" uuid NOT NULL,
	"street" text NOT NULL,
	"city" text NOT NULL,
	"state_region" text DEFAULT '' NOT NULL,
	"postal_code" text DEFAULT '' NOT NULL,
	"country" text NOT NULL,
	"professional" boolean NOT NULL,
	"company_name" text DEFAULT '' NOT NULL,
	"vat_number" text DEFAULT '' NOT NULL,
	"siret_number" text DEFAULT '' NOT NULL,
	"is_default" boolean NOT NULL,
	"created_at" timestamp with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "identities" (
	"issuer" text NOT NULL,
	"subject" text NOT NULL,
	"account_id" uuid NOT NULL,
	"created_at" timestamp with time zone NOT NULL,
	"id" uuid DEFAULT gen_random_uuid() NOT NULL,
	"email" text DEFAULT '' NOT NULL,
	CONSTRAINT "identities_issuer_subject_pk" PRIMARY KEY("issuer","subject"),
	CONSTRAINT "identities_id_unique" UNIQUE("id")
);
--> statement-breakpoint
CREATE TABLE "known_devices" (
	"id" uuid PRIMARY KEY NOT NULL,
	"account_id" uuid NOT NULL,
	"hash" text NOT NULL,
	"created_at" timestamp with time zone NOT NULL,
	"last_sign_in_at" timestamp with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "link_requests" (
	"id" uuid PRIMARY KEY NOT NULL,
	"purpose" text NOT NULL,
	"email" text,
	"token_hash" text,
	"locale" text,
	"created_at" timestamp with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "mail_tokens" (
	"id" uuid PRIMARY KEY NOT NULL,
	"account_id" uuid NOT NULL,
	"purpose" text NOT NULL,
	"hash" text NOT NULL,
	"email" text,
	"draft_id" uuid,
	"created_at" timestamp with time zone NOT NULL,
	"expires_at" timestamp with time zone NOT NULL,
	"used_at" timestamp with time zone
);
--> statement-breakpoint
CREATE TABLE "rate_limits" (
	"key" text PRIMARY KEY NOT NULL,
	"points" integer NOT NULL,
	"resets_at" timestamp with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "sessions" (
	"id" uuid PRIMARY KEY NOT NULL,
	"account_id" uuid NOT NULL,
	"remember" boolean NOT NULL,
	"user_agent" text DEFAULT '' NOT NULL,
	"created_at" timestamp with time zone NOT NULL,
	"last_seen_at" timestamp with time zone,
	"expires_at" timestamp with time zone NOT NULL,
	"revoked_at" timestamp with time zone,
	"device_id" uuid
);
--> statement-breakpoint
CREATE TABLE "code_blocks" (
	"account_id" uuid NOT NULL,
	"block" integer NOT NULL,
	"codes" integer NOT NULL,
	CONSTRAINT "code_blocks_account_id_block_pk" PRIMARY KEY("account_id","block")
);
--> statement-breakpoint
CREATE TABLE "code_changes" (
	"id" uuid PRIMARY KEY NOT NULL,
	"code_id" uuid NOT NULL,
	"at" timestamp with time zone NOT NULL,
	"field" text NOT NULL,
	"before" text NOT NULL,
	"after" text NOT NULL
);
--> statement-breakpoint
CREATE TABLE "codes" (
	"id" uuid PRIMARY KEY NOT NULL,
	"account_id" uuid NOT NULL,
	"slug" text NOT NULL,
	"type" text NOT NULL,
	"content" text NOT NULL,
	"subject" text DEFAULT '' NOT NULL,
	"body" text DEFAULT '' NOT NULL,
	"visibility" text NOT NULL,
	"use_white_background" boolean NOT NULL,
	"logo_id" uuid,
	"logo_preset" text,
	"form_key" text,
	"created_at" timestamp with time zone NOT NULL,
	"updated_at" timestamp with time zone NOT NULL,
	"deleted_at" timestamp with time zone,
	"number" integer NOT NULL,
	"name" text,
	"tag_ids" integer[] DEFAULT '{}' NOT NULL,
	"archived_at" timestamp with time zone,
	"style" jsonb,
	"blocked_at" timestamp with time zone,
	"written_in" bigint DEFAULT (pg_current_xact_id()::text)::bigint NOT NULL
);
--> statement-breakpoint
CREATE TABLE "drafts" (
	"id" uuid PRIMARY KEY NOT NULL,
	"visitor_hash" text NOT NULL,
	"fields" jsonb NOT NULL,
	"logo_id" uuid,
	"logo_preset" text,
	"expires_at" timestamp with time zone NOT NULL,
	"account_id" uuid
);
--> statement-breakpoint
CREATE TABLE "logos" (
	"id" uuid PRIMARY KEY NOT NULL,
	"name" text NOT NULL,
	"png" "bytea" NOT NULL,
	"created_at" timestamp with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "styles" (
	"id" uuid PRIMARY KEY NOT NULL,
	"account_id" uuid NOT NULL,
	"key" text NOT NULL,
	"name" text NOT NULL,
	"style" jsonb NOT NULL,
	"is_default" boolean NOT NULL,
	"created_at" timestamp with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "tags" (
	"id" integer PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "tags_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 2147483647 START WITH 1 CACHE 1),
	"account_id" uuid NOT NULL,
	"key" text NOT NULL,
	"label" text NOT NULL,
	"codes" integer DEFAULT 0 NOT NULL,
	"archived" integer DEFAULT 0 NOT NULL
);
--> statement-breakpoint
CREATE TABLE "passkeys" (
	"id" uuid PRIMARY KEY NOT NULL,
	"account_id" uuid NOT NULL,
	"credential_id" text NOT NULL,
	"public_key" "bytea" NOT NULL,
	"counter" bigint NOT NULL,
	"transports" text[] NOT NULL,
	"name" text NOT NULL,
	"created_at" timestamp with time zone NOT NULL,
	"last_used_at" timestamp with time zone,
	CONSTRAINT "passkeys_credential_id_unique" UNIQUE("credential_id")
);
--> statement-breakpoint
CREATE TABLE "recovery_codes" (
	"account_id" uuid NOT NULL,
	"hash" text NOT NULL,
	"salt" text NOT NULL,
	"created_at" timestamp with time zone NOT NULL,
	"used_at" timestamp with time zone,
	"challenge_id" uuid,
	CONSTRAINT "recovery_codes_account_id_hash_pk" PRIMARY KEY("account_id","hash")
);
--> statement-breakpoint
CREATE TABLE "totp_secrets" (
	"account_id" uuid PRIMARY KEY NOT NULL,
	"sealed" text NOT NULL,
	"session_id" uuid NOT NULL,
	"created_at" timestamp with time zone NOT NULL,
	"confirmed_at" timestamp with time zone,
	"last_step" bigint,
	"last_used_at" timestamp with time zone,
	"last_challenge_id" uuid
);
--> statement-breakpoint
CREATE TABLE "invoice_counters" (
	"series" text NOT NULL,
	"year" integer NOT NULL,
	"last" integer NOT NULL,
	CONSTRAINT "invoice_counters_series_year_pk" PRIMARY KEY("series","year")
);
--> statement-breakpoint
CREATE TABLE "invoices" (
	"number" text PRIMARY KEY NOT NULL,
	"series" text NOT NULL,
	"year" integer NOT NULL,
	"place" integer NOT NULL,
	"account_id" uuid NOT NULL,
	"payment_id" uuid NOT NULL,
	"refund_id" uuid,
	"corrects" text,
	"issued_at" timestamp with time zone NOT NULL,
	"locale" text NOT NULL,
	"seller" jsonb NOT NULL,
	"buyer" jsonb NOT NULL,
	"reference" text NOT NULL,
	"plan" text NOT NULL,
	"period_start" timestamp with time zone NOT NULL,
	"period_end" timestamp with time zone NOT NULL,
	"paid_at" timestamp with time zone NOT NULL,
	"tax" text NOT NULL,
	"net_cents" integer NOT NULL,
	"vat_percent" numeric(4, 2) NOT NULL,
	"vat_cents" integer NOT NULL,
	"gross_cents" integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE "code_import_duplicates" (
	"import_id" uuid NOT NULL,
	"page" integer NOT NULL,
	"duplicates" text NOT NULL,
	CONSTRAINT "code_import_duplicates_import_id_page_pk" PRIMARY KEY("import_id","page")
);
--> statement-breakpoint
CREATE TABLE "code_import_parts" (
	"import_id" uuid NOT NULL,
	"part" integer NOT NULL,
	"rows" text NOT NULL,
	CONSTRAINT "code_import_parts_import_id_part_pk" PRIMARY KEY("import_id","part")
);
--> statement-breakpoint
CREATE TABLE "code_import_problems" (
	"import_id" uuid NOT NULL,
	"page" integer NOT NULL,
	"problems" text NOT NULL,
	CONSTRAINT "code_import_problems_import_id_page_pk" PRIMARY KEY("import_id","page")
);
--> statement-breakpoint
CREATE TABLE "code_imports" (
	"id" uuid PRIMARY KEY NOT NULL,
	"account_id" uuid NOT NULL,
	"report" jsonb NOT NULL,
	"created_at" timestamp with time zone NOT NULL,
	"skip_duplicates" boolean DEFAULT false NOT NULL
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
	"ended_at" timestamp with time zone,
	"style" jsonb
);
--> statement-breakpoint
CREATE TABLE "mails" (
	"id" uuid PRIMARY KEY NOT NULL,
	"place" bigint GENERATED ALWAYS AS IDENTITY (sequence name "mails_place_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"dedupe_key" text,
	"to" text NOT NULL,
	"reply_to" text,
	"locale" text NOT NULL,
	"template" text NOT NULL,
	"values" jsonb NOT NULL,
	"attachments" jsonb NOT NULL,
	"subject" text,
	"text" text,
	"html" text,
	"created_at" timestamp with time zone NOT NULL,
	"due_at" timestamp with time zone NOT NULL,
	"attempts" integer DEFAULT 0 NOT NULL,
	"claimed_until" timestamp with time zone,
	"sent_at" timestamp with time zone,
	"given_up_at" timestamp with time zone,
	"last_error" text,
	"useful_until" timestamp with time zone
);
--> statement-breakpoint
CREATE TABLE "blocked_targets" (
	"host" text PRIMARY KEY NOT NULL,
	"at" timestamp with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "operator_acts" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "operator_acts_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"at" timestamp with time zone NOT NULL,
	"operator" text NOT NULL,
	"act" text NOT NULL,
	"subject" text NOT NULL,
	"account_id" uuid,
	"reason" text NOT NULL
);
--> statement-breakpoint
CREATE TABLE "payment_attempts" (
	"key" text PRIMARY KEY NOT NULL,
	"payment_id" uuid NOT NULL,
	"number" integer NOT NULL,
	"planned" integer,
	"customer_id" text NOT NULL,
	"method_id" text NOT NULL,
	"card_brand" text NOT NULL,
	"card_last4" text NOT NULL,
	"status" text NOT NULL,
	"charge_id" text,
	"failure" text,
	"started_at" timestamp with time zone NOT NULL,
	"ended_at" timestamp with time zone
);
--> statement-breakpoint
CREATE TABLE "payment_events" (
	"id" text PRIMARY KEY NOT NULL,
	"type" text NOT NULL,
	"object" text NOT NULL,
	"object_id" text NOT NULL,
	"received_at" timestamp with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "payment_methods" (
	"account_id" uuid PRIMARY KEY NOT NULL,
	"provider" text NOT NULL,
	"customer_id" text NOT NULL,
	"method_id" text NOT NULL,
	"brand" text NOT NULL,
	"last4" text NOT NULL,
	"exp_month" integer NOT NULL,
	"exp_year" integer NOT NULL,
	"fingerprint_hash" text NOT NULL,
	"updated_at" timestamp with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "payments" (
	"id" uuid PRIMARY KEY NOT NULL,
	"account_id" uuid NOT NULL,
	"subscription_id" uuid NOT NULL,
	"period" integer NOT NULL,
	"plan" text NOT NULL,
	"amount_cents" integer NOT NULL,
	"refunded_cents" integer DEFAULT 0 NOT NULL,
	"status" text NOT NULL,
	"period_start" timestamp with time zone,
	"period_end" timestamp with time zone,
	"due_at" timestamp with time zone NOT NULL,
	"paid_at" timestamp with time zone,
	"attempts" integer DEFAULT 0 NOT NULL,
	"failure" text,
	"card_brand" text DEFAULT '' NOT NULL,
	"card_last4" text DEFAULT '' NOT NULL,
	"created_at" timestamp with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "refunds" (
	"id" uuid PRIMARY KEY NOT NULL,
	"payment_id" uuid NOT NULL,
	"amount_cents" integer NOT NULL,
	"reason" text NOT NULL,
	"status" text NOT NULL,
	"attempts" integer DEFAULT 0 NOT NULL,
	"refund_id" text,
	"requested_at" timestamp with time zone NOT NULL,
	"expected_from" timestamp with time zone NOT NULL,
	"expected_until" timestamp with time zone NOT NULL,
	"ended_at" timestamp with time zone
);
--> statement-breakpoint
CREATE TABLE "sandbox_clock" (
	"id" integer PRIMARY KEY NOT NULL,
	"ahead_ms" text NOT NULL
);
--> statement-breakpoint
CREATE TABLE "sandbox_events" (
	"id" text PRIMARY KEY NOT NULL,
	"type" text NOT NULL,
	"object_id" text NOT NULL,
	"created_at" timestamp with time zone NOT NULL,
	"due_at" timestamp with time zone NOT NULL,
	"attempts" integer DEFAULT 0 NOT NULL,
	"claimed_until" timestamp with time zone,
	"delivered_at" timestamp with time zone
);
--> statement-breakpoint
CREATE TABLE "sandbox_objects" (
	"id" text PRIMARY KEY NOT NULL,
	"kind" text NOT NULL,
	"customer_id" text,
	"key" text,
	"data" jsonb NOT NULL,
	"created_at" timestamp with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "account_days" (
	"account_id" uuid NOT NULL,
	"day" date NOT NULL,
	"visitors" bigint DEFAULT 0 NOT NULL,
	"measured" bigint DEFAULT 0 NOT NULL,
	"engaged" bigint DEFAULT 0 NOT NULL,
	"engagements" bigint DEFAULT 0 NOT NULL,
	CONSTRAINT "account_days_account_id_day_pk" PRIMARY KEY("account_id","day")
);
--> statement-breakpoint
CREATE TABLE "account_facets" (
	"account_id" uuid NOT NULL,
	"day" date NOT NULL,
	"facet" text NOT NULL,
	"value" text NOT NULL,
	"visits" bigint NOT NULL,
	CONSTRAINT "account_facets_account_id_day_facet_value_pk" PRIMARY KEY("account_id","day","facet","value")
) PARTITION BY RANGE ("day");
--> statement-breakpoint
CREATE TABLE "account_facets_default" PARTITION OF "account_facets" DEFAULT;
--> statement-breakpoint
CREATE TABLE "account_hours" (
	"account_id" uuid NOT NULL,
	"hour" timestamp with time zone NOT NULL,
	"scans" bigint NOT NULL,
	"clicks" bigint NOT NULL,
	"bots" bigint NOT NULL,
	"previews" bigint NOT NULL,
	"owner" bigint NOT NULL,
	CONSTRAINT "account_hours_account_id_hour_pk" PRIMARY KEY("account_id","hour")
) PARTITION BY RANGE ("hour");
--> statement-breakpoint
CREATE TABLE "account_hours_default" PARTITION OF "account_hours" DEFAULT;
--> statement-breakpoint
CREATE TABLE "account_visitors" (
	"account_id" uuid NOT NULL,
	"day" date NOT NULL,
	"visitor" bigint NOT NULL,
	"step" smallint NOT NULL,
	CONSTRAINT "account_visitors_account_id_day_visitor_step_pk" PRIMARY KEY("account_id","day","visitor","step")
) PARTITION BY RANGE ("day");
--> statement-breakpoint
CREATE TABLE "account_visitors_default" PARTITION OF "account_visitors" DEFAULT;
--> statement-breakpoint
CREATE TABLE "code_beacons" (
	"code_id" uuid PRIMARY KEY NOT NULL,
	"since" date NOT NULL
);
--> statement-breakpoint
CREATE TABLE "code_engagements" (
	"code_id" uuid NOT NULL,
	"day" date NOT NULL,
	"engagements" bigint NOT NULL,
	"engaged" bigint NOT NULL,
	CONSTRAINT "code_engagements_code_id_day_pk" PRIMARY KEY("code_id","day")
);
--> statement-breakpoint
CREATE TABLE "code_marks" (
	"code_id" uuid NOT NULL,
	"day" date NOT NULL,
	"before" bigint NOT NULL,
	CONSTRAINT "code_marks_code_id_day_pk" PRIMARY KEY("code_id","day")
);
--> statement-breakpoint
CREATE TABLE "day_figures" (
	"subject_id" uuid NOT NULL,
	"day" date NOT NULL,
	"figures" text NOT NULL
) PARTITION BY RANGE ("day");
--> statement-breakpoint
CREATE TABLE "day_figures_default" PARTITION OF "day_figures" DEFAULT;
--> statement-breakpoint
CREATE TABLE "engagements" (
	"code_id" uuid NOT NULL,
	"day" date NOT NULL,
	"visitor" bigint NOT NULL,
	"kind" text NOT NULL,
	CONSTRAINT "engagements_code_id_day_visitor_kind_pk" PRIMARY KEY("code_id","day","visitor","kind")
);
--> statement-breakpoint
CREATE TABLE "waiting_engagements" (
	"code_id" uuid NOT NULL,
	"day" date NOT NULL,
	"visitor" bigint NOT NULL,
	"kind" text NOT NULL,
	"since" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "waiting_engagements_code_id_day_visitor_kind_pk" PRIMARY KEY("code_id","day","visitor","kind")
);
--> statement-breakpoint
CREATE TABLE "billing_jobs" (
	"id" uuid PRIMARY KEY NOT NULL,
	"kind" text NOT NULL,
	"subject" text NOT NULL,
	"dedupe_key" text NOT NULL,
	"due_at" timestamp with time zone NOT NULL,
	"claimed_until" timestamp with time zone,
	"attempts" integer DEFAULT 0 NOT NULL,
	"done_at" timestamp with time zone,
	"last_error" text,
	"subscription_id" uuid,
	"period" integer,
	"planned" integer
);
--> statement-breakpoint
CREATE TABLE "declarations" (
	"id" uuid PRIMARY KEY NOT NULL,
	"kind" text NOT NULL,
	"form_key" text,
	"name" text NOT NULL,
	"email" text NOT NULL,
	"reference" text NOT NULL,
	"locale" text NOT NULL,
	"received_at" timestamp with time zone NOT NULL,
	"outcome" text,
	"subscription_id" uuid,
	"caller_id" uuid,
	"proof" text,
	"effective_at" timestamp with time zone,
	"token_hash" text,
	"decided_at" timestamp with time zone
);
--> statement-breakpoint
CREATE TABLE "orders" (
	"id" uuid PRIMARY KEY NOT NULL,
	"payment_intent" text NOT NULL,
	"reference" text NOT NULL,
	"status" text NOT NULL,
	"failure" text,
	"form_key" text,
	"email" text NOT NULL,
	"account_id" uuid,
	"buyer" jsonb NOT NULL,
	"locale" text NOT NULL,
	"plan" text NOT NULL,
	"price_cents" integer NOT NULL,
	"trial_hours" integer NOT NULL,
	"draft_id" uuid,
	"terms_version" text NOT NULL,
	"waiver_version" text NOT NULL,
	"consent_ip" text NOT NULL,
	"created_at" timestamp with time zone NOT NULL,
	"completed_at" timestamp with time zone,
	"customer_id" text,
	"setup_id" text,
	"setup_url" text,
	"subscription_id" uuid,
	"owner_id" uuid,
	"visitor_hash" text,
	"confirm_by" timestamp with time zone,
	"token_hash" text
);
--> statement-breakpoint
CREATE TABLE "subscriptions" (
	"account_id" uuid PRIMARY KEY NOT NULL,
	"id" uuid DEFAULT gen_random_uuid() NOT NULL,
	"plan" text NOT NULL,
	"status" text NOT NULL,
	"access_until" timestamp with time zone NOT NULL,
	"order_id" uuid,
	"price_cents" integer DEFAULT 0 NOT NULL,
	"next_plan" text,
	"next_price_cents" integer,
	"started_at" timestamp with time zone,
	"trial_end" timestamp with time zone,
	"anchor" timestamp with time zone,
	"months" integer DEFAULT 0 NOT NULL,
	"period_start" timestamp with time zone,
	"period_end" timestamp with time zone,
	"next_period" integer DEFAULT 0 NOT NULL,
	"cancel_at_period_end" boolean DEFAULT false NOT NULL,
	"ended_at" timestamp with time zone
);
--> statement-breakpoint
CREATE TABLE "trials" (
	"kind" text NOT NULL,
	"hash" text NOT NULL,
	"at" timestamp with time zone NOT NULL,
	CONSTRAINT "trials_kind_hash_pk" PRIMARY KEY("kind","hash")
);
--> statement-breakpoint
CREATE TABLE "tickets" (
	"id" uuid PRIMARY KEY NOT NULL,
	"email" text NOT NULL,
	"firstname" text NOT NULL,
	"lastname" text NOT NULL,
	"subject" text NOT NULL,
	"message" text NOT NULL,
	"locale" text NOT NULL,
	"form_key" text,
	"created_at" timestamp with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "code_totals" (
	"code_id" uuid PRIMARY KEY NOT NULL,
	"scans" bigint NOT NULL,
	"clicks" bigint NOT NULL,
	"others" bigint NOT NULL,
	"last_at" timestamp with time zone,
	"account_id" uuid,
	"counted_in" bigint DEFAULT 0 NOT NULL
);
--> statement-breakpoint
CREATE TABLE "installation" (
	"is_only" boolean PRIMARY KEY DEFAULT true NOT NULL,
	"id" uuid NOT NULL,
	CONSTRAINT "installation_only" CHECK ("installation"."is_only")
);
--> statement-breakpoint
CREATE TABLE "visit_erasures" (
	"former_account_id" uuid PRIMARY KEY NOT NULL,
	"at" timestamp with time zone NOT NULL,
	"claimed_until" timestamp with time zone
);
--> statement-breakpoint
CREATE TABLE "visit_hours" (
	"code_id" uuid NOT NULL,
	"hour" timestamp with time zone NOT NULL,
	"source" text NOT NULL,
	"class" text NOT NULL,
	"device" text DEFAULT '' NOT NULL,
	"os" text DEFAULT '' NOT NULL,
	"language" text DEFAULT '' NOT NULL,
	"country" text DEFAULT '' NOT NULL,
	"count" bigint NOT NULL,
	"visitors" bigint DEFAULT 0 NOT NULL,
	CONSTRAINT "visit_hours_key" PRIMARY KEY("code_id","hour","source","class","device","os","language","country")
) PARTITION BY RANGE ("hour");
--> statement-breakpoint
CREATE TABLE "visit_hours_default" PARTITION OF "visit_hours" DEFAULT;
--> statement-breakpoint
CREATE TABLE "visit_ids" (
	"id" text PRIMARY KEY NOT NULL,
	"at" timestamp with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "visit_journal" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "visit_journal_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"at" timestamp with time zone DEFAULT now() NOT NULL,
	"size" integer NOT NULL,
	"visits" text NOT NULL
);
--> statement-breakpoint
CREATE TABLE "visit_lanes" (
	"id" uuid PRIMARY KEY NOT NULL,
	"batch" bigint NOT NULL,
	"at" timestamp with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "visit_salts" (
	"day" date PRIMARY KEY NOT NULL,
	"salt" text NOT NULL
);
--> statement-breakpoint
CREATE TABLE "visitor_days" (
	"code_id" uuid NOT NULL,
	"day" date NOT NULL,
	"visitor" bigint NOT NULL,
	CONSTRAINT "visitor_days_code_id_day_visitor_pk" PRIMARY KEY("code_id","day","visitor")
) PARTITION BY RANGE ("day");
--> statement-breakpoint
CREATE TABLE "visitor_days_default" PARTITION OF "visitor_days" DEFAULT;
--> statement-breakpoint
CREATE TABLE "visits" (
	"code_id" uuid,
	"at" timestamp with time zone NOT NULL,
	"source" text NOT NULL,
	"class" text NOT NULL,
	"outcome" text NOT NULL,
	"device" text NOT NULL,
	"os" text NOT NULL,
	"language" text NOT NULL,
	"country" text NOT NULL,
	"account_key" integer
) PARTITION BY RANGE ("at");
--> statement-breakpoint
CREATE TABLE "visits_default" PARTITION OF "visits" DEFAULT;
--> statement-breakpoint
ALTER TABLE "activities" ADD CONSTRAINT "activities_account_id_accounts_id_fk" FOREIGN KEY ("account_id") REFERENCES "public"."accounts"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "billing_addresses" ADD CONSTRAINT "billing_addresses_account_id_accounts_id_fk" FOREIGN KEY ("account_id") REFERENCES "public"."accounts"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "identities" ADD CONSTRAINT "identities_account_id_accounts_id_fk" FOREIGN KEY ("account_id") REFERENCES "public"."accounts"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "known_devices" ADD CONSTRAINT "known_devices_account_id_accounts_id_fk" FOREIGN KEY ("account_id") REFERENCES "public"."accounts"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "mail_tokens" ADD CONSTRAINT "mail_tokens_account_id_accounts_id_fk" FOREIGN KEY ("account_id") REFERENCES "public"."accounts"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "sessions" ADD CONSTRAINT "sessions_account_id_accounts_id_fk" FOREIGN KEY ("account_id") REFERENCES "public"."accounts"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "sessions" ADD CONSTRAINT "sessions_device_id_known_devices_id_fk" FOREIGN KEY ("device_id") REFERENCES "public"."known_devices"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "code_blocks" ADD CONSTRAINT "code_blocks_account_id_accounts_id_fk" FOREIGN KEY ("account_id") REFERENCES "public"."accounts"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "code_changes" ADD CONSTRAINT "code_changes_code_id_codes_id_fk" FOREIGN KEY ("code_id") REFERENCES "public"."codes"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "codes" ADD CONSTRAINT "codes_account_id_accounts_id_fk" FOREIGN KEY ("account_id") REFERENCES "public"."accounts"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "codes" ADD CONSTRAINT "codes_logo_id_logos_id_fk" FOREIGN KEY ("logo_id") REFERENCES "public"."logos"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "drafts" ADD CONSTRAINT "drafts_logo_id_logos_id_fk" FOREIGN KEY ("logo_id") REFERENCES "public"."logos"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "drafts" ADD CONSTRAINT "drafts_account_id_accounts_id_fk" FOREIGN KEY ("account_id") REFERENCES "public"."accounts"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "styles" ADD CONSTRAINT "styles_account_id_accounts_id_fk" FOREIGN KEY ("account_id") REFERENCES "public"."accounts"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "tags" ADD CONSTRAINT "tags_account_id_accounts_id_fk" FOREIGN KEY ("account_id") REFERENCES "public"."accounts"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "passkeys" ADD CONSTRAINT "passkeys_account_id_accounts_id_fk" FOREIGN KEY ("account_id") REFERENCES "public"."accounts"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "recovery_codes" ADD CONSTRAINT "recovery_codes_account_id_accounts_id_fk" FOREIGN KEY ("account_id") REFERENCES "public"."accounts"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "totp_secrets" ADD CONSTRAINT "totp_secrets_account_id_accounts_id_fk" FOREIGN KEY ("account_id") REFERENCES "public"."accounts"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "code_import_duplicates" ADD CONSTRAINT "code_import_duplicates_import_id_code_imports_id_fk" FOREIGN KEY ("import_id") REFERENCES "public"."code_imports"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "code_import_parts" ADD CONSTRAINT "code_import_parts_import_id_code_imports_id_fk" FOREIGN KEY ("import_id") REFERENCES "public"."code_imports"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "code_import_problems" ADD CONSTRAINT "code_import_problems_import_id_code_imports_id_fk" FOREIGN KEY ("import_id") REFERENCES "public"."code_imports"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "code_imports" ADD CONSTRAINT "code_imports_account_id_accounts_id_fk" FOREIGN KEY ("account_id") REFERENCES "public"."accounts"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "code_job_problems" ADD CONSTRAINT "code_job_problems_job_id_code_jobs_id_fk" FOREIGN KEY ("job_id") REFERENCES "public"."code_jobs"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "code_jobs" ADD CONSTRAINT "code_jobs_account_id_accounts_id_fk" FOREIGN KEY ("account_id") REFERENCES "public"."accounts"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "payment_attempts" ADD CONSTRAINT "payment_attempts_payment_id_payments_id_fk" FOREIGN KEY ("payment_id") REFERENCES "public"."payments"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "payment_methods" ADD CONSTRAINT "payment_methods_account_id_accounts_id_fk" FOREIGN KEY ("account_id") REFERENCES "public"."accounts"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "payments" ADD CONSTRAINT "payments_account_id_accounts_id_fk" FOREIGN KEY ("account_id") REFERENCES "public"."accounts"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "refunds" ADD CONSTRAINT "refunds_payment_id_payments_id_fk" FOREIGN KEY ("payment_id") REFERENCES "public"."payments"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "subscriptions" ADD CONSTRAINT "subscriptions_account_id_accounts_id_fk" FOREIGN KEY ("account_id") REFERENCES "public"."accounts"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "accounts_email" ON "accounts" USING btree (lower("email")) WHERE "accounts"."deleted_at" is null;--> statement-breakpoint
CREATE INDEX "activities_recent" ON "activities" USING btree ("account_id","at");--> statement-breakpoint
CREATE INDEX "billing_addresses_account" ON "billing_addresses" USING btree ("account_id","created_at","id");--> statement-breakpoint
CREATE UNIQUE INDEX "billing_addresses_default" ON "billing_addresses" USING btree ("account_id") WHERE "billing_addresses"."is_default";--> statement-breakpoint
CREATE INDEX "identities_account" ON "identities" USING btree ("account_id");--> statement-breakpoint
CREATE UNIQUE INDEX "known_devices_hash" ON "known_devices" USING btree ("hash");--> statement-breakpoint
CREATE INDEX "known_devices_account" ON "known_devices" USING btree ("account_id","last_sign_in_at");--> statement-breakpoint
CREATE INDEX "known_devices_age" ON "known_devices" USING btree ("last_sign_in_at");--> statement-breakpoint
CREATE INDEX "link_requests_order" ON "link_requests" USING btree ("created_at");--> statement-breakpoint
CREATE UNIQUE INDEX "mail_tokens_hash" ON "mail_tokens" USING btree ("hash");--> statement-breakpoint
CREATE INDEX "mail_tokens_account" ON "mail_tokens" USING btree ("account_id","purpose","created_at");--> statement-breakpoint
CREATE INDEX "mail_tokens_expiry" ON "mail_tokens" USING btree ("expires_at");--> statement-breakpoint
CREATE INDEX "sessions_account" ON "sessions" USING btree ("account_id");--> statement-breakpoint
CREATE INDEX "sessions_device" ON "sessions" USING btree ("device_id") WHERE "sessions"."device_id" is not null;--> statement-breakpoint
CREATE INDEX "code_changes_code" ON "code_changes" USING btree ("code_id","at");--> statement-breakpoint
CREATE UNIQUE INDEX "codes_slug" ON "codes" USING btree ("slug");--> statement-breakpoint
CREATE INDEX "codes_logo" ON "codes" USING btree ("logo_id");--> statement-breakpoint
CREATE UNIQUE INDEX "codes_form_key" ON "codes" USING btree ("account_id","form_key");--> statement-breakpoint
CREATE UNIQUE INDEX "codes_number" ON "codes" USING btree ("account_id","number");--> statement-breakpoint
CREATE INDEX "codes_written" ON "codes" USING btree ("account_id","written_in");--> statement-breakpoint
CREATE INDEX "codes_newest" ON "codes" USING btree ("account_id","number") WHERE "codes"."deleted_at" is null and "codes"."archived_at" is null;--> statement-breakpoint
CREATE INDEX "codes_tags" ON "codes" USING gin ("tag_ids") WHERE "codes"."deleted_at" is null;--> statement-breakpoint
CREATE INDEX "drafts_expiry" ON "drafts" USING btree ("expires_at");--> statement-breakpoint
CREATE INDEX "drafts_logo" ON "drafts" USING btree ("logo_id");--> statement-breakpoint
CREATE INDEX "drafts_account" ON "drafts" USING btree ("account_id");--> statement-breakpoint
CREATE UNIQUE INDEX "styles_key" ON "styles" USING btree ("account_id","key");--> statement-breakpoint
CREATE UNIQUE INDEX "styles_default" ON "styles" USING btree ("account_id") WHERE "styles"."is_default";--> statement-breakpoint
CREATE UNIQUE INDEX "tags_key" ON "tags" USING btree ("account_id","key");--> statement-breakpoint
CREATE INDEX "passkeys_account" ON "passkeys" USING btree ("account_id");--> statement-breakpoint
CREATE UNIQUE INDEX "invoices_place" ON "invoices" USING btree ("series","year","place");--> statement-breakpoint
CREATE UNIQUE INDEX "invoices_payment" ON "invoices" USING btree ("payment_id","series");--> statement-breakpoint
CREATE INDEX "invoices_account" ON "invoices" USING btree ("account_id","issued_at");--> statement-breakpoint
CREATE INDEX "code_imports_account" ON "code_imports" USING btree ("account_id","created_at");--> statement-breakpoint
CREATE INDEX "code_imports_age" ON "code_imports" USING btree ("created_at");--> statement-breakpoint
CREATE UNIQUE INDEX "code_jobs_key" ON "code_jobs" USING btree ("account_id","key");--> statement-breakpoint
CREATE INDEX "code_jobs_newest" ON "code_jobs" USING btree ("account_id","created_at");--> statement-breakpoint
CREATE INDEX "code_jobs_due" ON "code_jobs" USING btree ("due_at") WHERE "code_jobs"."status" = 'running';--> statement-breakpoint
CREATE UNIQUE INDEX "mails_dedupe_key" ON "mails" USING btree ("dedupe_key");--> statement-breakpoint
CREATE INDEX "mails_due" ON "mails" USING btree ("due_at") WHERE "mails"."sent_at" is null and "mails"."given_up_at" is null;--> statement-breakpoint
CREATE INDEX "mails_waiting" ON "mails" USING btree (lower("to"),"place") WHERE "mails"."sent_at" is null and "mails"."given_up_at" is null;--> statement-breakpoint
CREATE INDEX "mails_newest" ON "mails" USING btree ("place");--> statement-breakpoint
CREATE INDEX "mails_to" ON "mails" USING btree (lower("to"));--> statement-breakpoint
CREATE INDEX "operator_acts_account" ON "operator_acts" USING btree ("account_id");--> statement-breakpoint
CREATE INDEX "operator_acts_age" ON "operator_acts" USING btree ("at");--> statement-breakpoint
CREATE UNIQUE INDEX "payment_attempts_number" ON "payment_attempts" USING btree ("payment_id","number");--> statement-breakpoint
CREATE UNIQUE INDEX "payment_attempts_charge" ON "payment_attempts" USING btree ("charge_id");--> statement-breakpoint
CREATE INDEX "payment_methods_customer" ON "payment_methods" USING btree ("customer_id");--> statement-breakpoint
CREATE UNIQUE INDEX "payments_period" ON "payments" USING btree ("subscription_id","period");--> statement-breakpoint
CREATE INDEX "payments_newest" ON "payments" USING btree ("account_id","created_at","id");--> statement-breakpoint
CREATE UNIQUE INDEX "refunds_payment" ON "refunds" USING btree ("payment_id");--> statement-breakpoint
CREATE UNIQUE INDEX "refunds_provider" ON "refunds" USING btree ("refund_id");--> statement-breakpoint
CREATE INDEX "sandbox_events_due" ON "sandbox_events" USING btree ("due_at") WHERE "sandbox_events"."delivered_at" is null;--> statement-breakpoint
CREATE UNIQUE INDEX "sandbox_objects_key" ON "sandbox_objects" USING btree ("key");--> statement-breakpoint
CREATE INDEX "sandbox_objects_customer" ON "sandbox_objects" USING btree ("customer_id","created_at");--> statement-breakpoint
CREATE INDEX "day_figures_day" ON "day_figures" USING btree ("subject_id","day");--> statement-breakpoint
CREATE INDEX "engagements_age" ON "engagements" USING brin ("day");--> statement-breakpoint
CREATE UNIQUE INDEX "billing_jobs_dedupe_key" ON "billing_jobs" USING btree ("dedupe_key");--> statement-breakpoint
CREATE INDEX "billing_jobs_due" ON "billing_jobs" USING btree ("due_at") WHERE "billing_jobs"."done_at" is null;--> statement-breakpoint
CREATE INDEX "billing_jobs_subject" ON "billing_jobs" USING btree ("subject") WHERE "billing_jobs"."done_at" is null;--> statement-breakpoint
CREATE UNIQUE INDEX "declarations_form_key" ON "declarations" USING btree ("kind",lower("email"),"form_key");--> statement-breakpoint
CREATE INDEX "declarations_age" ON "declarations" USING btree ("received_at");--> statement-breakpoint
CREATE INDEX "declarations_email" ON "declarations" USING btree (lower("email"));--> statement-breakpoint
CREATE UNIQUE INDEX "declarations_token_hash" ON "declarations" USING btree ("token_hash");--> statement-breakpoint
CREATE INDEX "declarations_waiting" ON "declarations" USING btree ("subscription_id") WHERE "declarations"."outcome" = 'waiting';--> statement-breakpoint
CREATE UNIQUE INDEX "orders_token_hash" ON "orders" USING btree ("token_hash");--> statement-breakpoint
CREATE UNIQUE INDEX "orders_payment_intent" ON "orders" USING btree ("payment_intent");--> statement-breakpoint
CREATE UNIQUE INDEX "orders_reference" ON "orders" USING btree ("reference");--> statement-breakpoint
CREATE UNIQUE INDEX "orders_form_key" ON "orders" USING btree (lower("email"),"form_key");--> statement-breakpoint
CREATE INDEX "orders_setup" ON "orders" USING btree ("setup_id");--> statement-breakpoint
CREATE INDEX "orders_email" ON "orders" USING btree (lower("email"),"created_at");--> statement-breakpoint
CREATE INDEX "orders_account" ON "orders" USING btree ("account_id");--> statement-breakpoint
CREATE INDEX "orders_owner" ON "orders" USING btree ("owner_id");--> statement-breakpoint
CREATE UNIQUE INDEX "subscriptions_id" ON "subscriptions" USING btree ("id");--> statement-breakpoint
CREATE INDEX "subscriptions_order" ON "subscriptions" USING btree ("order_id");--> statement-breakpoint
CREATE UNIQUE INDEX "tickets_form_key" ON "tickets" USING btree ("email","form_key");--> statement-breakpoint
CREATE INDEX "tickets_age" ON "tickets" USING btree ("created_at");--> statement-breakpoint
CREATE INDEX "tickets_email" ON "tickets" USING btree (lower("email"));--> statement-breakpoint
CREATE INDEX "code_totals_counted" ON "code_totals" USING btree ("account_id","counted_in");--> statement-breakpoint
CREATE INDEX "visits_age" ON "visits" USING brin ("at") WITH (autosummarize=true,pages_per_range=16);--> statement-breakpoint
ALTER TABLE "visit_journal" SET (toast_tuple_target = 8160);
--> statement-breakpoint
CREATE FUNCTION "note_writing"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	NEW."written_in" := pg_current_xact_id()::text::bigint;
	RETURN NEW;
END $$;
--> statement-breakpoint
CREATE TRIGGER "codes_written" BEFORE UPDATE ON "codes" FOR EACH ROW EXECUTE FUNCTION "note_writing"();
