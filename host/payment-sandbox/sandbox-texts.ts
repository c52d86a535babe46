import type { Locale } from '#contract/locales';
import de from '../../locales/de/sandbox.json';
import es from '../../locales/es/sandbox.json';
import fr from '../../locales/fr/sandbox.json';
import gb from '../../locales/gb/sandbox.json';
import it from '../../locales/it/sandbox.json';

type SandboxTexts = typeof gb;

/** Words of the sandbox's own pages. */
export const SANDBOX_TEXTS: Record<Locale, SandboxTexts> = { gb, fr, es, de, it };

/** Keys of what can be wrong with a card, each with a sentence in `errors`. */
export type CardProblem = keyof SandboxTexts['errors'];

export function isCardProblem(name: string): name is CardProblem {
  return name in gb.errors;
}

/** A short reason why a card was refused; the provider's code if there is no text for it. */
export function reasonText(reason: string, locale: Locale): string {
  const reasons: Partial<Record<string, string>> = SANDBOX_TEXTS[locale].reasons;
  return reasons[reason] ?? reason;
}
