import { customType, timestamp } from 'drizzle-orm/pg-core';

/** A point in time (`timestamptz`), read as a `Date`. */
export const moment = (name: string) => timestamp(name, { withTimezone: true, mode: 'date' });

export const bytes = customType<{ data: Uint8Array; driverData: Uint8Array }>({ dataType: () => 'bytea' });
