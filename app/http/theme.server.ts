import { findCookie } from '#contract/cookie-names';

const THEMES = ['system', 'light', 'dark'] as const;
export type Theme = (typeof THEMES)[number];

export function findTheme(name: unknown): Theme | null {
  return THEMES.find((theme) => theme === name) ?? null;
}

export function readTheme(request: Request): Theme {
  return themeOf(request.headers.get('cookie') ?? '');
}

/** That of a Cookie header. */
export function themeOf(cookies: string): Theme {
  return findTheme(findCookie(cookies, 'theme')) ?? 'system';
}
