import { test as base, expect, type Page } from '@playwright/test';
import { randomAddress } from './host';
import { FACTORY_PORT } from './ports';
import { signInTo } from './sign-in';

export type Mode = 'js' | 'no-js' | 'slow';

export interface Account {
  id: string;
  email: string;
  password: string;
  token: string;
}

export interface Factories {
  /** Sets the time zone of an account; null is that of an account whose browser has not guessed it yet. */
  zone(account: { id: string }, timeZone: string | null): Promise<void>;
  account(options?: { access?: boolean; firstName?: string }): Promise<Account>;
  code(account: Account, fields?: Record<string, unknown>): Promise<{ id: string; slug: string }>;
  /** Adds codes all at once, newest last, for `https://made.example/` with their numbers from 0. */
  manyCodes(account: Account, count: number): Promise<{ slug: string; content: string }[]>;
  codesOf(account: Account): Promise<
    {
      id: string;
      slug: string;
      type: string;
      content: string;
      visibility: string;
      deleted_at: string | null;
    }[]
  >;
  /** Records a human visit that happened this many hours ago. */
  visit(code: { id: string }, hoursAgo: number): Promise<void>;
  /** Lets a destination fail, once. */
  failing(content: string): Promise<void>;
  /** Waits until all visits so far are counted; the figures lag slightly behind the redirects. */
  counted(): Promise<void>;
  visitsOf(codeId: string): Promise<{ source: string; class: string; outcome: string }[]>;
  /** Creates an account as a purchase does, set-up mail included; `content` is that of a saved draft. */
  bought(options: { email: string; content?: string }): Promise<{ email: string }>;
  /** Paths of the mailed links to a declaration and an order by strangers that await the owner's decision. */
  waiting(email: string): Promise<{ declaration: string; order: string }>;
  /** Mails to an address, newest first, with the link in each. */
  mailsTo(email: string): Promise<{ subject: string; link: string | null }[]>;
  /** Links a Google account and adds a passkey, neither of which works; returns their ids. */
  signInWays(account: Account): Promise<{ google: string; passkey: string }>;
  /** Expires every link mailed to an account. */
  endLinks(email: string): Promise<void>;
  endSessions(account: Account): Promise<void>;
  /** Ends the subscription of an account. */
  endAccess(account: Account): Promise<void>;
}

interface Fixtures {
  /** Of the client. */
  address: string;
  factories: Factories;
  /** Opens a path, waits until the page can be used and returns its status. */
  open(path: string): Promise<number>;
  /** Goes back in the browser and waits for the page. */
  back(path: string | RegExp): Promise<void>;
  /** Signs in to a new account without opening a page. */
  signIn(options?: { access?: boolean; firstName?: string }): Promise<Account>;
  /** Waits until the page can be used: for hydration if scripts run, otherwise for the whole document. */
  ready(): Promise<void>;
}

async function factory(path: string, body?: unknown) {
  const response = await fetch(`http://127.0.0.1:${FACTORY_PORT}${path}`, {
    ...(body !== undefined && {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify(body),
    }),
  });
  if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
  return response.json();
}

