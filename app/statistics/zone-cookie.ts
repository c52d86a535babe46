/** Cookie with the time zone to count by; the browser writes it where nobody has chosen yet. */
export const ZONE_COOKIE = 'time_zone';
