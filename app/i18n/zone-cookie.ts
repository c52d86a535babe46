/** Cookie with the time zone that was chosen to count by. */
export const ZONE_COOKIE = 'time_zone';
/** Cookie with the device's own, for as long as none was chosen. Its script may run late and must not undo a choice. */
export const DEVICE_ZONE_COOKIE = 'device_zone';
