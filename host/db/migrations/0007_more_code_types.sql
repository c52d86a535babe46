-- works beside 0.1.0: the constraint is replaced at once, and allows what was allowed
ALTER TABLE "codes" DROP CONSTRAINT "codes_type";--> statement-breakpoint
-- works beside 0.1.0: it writes no other types
ALTER TABLE "codes" ADD CONSTRAINT "codes_type" CHECK (type in ('link', 'text', 'email', 'wifi', 'phone', 'contact', 'event', 'place', 'app'));