export const test = base.extend<Fixtures & { mode: Mode }, object>({
  mode: ['js', { option: true }],

  address: async ({ browserName: _browser }, use) => use(randomAddress()),

  context: async ({ context, address }, use) => {
    // Set here, because a context that is created with headers of its own is not used again.
    await context.setExtraHTTPHeaders(headersOf(address));
    await use(context);
  },

  page: async ({ page, mode }, use) => {
    const complaints = complaintsOf(page);
    if (mode === 'slow') await holdScripts(page);
    await use(page);
    await page.unrouteAll({ behavior: 'ignoreErrors' });
    expect(complaints).toEqual([]);
  },

  ready: async ({ page, mode }, use) => {
    await use(async () => {
      if (mode === 'js') await expect(page.locator('html[data-ready]')).toBeAttached();
      // The first frame after that takes the focus away from a control if the URL has a fragment.
      else await page.waitForLoadState('domcontentloaded');
    });
  },

  open: async ({ page, ready }, use) => {
    await use(async (path) => {
      const response = await page.goto(path, { waitUntil: 'domcontentloaded' });
      await ready();
      return response?.status() ?? 0;
    });
  },

  back: async ({ page, ready }, use) => {
    await use(async (path) => {
      // Wait for the commit first: late scripts of the old page rewrite its entry, ending the URL wait early.
      await page.goBack({ waitUntil: 'commit' });
      await page.waitForURL(path, { waitUntil: 'domcontentloaded' });
      await ready();
    });
  },

  factories: async ({ browserName: _browser }, use) => {
    await use({
      account: (options = {}) => factory('/account', options),
      zone: ({ id }, timeZone) => factory('/zone', { accountId: id, timeZone }),
      code: (account, fields = {}) => factory('/code', { accountId: account.id, ...fields }),
      manyCodes: ({ id }, count) => factory('/many-codes', { accountId: id, count }),
      codesOf: (account) => factory(`/codes/${account.id}`),
      visit: ({ id }, hoursAgo) => factory('/visit', { codeId: id, hoursAgo }),
      failing: (content) => factory('/failing', { content }),
      counted: () => factory('/counted'),
      visitsOf: (codeId) => factory(`/visits/${codeId}`),
      bought: (options) => factory('/bought', options),
      mailsTo: (email) => factory(`/mails/${encodeURIComponent(email)}`),
      waiting: (email) => factory('/waiting', { email }),
      signInWays: ({ id, email }) => factory('/sign-in-ways', { accountId: id, email }),
      endLinks: (email) => factory('/end-links', { email }),
      endSessions: (account) => factory('/end-sessions', { accountId: account.id }),
      endAccess: (account) => factory('/end-access', { accountId: account.id }),
    });
  },

  signIn: async ({ page, mode, factories }, use) => {
    await use(async (options) => {
      const account = await factories.account(options);
      if (mode === 'js') {
        // As after an earlier visit: the first page of an account stores its zone and reloads its data.
        await factories.zone(account, new Intl.DateTimeFormat().resolvedOptions().timeZone);
      }
      await signInTo(page.request, account);
      return account;
    });
  },
});

/**
 * Forgets the time zone of an account, so that the next page stores it and reloads its data. Leaves the current page
 * first, which may still be about to store it.
 */
export async function forgetZone(page: Page, factories: Factories, account: { id: string }): Promise<void> {
  await page.goto('about:blank');
  await factories.zone(account, null);
}

/** Collects the errors that scripts of a page throw or log. */
export function complaintsOf(page: Page): string[] {
  const complaints: string[] = [];
  page.on('pageerror', (error) => complaints.push(String(error)));
  page.on('console', (message) => {
    // A refused form is deliberately a 4xx document, which Chromium always logs as an error.
    const isStatus = message.text().startsWith('Failed to load resource');
    // The router logs the response that a newer request supersedes; `app/entry.client.tsx` ignores these too.
    const isSuperseded = message.text().startsWith('AbortError: ');
    if (message.type() === 'error' && !isStatus && !isSuperseded) complaints.push(message.text());
  });
  return complaints;
}

/** Blocks scripts until the next document request, so that forms are posted before any script runs. */
async function holdScripts(page: Page): Promise<void> {
  const held = new Set<() => void>();
  page.on('request', (request) => {
    if (!request.isNavigationRequest() || request.frame() !== page.mainFrame()) return;
    for (const release of held) release();
    held.clear();
  });
  await page.route(
    (url) => url.pathname.startsWith('/assets/') && url.pathname.endsWith('.js'),
    async (route) => {
      await new Promise<void>((release) => held.add(release));
      // The page that requested the script may be gone by now.
      await route.continue().catch(() => undefined);
    },
  );
}

/** A random client IP address, so that tests do not share a rate limit. */
export function visitorHeaders(): Record<string, string> {
  return headersOf(randomAddress());
}

function headersOf(address: string): Record<string, string> {
  return { 'X-Forwarded-For': address };
}

/** Request headers of a phone that scans a code; a headless browser's own would be classified as a bot. */
export const PHONE = {
  'User-Agent':
    'Mozilla/5.0 (iPhone; CPU iPhone OS 18_1 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.1 Mobile/15E148 Safari/604.1',
  Cookie: '',
};

/** Chooses the type of the code by clicking its tile, as a user would. */
export async function chooseType(page: Page, name: string): Promise<void> {
  await page
    .getByRole('group', { name: 'What should it open?' })
    .locator('label')
    .filter({ hasText: name })
    .click();
}

export { expect };
