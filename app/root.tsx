import { readClaims } from '#runtime/session-cookies';
import './styles.css';
import { data, type LoaderFunctionArgs } from '@remix-run/node';
import {
  isRouteErrorResponse,
  Links,
  Meta,
  Outlet,
  Scripts,
  ScrollRestoration,
  useLoaderData,
  useLocation,
  useMatches,
  useRouteError,
  useRouteLoaderData,
} from '@remix-run/react';
import { useEffect, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { getProfile } from '#contract/accounts';
import { LOCALES } from '#contract/locales';
import { choiceCookie } from '~/http/cookies.server';
import { env } from '~/http/env.server';
import { clearedNoticeCookie, makeNotice, readNotices } from '~/http/flash.server';
import { endSession } from '~/http/guards.server';
import { callHost } from '~/http/host.server';
import { readInterruptedPost } from '~/http/interrupted-post.server';
import { useNonce } from '~/http/nonce';
import { isSignedIn, readScope, type UserScope } from '~/http/scope.server';
import { messagesOf, navigationNamespaces } from '~/i18n/messages.server';
import { PageMessagesLink, useArrivedMessages, usePageLocale } from '~/i18n/page-messages';
import { NATIVE_SUBMIT_RECORDER, nativeSubmitMsLeft, useBackgroundRefresh } from '~/ui/background-refresh';
import { useBeforePaint } from '~/ui/before-paint';
import { ErrorPage } from '~/ui/error-page';
import type { FormHandle } from '~/ui/language-switch';
import { ActionDataScope } from '~/ui/page-action-data';
import { PageFrame } from '~/ui/page-frame';
import { type PageHandle, PageHead } from '~/ui/page-head';
import { forgetFields } from '~/ui/restored-fields';
import { SendAgain } from '~/ui/send-again';
import { CreateDialog } from './codes/create/dialog';
import { Consent } from './site/consent/consent';
import { analyticsData, findBanner } from './site/consent/consent.server';

/** This page redirects after a second, so notices are kept for the page it redirects to. */
const SIGNED_OUT_PATH = '/user/signed-out';
/**
 * Browsers that block cookies throw on every access to `sessionStorage`, which the router does not expect.
 * Replaces it there with one that stores nothing. No quotes and no angle brackets: React would escape them.
 */
const STORAGE_FALLBACK =
  'try{sessionStorage}catch{Object.defineProperty(self,`sessionStorage`,{value:{getItem(){return null},setItem(){},removeItem(){}}})}';
const CHOOSE_AGAIN = { type: 'warning', key: 'choose_file_again', persistent: true } as const;

export async function loader(args: LoaderFunctionArgs) {
  const scope = await readScope(args);
  const { locale, request, session, url, user } = scope;
  if (session !== null && !user && args.request.method === 'GET') throw await endSession(scope);
  const notices = await readNotices(request);
  const isPrefetch = /prefetch/.test(
    request.headers.get('sec-purpose') ?? request.headers.get('purpose') ?? '',
  );
  const unsent = isSignedIn(scope) ? await readInterruptedPost(scope) : null;
  const { switched, lostFile } = scope;
  if (switched && lostFile) notices.push(makeNotice(CHOOSE_AGAIN));
  const hasFailed = (await scope.failed) ?? false;
  const headers = new Headers();
  if (switched?.locale) headers.append('Set-Cookie', choiceCookie('lng', switched.locale));
  if (switched?.theme) headers.append('Set-Cookie', choiceCookie('theme', switched.theme));
  const isSignedOutPage = url.pathname === SIGNED_OUT_PATH;
  if (notices.length > 0 && !isPrefetch && !isSignedOutPage)
    headers.append('Set-Cookie', await clearedNoticeCookie());
  return data(
    {
      locale,
      theme: switched?.theme ?? scope.theme,
      user: isSignedIn(scope) ? await userFacts(scope) : null,
      notices: isSignedOutPage ? [] : notices,
      unsent,
      banner: findBanner(scope),
      ...analyticsData,
      appName: env.APP_NAME,
      publicUrl: env.PUBLIC_URL,
      hasFailed,
      refusedForm: (hasFailed && scope.formId) || undefined,
      // A document links to a file with its texts; a client-side navigation gets them with its data.
      messages: scope.isDataRequest ? messagesOf(locale, navigationNamespaces(url.pathname)) : null,
    },
    { headers },
  );
}

/**
 * Name of the signed-in user in the navbar, the first name, else the local part of the e-mail address; and the zone in
 * which times are shown, which is still to be guessed if the account has none.
 */
async function userFacts(scope: UserScope) {
  const { locale, user } = scope;
  const id = readClaims(user.token)?.sub;
  const short = user.email.split('@')[0] ?? user.email;
  try {
    const { data } = await callHost(scope, getProfile);
    const { firstName, timeZone } = data;
    return {
      id,
      label: firstName || short,
      timeZone: timeZone ?? LOCALES[locale].zone,
      lacksZone: timeZone === null,
    };
  } catch (thrown) {
    // A page must not fail for want of a name in its navbar, but the redirect of an expired session is kept.
    if (thrown instanceof Response) throw thrown;
    return { id, label: short, timeZone: LOCALES[locale].zone, lacksZone: false };
  }
}

export { shouldRevalidate } from '~/ui/form-route';

export function Layout({ children }: { children: React.ReactNode }) {
  const root = useRouteLoaderData<typeof loader>('root');
  const nonce = useNonce();
  const { pathname, search } = useLocation();
  const error = useRouteError();
  const status = error ? (isRouteErrorResponse(error) ? error.status : 500) : 200;
  const match = useMatches().at(-1);
  const handle = match?.handle as PageHandle | undefined;
  const pageLocale = usePageLocale();
  const locale = root?.locale ?? pageLocale;
  useEffect(() => {
    // Tells the browser tests that the page is hydrated.
    document.documentElement.dataset.ready = '';
  }, []);
  return (
    <html lang={LOCALES[locale].html} data-theme={root?.theme ?? 'system'}>
      <head>
        <meta charSet="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <PageHead
          page={status === 200 ? handle?.page : undefined}
          reloads={status === 200 && handle?.reloads?.(match?.data)}
          leadsTo={status === 200 ? handle?.leadsTo?.(match?.data) : null}
          data={match?.data}
          status={status}
          pathname={pathname}
          search={search}
          site={root}
        />
        <PageMessagesLink />
        <Meta />
        <Links />
      </head>
      <body>
        {children}
        <EarlyScript nonce={nonce} />
        <ScrollRestoration nonce={nonce} />
        <Scripts nonce={nonce} />
      </body>
    </html>
  );
}

/** Runs before any file of scripts has arrived. */
function EarlyScript({ nonce }: { nonce: string | undefined }) {
  return (
    <script nonce={nonce} suppressHydrationWarning>
      {`${STORAGE_FALLBACK};${NATIVE_SUBMIT_RECORDER}`}
    </script>
  );
}

export default function App() {
  const root = useLoaderData<typeof loader>();
  const { user, locale, theme, notices, unsent, appName, messages } = root;
  const { tag } = LOCALES[locale];
  useArrivedMessages(tag, messages);
  useSwitchedLanguage(tag);
  useBrowserZone(user?.lacksZone ? (user.id ?? null) : null, useBackgroundRefresh());
  useForgetFieldsOnSignOut(user?.id);
  const { handle, data: page, params } = useMatches().at(-1) ?? {};
  const { form, rows } = (handle ?? {}) as FormHandle & Partial<PageHandle>;
  const usualForm = typeof form === 'function' ? form(page) : form;
  return (
    <PageFrame
      user={user}
      locale={locale}
      theme={theme}
      notices={notices}
      rows={rows?.(page)}
      appName={appName}
      form={usualForm === null ? null : (root.refusedForm ?? usualForm)}
      banner={<Consent banner={root.banner} analytics={root.analytics} />}
    >
      <ActionDataScope>
        {unsent && <SendAgain fields={unsent} isInterrupted />}
        {/* What was typed for one code does not go on to the next; an order goes on when its plan changes. */}
        <Outlet key={params?.id} />
        <CreateDialog tag={tag} />
      </ActionDataScope>
    </PageFrame>
  );
}

/** Forgets what was typed into forms when the user with this account id signs out. */
function useForgetFieldsOnSignOut(user: string | undefined): void {
  useEffect(() => (user === undefined ? undefined : () => forgetFields()), [user]);
}

/**
 * Stores the browser's time zone in an account that has none, which every device then uses. `accountId` is null when
 * there is nothing to store; `refresh` reloads the page's data.
 */
function useBrowserZone(accountId: string | null, refresh: () => void): void {
  const tried = useRef<string>();
  useEffect(() => {
    // Where a form is about to replace the page, the next page stores it.
    if (accountId === null || tried.current === accountId || nativeSubmitMsLeft() > 0) return;
    tried.current = accountId;
    storeZone().then(
      (isStored) => isStored && refresh(),
      // The connection is lost: the next page that is opened tries again.
      () => undefined,
    );
  }, [accountId, refresh]);
}

async function storeZone(): Promise<boolean> {
  const { timeZone } = new Intl.DateTimeFormat().resolvedOptions();
  if (!timeZone) return false;
  const body = new URLSearchParams({ timeZone });
  const { status } = await fetch('/user/time-zone', { method: 'POST', body });
  return status === 204;
}

/** Switches i18next to the language in which the page's data has arrived. */
function useSwitchedLanguage(tag: string): void {
  const { i18n } = useTranslation();
  useBeforePaint(() => {
    if (i18n.language !== tag) i18n.changeLanguage(tag);
  }, [i18n, tag]);
}

export function ErrorBoundary() {
  const root = useRouteLoaderData<typeof loader>('root');
  const error = useRouteError();
  const locale = usePageLocale();
  const isResponse = isRouteErrorResponse(error);
  return (
    <PageFrame
      user={root?.user ?? null}
      locale={root?.locale ?? locale}
      theme={root?.theme ?? 'system'}
      notices={root?.notices ?? []}
      appName={root?.appName}
      banner={<Consent banner={root?.banner} analytics={root?.analytics} />}
    >
      <ErrorPage status={isResponse ? error.status : 500} details={isResponse ? error.data : null} />
    </PageFrame>
  );
}
