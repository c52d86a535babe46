/** Files of locales/<code>/ that a page needs besides `common`; the first matching prefix decides. */
const NAMESPACES: ReadonlyArray<readonly [prefix: string, namespaces: readonly string[]]> = [
  ['/create', ['design', 'look']],
  ['/user/qrcodes/zip', ['files']],
  ['/user/qrcodes/sheet', ['files']],
  ['/user/qrcodes/', ['codes', 'design', 'look', 'statistics']],
  ['/user/qrcodes', ['codes', 'design']],
  ['/user/styles', ['codes', 'design']],
  ['/user/analytics', ['statistics']],
  ['/user/settings', ['settings', 'account']],
  ['/user/dashboard', ['dashboard']],
  ['/user/signed-out', ['account']],
  ['/user/subscription', ['billing']],
  ['/subscribe', ['billing']],
  ['/payment-success', ['billing']],
  ['/cancel-contract', ['billing']],
  ['/withdraw', ['billing']],
  ['/money-back', ['billing']],
  ['/declaration', ['billing']],
  ['/confirm-order', ['billing']],
  ['/login', ['account']],
  ['/onboarding', ['account']],
  ['/forgot-password', ['account']],
  ['/reset-password', ['account']],
  ['/confirm-email', ['account']],
  ['/pricings', ['pricing']],
  ['/contact', ['contact']],
  ['/cookies', ['consent']],
  ['/r/', ['landing']],
  ['/l/', ['landing']],
];

const HOME = ['home', 'design'] as const;

export function namespacesOf(pathname: string): string[] {
  const path = pathname.toLowerCase();
  if (path === '/') return ['common', ...HOME];
  const [, namespaces] = NAMESPACES.find(([prefix]) => path.startsWith(prefix)) ?? ['', []];
  return ['common', ...namespaces];
}

/** Includes the texts of the look form, which may be open when the home page switches its language. */
export function navigationNamespaces(pathname: string): string[] {
  return pathname === '/' ? ['common', ...HOME, 'look'] : namespacesOf(pathname);
}
