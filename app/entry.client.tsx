import { RemixBrowser } from '@remix-run/react';
import i18next from 'i18next';
import { StrictMode, startTransition } from 'react';
import { hydrateRoot } from 'react-dom/client';
import { I18nextProvider } from 'react-i18next';
import { LOCALES } from '#contract/locales';
import { fetchPageMessages, startI18n } from '~/i18n/page-messages';
import { handleBackBeforeRouter } from '~/ui/back-closes';
import { retryFailedLoads } from '~/ui/background-refresh';

async function hydrate(): Promise<void> {
  // This entry shares a chunk with route modules, so it may run before the page's inline script has set its
  // routes. Waiting for the texts first delays hydration until then.
  const { locale, messages } = await fetchPageMessages();
  const { tag } = LOCALES[locale];
  startI18n(i18next, tag, { resources: { [tag]: messages } });

  // Browser extensions add elements next to head and body, over which React 18 would discard the document.
  for (const added of document.querySelectorAll('html > :not(head, body)')) added.remove();

  // Before the router is created, which reads the location and listens to history events.
  escapeInvalidFragments();
  handleBackBeforeRouter();
  ignoreAbortedResponses();
  retryFailedLoads();
  await decodePageData();
  startTransition(() => {
    hydrateRoot(
      document,
      <I18nextProvider i18n={i18next}>
        <StrictMode>
          <RemixBrowser />
        </StrictMode>
      </I18nextProvider>,
    );
  });
}

hydrate().catch((error: unknown) => {
  // The page still works as served, without scripts.
  console.warn(error);
});

/**
 * `RemixBrowser` suspends until the page's data is decoded, outside any Suspense boundary. A key press or click at that
 * moment would make React 18 render at once, fail (error 345) and never hydrate the page. Called here, it starts the
 * decoding and throws its promise, before any hook; an error of the decoding is thrown again when it renders.
 */
async function decodePageData(): Promise<void> {
  try {
    RemixBrowser({});
  } catch (decoding) {
    await decoding;
  }
}

/**
 * The router decodes the URL fragment and would fail the whole page on an invalid escape such as `#100%`.
 * Encodes such a fragment, now and whenever it changes.
 */
function escapeInvalidFragments(): void {
  const escapeFragment = () => {
    const { pathname, search, hash } = location;
    try {
      decodeURIComponent(hash);
    } catch {
      history.replaceState(history.state, '', `${pathname}${search}#${encodeURIComponent(hash.slice(1))}`);
    }
  };
  escapeFragment();
  addEventListener('popstate', escapeFragment);
}

/**
 * The router aborts the response to a navigation that another one supersedes. Its decoder (turbo-stream 2.4)
 * leaves the rejection unhandled, and the browser would report each one as an error of the page.
 */
function ignoreAbortedResponses(): void {
  addEventListener('unhandledrejection', (event) => {
    const { reason } = event;
    if (reason instanceof DOMException && reason.name === 'AbortError') event.preventDefault();
  });
}
