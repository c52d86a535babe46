import { expect, test } from 'vitest';
import { RowNotice } from '~/ui/notices';
import { PageFrame } from '~/ui/page-frame';
import { rendered, tagWith } from './rendered';

const saved = { id: '1', type: 'success', key: 'qrcode_created', persistent: false } as const;

function frame(props: Partial<Parameters<typeof PageFrame>[0]> = {}, address = '/faq?q=a'): string {
  return rendered(
    <PageFrame user={null} locale="gb" theme="dark" notices={[]} {...props}>
      {props.children ?? <h1>Page</h1>}
    </PageFrame>,
    address,
  );
}

test('the skip link comes first and leads to the focusable main element', () => {
  const html = frame();
  expect(html.indexOf('href="#main"')).toBe(html.indexOf('href='));
  expect(tagWith(html, 'main', 'id="main"')).toContain('tabindex="-1"');
});

test('notices come first in main, in a status region that is always present', () => {
  expect(frame()).toMatch(/<main[^>]*><div role="status" class="notices"><\/div>/);
  expect(frame({ notices: [saved] })).toMatch(/<main[^>]*><div role="status".*QR code created successfully/);
});

test('a notice about a row of the page stands in that row, and any other above the page', () => {
  const about = { ...saved, values: { id: 'a' } };
  const page = (rows: string[]) =>
    frame({
      notices: [about],
      rows,
      children: (
        <section>
          {rows.map((id) => (
            <RowNotice key={id} id={id} />
          ))}
        </section>
      ),
    });
  expect(page(['b', 'a'])).toMatch(
    /<div role="status" class="notices"><\/div><section><div><div role="status" class="row-notice">.*QR code created successfully.*<\/section>/,
  );
  expect(page(['b'])).toMatch(/class="notices">.*QR code created successfully.*<section><\/section>/);
});

test('before hydration, a notice has no dead button, and style sheets can tell temporary ones', () => {
  const html = frame({ notices: [saved] });
  const region = html.slice(html.indexOf('role="status"'), html.indexOf('<h1>'));
  expect(region).toContain('class="notice success passing"');
  expect(frame({ notices: [{ ...saved, persistent: true }] })).not.toContain('passing');
  expect(region).not.toContain('<button');
});

test('a notice states its kind with a word and an icon, not only by colour', () => {
  const kinds = (['success', 'error', 'warning', 'info'] as const).map((type) => {
    const html = frame({ notices: [{ ...saved, type }] });
    const box = html.slice(
      html.indexOf(`class="notice ${type}`),
      html.indexOf('QR code created successfully'),
    );
    return { word: />([^<]+)<\/strong>/.exec(box)?.[1]?.trim(), drawing: /<path d="([^"]+)"/.exec(box)?.[1] };
  });
  expect(kinds.map(({ word }) => word)).toEqual(['Done:', 'Error:', 'Warning:', 'Note:']);
  expect(new Set(kinds.map(({ drawing }) => drawing ?? 'none')).size).toBe(4);
  expect(kinds.map(({ drawing }) => drawing)).not.toContain(undefined);
});

test('signed out, the navbar links to the login page and shows nothing of an account', () => {
  const html = frame();
  expect(html).toContain('href="/login"');
  expect(html).not.toContain('href="/user/dashboard"');
  expect(html).not.toContain('action="/logout"');
});

test("signed in, it links to the dashboard under the user's name and logs out with a POST", () => {
  const html = frame({ user: { label: 'Ada' } });
  expect(html).toMatch(/href="\/user\/dashboard"[^>]*>(?:(?!<\/a>).)*Ada/);
  for (const page of ['dashboard', 'qrcodes', 'subscription', 'analytics', 'settings']) {
    expect(html).toContain(`href="/user/${page}"`);
  }
  expect(tagWith(html, 'form', '/logout')).toContain('method="post"');
  expect(html).not.toContain('href="/login"');
});

test('signed in, the bar lists the pages to work on, then the public pages', () => {
  const linksOf = (html: string) => {
    const bar = html.slice(html.indexOf('<nav'), html.indexOf('id="languages"'));
    return [...bar.matchAll(/<a\b[^>]* href="([^"]*)"/g)].map(([, path]) => path);
  };
  const open = ['/pricings', '/faq', '/contact'];
  expect(linksOf(frame({ user: { label: 'Ada' } }))).toEqual([
    '/user/dashboard',
    '/user/qrcodes',
    '/user/analytics',
    '/user/subscription',
    ...open,
  ]);
  expect(linksOf(frame())).toEqual(open);
});

