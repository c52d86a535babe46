import { INTERNAL_KEY_HEADER, internalKeysOf } from '#runtime/internal-key';

/** Secret shared by the test host and the websites in front of it. */
export const INTERNAL_SECRET = 'a secret between the programs of the tests';
export const INTERNAL_KEYS = internalKeysOf([INTERNAL_SECRET]);

/** Request headers that identify the caller as one of our websites. */
export const asWebsite = { [INTERNAL_KEY_HEADER]: INTERNAL_KEYS[0] ?? '' };
