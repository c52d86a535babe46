import type { Page } from '@playwright/test';
import sharp from 'sharp';
import { expect, test } from '../support/fixtures';

const LANGUAGES = { en: 'gb', fr: 'fr', es: 'es', de: 'de', it: 'it' };

async function metaOf(page: Page, name: string): Promise<string | null> {
  return page.locator(`meta[name="${name}"], meta[property="${name}"]`).first().getAttribute('content');
}

function canonicalOf(page: Page): Promise<string | null> {
  return page.locator('link[rel=canonical]').getAttribute('href');
}

test('a page has one address per language and links to all of them', async ({ page, open, baseURL }) => {
  await open('/faq?q=logo&utm_source=flyer');
  expect(await canonicalOf(page)).toBe(`${baseURL}/faq`);
  expect(await metaOf(page, 'og:url')).toBe(`${baseURL}/faq`);
  expect(await metaOf(page, 'og:locale')).toBe('en_GB');
  const alternates = await page
    .locator('link[rel=alternate]')
    .evaluateAll((links) => links.map((link) => [link.getAttribute('hreflang'), link.getAttribute('href')]));
  expect(Object.fromEntries(alternates)).toEqual({
    'x-default': `${baseURL}/faq`,
    ...Object.fromEntries(
      Object.entries(LANGUAGES).map(([language, code]) => [language, `${baseURL}/faq?lng=${code}`]),
    ),
  });

  await open('/faq?lng=de&q=logo');
  expect(await canonicalOf(page)).toBe(`${baseURL}/faq?lng=de`);
  expect(await metaOf(page, 'og:locale')).toBe('de_DE');
  await expect(page.locator('html')).toHaveAttribute('lang', 'de');
});

test('pages that need a login and missing pages are not indexed', async ({ page, open, signIn }) => {
  await signIn();
  await open('/user/qrcodes');
  expect(await metaOf(page, 'robots')).toBe('noindex, nofollow');
  await expect(page.locator('link[rel=canonical]')).toHaveCount(0);
  await page.getByRole('contentinfo').getByRole('link', { name: 'Pricing' }).click();
  await expect(page).toHaveURL(/pricings/);
  await expect(page.locator('meta[name=robots]')).toHaveAttribute('content', 'index, follow');
  await open('/no/such/page');
  expect(await metaOf(page, 'robots')).toBe('noindex, nofollow');
  await expect(page.locator('link[rel=canonical]')).toHaveCount(0);
});

test('every address in the sitemap is the canonical address of its page', async ({ page, baseURL }) => {
  const sitemap = await page.request.get('/sitemap.xml');
  expect(sitemap.headers()['content-type']).toContain('xml');
  const addresses = [...(await sitemap.text()).matchAll(/<loc>([^<]+)<\/loc>/g)].map(
    ([, address]) => address ?? '',
  );
  expect(addresses).toContain(`${baseURL}/`);
  expect(addresses).toContain(`${baseURL}/pricings?lng=fr`);
  expect(new Set(addresses).size).toBe(addresses.length);
  for (const address of addresses) {
    const response = await page.request.get(address);
    expect(response.status(), address).toBe(200);
    const html = await response.text();
    expect(html, address).toContain(`<link rel="canonical" href="${address}"/>`);
    expect(html, address).toContain('content="index, follow"');
  }
});

test('robots.txt allows all public pages and names the sitemap', async ({ page, baseURL }) => {
  const robots = await (await page.request.get('/robots.txt')).text();
  expect(robots.split('\n').filter(Boolean)).toEqual([
    'User-agent: *',
    'Disallow: /user/',
    `Sitemap: ${baseURL}/sitemap.xml`,
  ]);
});

test('the card and the icons have their declared sizes', async ({ page, open }) => {
  await open('/');
  expect(await metaOf(page, 'twitter:card')).toBe('summary_large_image');
  expect(await metaOf(page, 'og:title')).toBeTruthy();
  const card = await page.request.get((await metaOf(page, 'og:image')) ?? '');
  const { width, height } = await sharp(await card.body()).metadata();
  expect([width, height].map(String)).toEqual([
    await metaOf(page, 'og:image:width'),
    await metaOf(page, 'og:image:height'),
  ]);
  const path = await page.locator('link[rel=manifest]').getAttribute('href');
  const manifest = await (await page.request.get(path ?? '')).json();
  for (const { src, sizes, type } of manifest.icons) {
    const icon = await page.request.get(src);
    expect(icon.headers()['content-type'], src).toContain(type);
    if (type !== 'image/png') continue;
    const picture = await sharp(await icon.body()).metadata();
    expect(`${picture.width}x${picture.height}`, src).toBe(sizes);
  }
});

test('the home page has structured data about the product and its owner', async ({ page, open, baseURL }) => {
  await open('/?lng=fr');
  const facts = JSON.parse((await page.locator('script[type="application/ld+json"]').textContent()) ?? '');
  expect(facts['@graph'].map((fact: { '@type': string }) => fact['@type'])).toEqual([
    'Organization',
    'WebSite',
    'SoftwareApplication',
  ]);
  expect(facts['@graph'][1]).toMatchObject({ url: `${baseURL}/`, inLanguage: 'fr' });
});