test('the creation link leads to the form on the home page, elsewhere to its own page', () => {
  expect(tagWith(frame({}, '/'), 'a', 'button create')).toContain('href="/#create"');
  expect(tagWith(frame(), 'a', 'button create')).toContain('href="/create"');
});

test('language and theme choices are posted and return to the same page', () => {
  const html = frame();
  for (const action of ['/locale', '/theme'])
    expect(tagWith(html, 'form', action)).toContain('method="post"');
  expect(html.match(/name="back" value="\/faq\?q=a"/g)).toHaveLength(2);
  expect(tagWith(html, 'button', 'value="gb"')).toContain('aria-current="true"');
  expect(tagWith(html, 'button', 'value="de"')).toContain('lang="de"');
  expect(tagWith(html, 'button', 'value="dark"')).toContain('aria-pressed="true"');
  expect(tagWith(html, 'button', 'value="system"')).toContain('aria-pressed="false"');
});

test('on a page with a form, the language buttons submit it, but Enter uses its own button', () => {
  const html = frame({ form: 'contact' }, '/contact?a=1&lng=fr');
  const german = tagWith(html, 'button', 'value="de"');
  expect(german).toContain('form="contact"');
  expect(german).toMatch(/formaction="\/contact\?a=1&amp;lng=de" formmethod="post" formnovalidate=""/i);
  const [first] = [...html.matchAll(/<button[^>]*form="contact"[^>]*>/g)];
  expect(first?.[0]).toMatch(/hidden/);
  // Text browsers ignore `hidden`: the button has nothing that they would show.
  expect(html).toContain(`${first?.[0]}</button>`);
  expect(first?.[0]).not.toMatch(/name=|formaction/i);
  expect(tagWith(frame({}, '/contact'), 'button', 'value="de"')).not.toMatch(/form/);
  // A separate language form would have no button left.
  expect(html).not.toContain('action="/locale"');
});

test('every popover has a button that opens it', () => {
  const html = frame({ user: { label: 'Ada' } });
  const popovers = [...html.matchAll(/<\w+[^>]* popover="auto"[^>]*>/g)].map(
    ([tag]) => /id="([^"]+)"/.exec(tag)?.[1],
  );
  expect(popovers.sort()).toEqual(['help', 'languages', 'menu', 'user-menu']);
  for (const id of popovers) expect(html).toContain(`popovertarget="${id}"`);
});

test('the footer links to the legal pages, the cancellation and the withdrawal', () => {
  const html = frame();
  const paths = ['legal-notices', 'terms-of-sales', 'cookie-policy', 'privacy-policy', 'cookies'];
  for (const path of [...paths, 'cancel-contract', 'withdraw', 'faq#how-to-track', '#advantages', '#how']) {
    expect(html).toContain(`href="/${path}"`);
  }
});

test('on pages that signed-in people work on, the footer is one list of help, contract and legal pages', () => {
  const html = frame({ user: { label: 'Ada' } }, '/user/qrcodes');
  const footer = html.slice(html.indexOf('<footer'));
  expect(footer.match(/<ul/g)).toHaveLength(1);
  for (const path of ['faq', 'contact', 'cancel-contract', 'withdraw', 'legal-notices', 'cookies'])
    expect(footer).toContain(`href="/${path}"`);
  expect(tagWith(footer, 'button', 'value="dark"')).toContain('aria-pressed="true"');
  expect(footer).not.toContain('/#advantages');
  expect(frame({ user: { label: 'Ada' } }, '/faq')).toContain('/#advantages');
});

test('pages that signed-in people work on are wider than those that are read', () => {
  const mainOf = (user: { label: string } | null, path: string) =>
    tagWith(frame({ user }, path), 'main', 'id="main"');
  for (const path of ['/user/qrcodes', '/create']) {
    expect(mainOf({ label: 'Ada' }, path)).toContain('class="work"');
    expect(mainOf(null, path)).not.toContain('class="work"');
  }
  for (const path of ['/faq', '/created'])
    expect(mainOf({ label: 'Ada' }, path)).not.toContain('class="work"');
});
