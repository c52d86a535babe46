import { z } from 'zod';

/** Languages of the product, by its own codes. */
export const Locale = z.enum(['gb', 'fr', 'es', 'de', 'it'], 'locale_unknown');
export type Locale = z.infer<typeof Locale>;

export const DEFAULT_LOCALE: Locale = 'gb';
