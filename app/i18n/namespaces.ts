/** Files of locales/<code>/ that a page needs besides `common`; the first matching prefix decides. */
const NAMESPACES: ReadonlyArray<readonly [prefix: string, namespaces: readonly string[]]> = [
  ['/create', ['codes']],
  ['/user/qrcodes', ['codes']],
  ['/login', ['account']],
  ['/pricings', ['pricing']],
  ['/contact', ['contact']],
  ['/r/', ['landing']],
  ['/l/', ['landing']],
];

const HOME = ['home', 'codes'] as const;

export function namespacesOf(pathname: string): string[] {
  const path = pathname.toLowerCase();
  if (path === '/') return ['common', ...HOME];
  const [, namespaces] = NAMESPACES.find(([prefix]) => path.startsWith(prefix)) ?? ['', []];
  return ['common', ...namespaces];
}
