import { INTERNAL_KEY_HEADER, internalKeysOf } from '#contract/internal-key';

/** What the test host shares with the websites before it. */
export const INTERNAL_SECRET = 'a secret between the programs of the tests';
export const INTERNAL_KEYS = internalKeysOf([INTERNAL_SECRET]);

/** Makes a call one of a website of ours. */
export const asWebsite = { [INTERNAL_KEY_HEADER]: INTERNAL_KEYS[0] ?? '' };
