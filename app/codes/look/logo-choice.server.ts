import type { Code } from '#contract/codes';
import { LogoChoice } from '#contract/logo-choice';

/** The same choice as values of the form. */
export function logoValuesOf(choice: LogoChoice | null) {
  if (!choice) return { logoPreset: 'keep', useWhiteBackground: '' };
  if (choice.kind === 'none') return { logoPreset: 'none', useWhiteBackground: '' };
  const logoPreset = choice.kind === 'preset' ? choice.name : choice.id;
  return { logoPreset, useWhiteBackground: choice.useWhiteBackground ? 'on' : '' };
}

export type CodeLogo = Pick<Code, 'logo' | 'useWhiteBackground'>;

/** The logo that a code has, as a choice. */
export function logoChoiceOfCode({ logo, useWhiteBackground }: CodeLogo): LogoChoice {
  if (!logo) return { kind: 'none' };
  return logo.kind === 'preset'
    ? { kind: 'preset', name: logo.name, useWhiteBackground }
    : { kind: 'upload', id: logo.id ?? '', useWhiteBackground };
}

/** The logo that a code would have. */
export function logoOfChoice(choice: LogoChoice): CodeLogo {
  if (choice.kind === 'none') return { logo: null, useWhiteBackground: false };
  const { useWhiteBackground } = choice;
  return choice.kind === 'preset'
    ? { logo: { kind: 'preset', name: choice.name }, useWhiteBackground }
    : { logo: { kind: 'upload', id: choice.id, name: '' }, useWhiteBackground };
}

/** A logo as stored in the history: JSON, or an empty string for none; null if it cannot be read. */
export function readLogo(text: string): LogoChoice | null {
  try {
    return text === '' ? { kind: 'none' } : (LogoChoice.safeParse(JSON.parse(text)).data ?? null);
  } catch {
    return null;
  }
}
