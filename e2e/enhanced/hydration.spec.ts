import type { Request } from '@playwright/test';
import { expect, forgetZone, test } from '../support/fixtures';

function makeSignal(): [send: () => void, sent: Promise<void>] {
  let send = () => {};
  const sent = new Promise<void>((resolve) => {
    send = resolve;
  });
  return [() => send(), sent];
}

const pathOf = (request: Request) => new URL(request.url()).pathname;

test('input while the page hydrates does not keep it from hydrating', async ({ page, open }) => {
  await page.addInitScript(() => {
    const dispatchInput = () => {
      document.querySelector('main input')?.dispatchEvent(new Event('input', { bubbles: true }));
      if (document.documentElement?.dataset.ready === undefined) setTimeout(dispatchInput);
    };
    dispatchInput();
  });
  for (const path of ['/login', '/contact', '/faq']) expect(await open(path)).toBe(200);
});

test('a page that hydrates after its form was posted requests nothing of the account that the form may end', async ({
  page,
  signIn,
  factories,
}) => {
  const account = await signIn();
  await forgetZone(page, factories, account);
  const [releaseScripts, scriptsReleased] = makeSignal();
  await page.route('**/assets/*.js', async (route) => {
    await scriptsReleased;
    await route.continue();
  });
  const paths: string[] = [];
  await page.goto('/user/settings/delete', { waitUntil: 'domcontentloaded' });
  await page.route('/user/settings/delete', async (route) => {
    page.on('request', (request) => paths.push(pathOf(request)));
    // The router requests the routes of the page's links in the last of its effects.
    const hydrated = page.waitForResponse((response) => pathOf(response.request()) === '/__manifest');
    releaseScripts();
    await hydrated;
    page.removeAllListeners('request');
    await route.continue();
  });
  await page.getByLabel('Current password').fill(account.password);
  await page.getByRole('button', { name: 'Delete my account for good' }).click();
  await expect(page.getByRole('heading', { name: 'Your account is deleted' })).toBeVisible();
  expect(paths.filter((path) => path.startsWith('/user/'))).toEqual([]);
});

test('after a native form post, reloading the data waits for the response, or for half a minute if it is a file', async ({
  page,
  open,
  signIn,
  factories,
}) => {
  const account = await signIn();
  await forgetZone(page, factories, account);
  await page.clock.install();
  const [releaseZone, zoneReleased] = makeSignal();
  await page.route('/user/time-zone', async (route) => {
    await zoneReleased;
    await route.continue();
  });
  await open('/user/settings');
  const download = page.waitForEvent('download');
  await page.evaluate(() => {
    const form = document.createElement('form');
    form.action = '/user/settings/export';
    document.body.append(form);
    form.requestSubmit();
  });
  await download;
  const reloads: string[] = [];
  page.on('request', (request) => {
    if (pathOf(request) === '/user/settings.data') reloads.push(request.url());
  });
  const zoneStored = page.waitForResponse('/user/time-zone');
  releaseZone();
  await (await zoneStored).finished();
  await page.evaluate(
    () => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))),
  );
  expect(reloads).toEqual([]);
  await page.clock.fastForward('00:30');
  await expect.poll(() => reloads.length).toBe(1);
});

test('a form that is sent at the moment the time zone is stored is followed by its redirect', async ({
  page,
  open,
  signIn,
  factories,
}) => {
  const account = await signIn();
  const code = await factories.code(account, {});
  await forgetZone(page, factories, account);
  await page.addInitScript(() => {
    const send = window.fetch;
    window.fetch = async (input, init) => {
      if (input !== '/user/time-zone') return send(input, init);
      await new Promise((resolve) => addEventListener('click', resolve));
      return new Response(null, { status: 204 });
    };
  });
  await open(`/user/qrcodes/${code.id}/delete`);
  await page.getByRole('button', { name: /^Delete/ }).click();
  await expect(page.getByText('QR code deleted successfully')).toBeVisible();
  await expect(page).toHaveURL('/user/qrcodes');
});
