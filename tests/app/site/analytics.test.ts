import { afterEach, beforeEach, expect, test, vi } from 'vitest';

interface Script extends EventTarget {
  src: string;
  remove(): void;
}

const tag = { id: 'G-TEST', script: 'https://tag.example/gtag/js' };
const scripts: Script[] = [];

beforeEach(() => {
  vi.resetModules();
  scripts.length = 0;
  vi.stubGlobal('window', { location: { origin: 'https://quadrille.example' } });
  vi.stubGlobal('document', {
    referrer: 'https://quadrille.example/reset-password?token=secret',
    createElement: () => Object.assign(new EventTarget(), { src: '', remove: vi.fn() }),
    head: { append: (script: Script) => scripts.push(script) },
  });
});

afterEach(() => {
  vi.unstubAllGlobals();
});

const page = (pathname: string, search = '') => ({ title: `Title of ${pathname}`, pathname, search });

/** The contents of the data layer as the tag would read them. */
function queued(): unknown[][] {
  return (window.dataLayer ?? []).map((entry) => Array.from(entry as ArrayLike<unknown>));
}

function views(): unknown[] {
  return queued()
    .filter(([command]) => command === 'event')
    .map(([, name, values]) => [name, values]);
}

test('before a choice, everything is denied, page views are queued and nothing is fetched', async () => {
  const { trackPage } = await import('~/site/analytics');
  trackPage(tag, null, page('/'));
  trackPage(tag, null, page('/faq'));
  const denied = {
    analytics_storage: 'denied',
    ad_storage: 'denied',
    ad_user_data: 'denied',
    ad_personalization: 'denied',
  };
  expect(queued()[0]).toEqual(['consent', 'default', denied]);
  expect(queued().find(([command]) => command === 'config')).toEqual([
    'config',
    'G-TEST',
    { anonymize_ip: true, send_page_view: false, cookie_expires: 34_128_000, cookie_update: false },
  ]);
  expect(views()).toHaveLength(2);
  expect(scripts).toEqual([]);
});

test('the tag knows the commands from other entries', async () => {
  const { trackPage } = await import('~/site/analytics');
  trackPage(tag, null, page('/'));
  for (const entry of window.dataLayer ?? []) {
    expect(Object.prototype.toString.call(entry)).toBe('[object Arguments]');
    expect(Array.isArray(entry)).toBe(false);
  }
});

test('consent fetches the script once and reports the current page, not earlier ones', async () => {
  const { trackPage } = await import('~/site/analytics');
  trackPage(tag, null, page('/'));
  trackPage(tag, null, page('/faq'));
  trackPage(tag, 'v1.analytics', page('/faq'));
  trackPage(tag, 'v1.analytics', page('/pricings'));
  expect(queued()[1]).toEqual([
    'consent',
    'update',
    {
      analytics_storage: 'granted',
      ad_storage: 'denied',
      ad_user_data: 'denied',
      ad_personalization: 'denied',
    },
  ]);
  expect(views()).toMatchObject([
    ['page_view', { page_title: 'Title of /faq', page_path: '/faq' }],
    ['page_view', { page_location: 'https://quadrille.example/pricings' }],
  ]);
  expect(scripts.map(({ src }) => src)).toEqual(['https://tag.example/gtag/js?id=G-TEST']);
});

test('a page is counted once, however often it rerenders, and the payment page never', async () => {
  const { trackPage } = await import('~/site/analytics');
  trackPage(tag, 'v1.analytics.advertising', page('/payment-success', '?payment_intent=pi_1'));
  expect(scripts).toEqual([]);
  trackPage(tag, 'v1.analytics.advertising', page('/'));
  trackPage(tag, 'v1.analytics.advertising', page('/'));
  trackPage(tag, 'v1.analytics.advertising', page('/payment-success'));
  expect(views()).toHaveLength(1);
  expect(scripts).toHaveLength(1);
});

test('refusing clears the data layer and stops counting; consenting again resumes it', async () => {
  const { trackPage } = await import('~/site/analytics');
  trackPage(tag, 'v1.analytics', page('/'));
  trackPage(tag, 'v1', page('/'));
  trackPage(tag, 'v1', page('/faq'));
  expect(window.dataLayer).toEqual([]);
  expect(window).toMatchObject({ 'ga-disable-G-TEST': true });
  trackPage(tag, 'v1.analytics', page('/faq'));
  expect(queued()[0]?.[1]).toBe('update');
  expect(views()).toHaveLength(1);
  expect(window).toMatchObject({ 'ga-disable-G-TEST': false });
  expect(scripts).toHaveLength(1);
});

test('after an earlier refusal there is no data layer at all', async () => {
  const { trackPage } = await import('~/site/analytics');
  trackPage(tag, 'v1.advertising', page('/'));
  expect(window.dataLayer).toBeUndefined();
  expect(scripts).toEqual([]);
});

test('URLs are reported without their secrets', async () => {
  const { trackPage, reportableUrl } = await import('~/site/analytics');
  expect(reportableUrl('https://a.example/x?token=1&utm_source=flyer&utm_medium=qr#part')).toBe(
    'https://a.example/x?utm_source=flyer&utm_medium=qr',
  );
  expect(reportableUrl('')).toBe('');
  trackPage(tag, 'v1.analytics', page('/onboarding', '?token=secret'));
  expect(JSON.stringify(queued())).not.toContain('secret');
});
