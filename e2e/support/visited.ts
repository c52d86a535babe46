import type { Page } from '@playwright/test';

/** A page in one of its states. */
export interface Visited {
  name: string;
  path: string;
  status?: number;
  signedIn?: boolean;
  /** Differs from another entry in a few words only, so that axe need not look at it. */
  isAlike?: boolean;
  /** Brings the page into this state, for example by posting an invalid form. */
  act?: (page: Page) => Promise<void>;
}
