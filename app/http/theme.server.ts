export const THEMES = ['system', 'light', 'dark'] as const;
export type Theme = (typeof THEMES)[number];

export function readTheme(request: Request): Theme {
  const saved = /(?:^|;\s*)theme=(\w+)/.exec(request.headers.get('cookie') ?? '')?.[1];
  return THEMES.find((theme) => theme === saved) ?? 'system';
}
