export const THEMES = ['system', 'light', 'dark'] as const;
export type Theme = (typeof THEMES)[number];

const YEAR_SECONDS = 365 * 24 * 3600;

export function readTheme(request: Request): Theme {
  const saved = /(?:^|;\s*)theme=(\w+)/.exec(request.headers.get('cookie') ?? '')?.[1];
  return THEMES.find((theme) => theme === saved) ?? 'system';
}

/** A choice that is no secret: readable by the page's own script, so that a switch needs no request. */
export function choiceCookie(name: 'theme' | 'lng', value: string, secure: boolean): string {
  return `${name}=${value}; Path=/; Max-Age=${YEAR_SECONDS}; SameSite=Lax${secure ? '; Secure' : ''}`;
}
