import { findCookie } from '#contract/cookie-names';

const THEMES = ['system', 'light', 'dark'] as const;
export type Theme = (typeof THEMES)[number];

export function findTheme(name: unknown): Theme | null {
  return THEMES.find((theme) => theme === name) ?? null;
}

export function readTheme(request: Request): Theme {
  return findTheme(findCookie(request.headers.get('cookie') ?? '', 'theme')) ?? 'system';
}
