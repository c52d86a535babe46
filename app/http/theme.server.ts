const THEMES = ['system', 'light', 'dark'] as const;
export type Theme = (typeof THEMES)[number];

export function findTheme(name: unknown): Theme | null {
  return THEMES.find((theme) => theme === name) ?? null;
}

export function readTheme(request: Request): Theme {
  const saved = /(?:^|;\s*)theme=(\w+)/.exec(request.headers.get('cookie') ?? '')?.[1];
  return findTheme(saved) ?? 'system';
}
