import type { RouteConfigEntry } from '@remix-run/route-config';

/** Every address of the website, with the file that answers it. */
export default [
  // The public site
  { index: true, file: 'site/home-page.tsx' },
  route('pricings', 'site/pricing-page.tsx'),
  route('faq', 'site/faq-page.tsx'),
  route('contact', 'site/contact-page.tsx'),
  route('legal-notices', 'site/legal/notices-page.tsx'),
  route('terms-of-sales', 'site/legal/terms-page.tsx'),
  route('privacy-policy', 'site/legal/privacy-page.tsx'),
  route('cookie-policy', 'site/legal/cookie-policy-page.tsx'),
  route('cookies', 'site/consent/page.tsx'),
  route('robots.txt', 'site/robots-route.ts'),
  route('sitemap.xml', 'site/sitemap-route.ts'),
  // Creating and pictures of looks
  route('create', 'codes/create/page.tsx'),
  route('create/receipt', 'codes/create/receipt-route.ts'),
  route('drafts/:id/logo', 'codes/create/draft-logo-route.ts'),
  route('presets.svg', 'codes/create/presets-route.ts'),
  route('presets/:file', 'codes/create/preset-route.ts'),
  route('looks/:file', 'codes/look/picture-route.ts'),
  route('looks/own.svg', 'codes/look/own-picture-route.ts'),
  route('captions/outline', 'codes/look/caption-route.ts'),
  // What a printed code leads to
  route('r/:code', 'codes/visit/redirect-route.ts'),
  route('l/:code', 'codes/visit/text-link-route.ts'),
  route('e/:code/:act', 'codes/visit/act-route.ts'),
  route('b/:code', 'codes/visit/beacon-route.ts'),
  // Codes
  route('user/qrcodes', 'codes/list/page.tsx'),
  route('user/qrcodes/selection', 'codes/list/bulk-page.tsx'),
  route('user/qrcodes/pictures.svg', 'codes/list/pictures-route.ts'),
  route('user/qrcodes/jobs', 'codes/list/jobs-page.tsx'),
  route('user/qrcodes/jobs/:id', 'codes/list/job-page.tsx'),
  route('user/qrcodes/jobs/:id/codes.csv', 'codes/import/made-codes-route.ts'),
  route('user/qrcodes/import', 'codes/import/page.tsx'),
  route('user/qrcodes/import/template.csv', 'codes/import/template-route.ts'),
  route('user/qrcodes/import/:id', 'codes/import/report-page.tsx'),
  route('user/qrcodes/import/:id/:list.csv', 'codes/import/rows-route.ts'),
  route('user/qrcodes/sheet', 'codes/files/sheet-page.tsx'),
  route('user/qrcodes/sheet/download', 'codes/files/sheet-route.ts'),
  route('user/qrcodes/zip', 'codes/files/zip-page.tsx'),
  route('user/qrcodes/zip/download', 'codes/files/zip-route.ts'),
  route('user/qrcodes/:id', 'codes/code/page.tsx'),
  route('user/qrcodes/:id/look', 'codes/look/page.tsx'),
  route('user/qrcodes/:id/check', 'codes/files/check-page.tsx'),
  route('user/qrcodes/:id/download', 'codes/files/download-route.ts'),
  route('user/qrcodes/:id/logo', 'codes/code/logo-route.ts'),
  route('user/qrcodes/:id/delete', 'codes/code/delete-page.tsx'),
  route('user/qrcodes/:id/deleted', 'codes/code/deleted-page.tsx'),
  route('user/styles', 'codes/look/saved-page.tsx'),
  route('user/styles/:id', 'codes/look/rename-page.tsx'),
  route('user/styles/:id/delete', 'codes/look/delete-page.tsx'),
  // Statistics
  route('user/analytics', 'statistics/page.tsx'),
  route('user/analytics/:table.csv', 'statistics/export-route.ts'),
  route('user/analytics/stream', 'statistics/stream-route.ts'),
  // Signing in
  route('login', 'account/sign-in/page.tsx'),
  route('login/code', 'account/sign-in/code-page.tsx'),
  route('login/passkey', 'account/sign-in/passkey-route.ts'),
  route('google-login', 'account/sign-in/google-route.ts'),
  route('logout', 'account/sign-in/logout-route.ts'),
  route('user/signed-out', 'account/sign-in/signed-out-page.tsx'),
  route('forgot-password', 'account/sign-in/forgot-password-page.tsx'),
  route('reset-password', 'account/sign-in/reset-password-page.tsx'),
  route('onboarding', 'account/sign-in/onboarding-page.tsx'),
  route('confirm-email', 'account/sign-in/confirm-email-page.tsx'),
  // The account
  route('user/dashboard', 'account/dashboard/page.tsx'),
  route('user/settings', 'account/settings/page.tsx'),
  route('user/settings/delete', 'account/settings/delete-page.tsx'),
  route('user/settings/export', 'account/settings/export-route.ts'),
  route('user/settings/google/:id', 'account/settings/google-page.tsx'),
  route('user/settings/passkeys', 'account/settings/passkeys-page.tsx'),
  route('user/settings/passkeys/:id', 'account/settings/passkey-page.tsx'),
  route('user/settings/two-step', 'account/settings/two-step-page.tsx'),
  route('user/time-zone', 'account/settings/time-zone-route.ts'),
  route('user/settings/addresses', 'account/addresses/list-route.ts'),
  route('user/settings/addresses/new', 'account/addresses/new-page.tsx'),
  route('user/settings/addresses/:id', 'account/addresses/page.tsx'),
  route('user/settings/addresses/:id/delete', 'account/addresses/delete-page.tsx'),
  // Buying and the contract
  route('subscribe/:slug', 'billing/subscribe-page.tsx'),
  route('payment-success', 'billing/payment-page.tsx'),
  route('confirm-order', 'billing/confirm-order-page.tsx'),
  route('declaration', 'billing/declaration-page.tsx'),
  route('cancel-contract', 'billing/cancel-contract-page.tsx'),
  route('withdraw', 'billing/withdraw-page.tsx'),
  route('money-back', 'billing/money-back-page.tsx'),
  route('user/subscription', 'billing/subscription-page.tsx'),
  route('user/subscription/order/:slug', 'billing/order-page.tsx'),
  route('user/subscription/switch', 'billing/switch-page.tsx'),
  route('user/subscription/cancel', 'billing/cancel-page.tsx'),
  route('user/subscription/resume', 'billing/resume-page.tsx'),
  route('user/subscription/invoices/:file', 'billing/invoice-route.ts'),
  // Preferences, and for machines
  route('locale', 'i18n/locale-route.ts'),
  route('messages/:locale/:file', 'i18n/messages-route.ts'),
  route('theme', 'http/theme-route.ts'),
  route('unsent', 'http/unsent-route.ts'),
  route('foreign-post', 'http/foreign-post-route.ts'),
  route('healthz', 'http/healthz-route.ts'),
  route('livez', 'http/livez-route.ts'),
  route('readyz', 'http/readyz-route.ts'),
  route('metrics', 'http/metrics-route.ts'),
  // Everything else
  route('*', 'site/not-found-page.tsx'),
];

/**
 * Rules that go by paths, such as those for caching, might not notice another spelling; the last route redirects it.
 * Remix ignores this for the index.
 */
function route(path: string, file: string): RouteConfigEntry {
  return { path, file, caseSensitive: true };
}
