import { z } from 'zod';

/** A name from the IANA time zone database, such as `Europe/Paris`. */
export const TimeZone = z
  .string('time_zone_invalid')
  .max(64, 'time_zone_invalid')
  .refine(isTimeZone, 'time_zone_invalid')
  .meta({ description: 'A name from the IANA time zone database' });

function isTimeZone(name: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: name });
    return true;
  } catch {
    return false;
  }
}
