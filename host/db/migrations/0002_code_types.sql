-- works beside 0.1.0: it writes no other types
ALTER TABLE "codes" ADD CONSTRAINT "codes_type" CHECK (type in ('link', 'text', 'email', 'wifi'));
