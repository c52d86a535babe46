import { LOCALE_CODES, LOCALES } from '#contract/locales';
import { env } from '~/http/env.server';

/** Pages of general interest; those that only continue an order or a mailed link are left out. */
const PAGES = [
  '/',
  '/pricings',
  '/faq',
  '/contact',
  '/developers',
  '/developers/reference',
  '/developers/changelog',
  '/create',
  '/login',
  '/forgot-password',
  '/cancel-contract',
  '/withdraw',
  '/money-back',
  '/cookies',
  '/cookie-policy',
  '/privacy-policy',
  '/legal-notices',
  '/terms-of-sales',
];

export async function loader() {
  const xml = `<?xml version="1.0" encoding="UTF-8"?>
<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9" xmlns:xhtml="http://www.w3.org/1999/xhtml">
${PAGES.flatMap(entriesOf).join('\n')}
</urlset>
`;
  return new Response(xml, {
    headers: { 'Content-Type': 'application/xml; charset=utf-8', 'Cache-Control': 'public, max-age=86400' },
  });
}

/** One entry per language and one without, each naming all of them: https://developers.google.com/search/docs/specialty/international/localized-versions */
function entriesOf(path: string): string[] {
  const address = env.PUBLIC_URL + path;
  const versions = [
    { language: 'x-default', at: address },
    ...LOCALE_CODES.map((code) => ({ language: LOCALES[code].html, at: `${address}?lng=${code}` })),
  ];
  const alternates = versions
    .map(({ language, at }) => `<xhtml:link rel="alternate" hreflang="${language}" href="${escaped(at)}"/>`)
    .join('');
  return versions.map(({ at }) => `<url><loc>${escaped(at)}</loc>${alternates}</url>`);
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');
}
