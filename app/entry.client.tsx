import { RemixBrowser } from '@remix-run/react';
import i18next from 'i18next';
import { StrictMode, startTransition } from 'react';
import { hydrateRoot } from 'react-dom/client';
import { I18nextProvider } from 'react-i18next';
import { LOCALES } from '~/i18n/locales';
import { i18nOptions } from '~/i18n/options';
import { fetchPageMessages } from '~/i18n/page-messages';
import { outlastFailedLoads } from '~/ui/background-refresh';

async function hydrate(): Promise<void> {
  // Shares a file with parts of pages, so it may start before the page has named its routes; not before these are here.
  const { locale, messages } = await fetchPageMessages();
  const { tag } = LOCALES[locale];
  i18next.init({ ...i18nOptions(tag), resources: { [tag]: messages } });

  // Extensions put elements beside head and body; React 18 would throw the whole page away over them.
  for (const stranger of document.querySelectorAll('html > :not(head, body)')) stranger.remove();

  // Before the router listens: it reads the address after this.
  mendFragments();
  expectSupersededAnswers();
  outlastFailedLoads();
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
  // The page goes on working as it was served, without scripts.
  console.warn(error);
});

/**
 * The router decodes what stands behind the # of an address, and a % that begins no sign would take the whole page
 * down. Here it is written out as one, on this address and on all that follow within the page.
 */
function mendFragments(): void {
  const mend = () => {
    const { pathname, search, hash } = location;
    try {
      decodeURIComponent(hash);
    } catch {
      history.replaceState(history.state, '', `${pathname}${search}#${encodeURIComponent(hash.slice(1))}`);
    }
  };
  mend();
  addEventListener('popstate', mend);
}

/**
 * The router aborts the answer of a navigation that another one has replaced. Its decoder (turbo-stream 2.4) leaves
 * nobody to hear how the rest of such an answer ends, and the browser would report every one as an error of the page.
 */
function expectSupersededAnswers(): void {
  addEventListener('unhandledrejection', (event) => {
    const { reason } = event;
    if (reason instanceof DOMException && reason.name === 'AbortError') event.preventDefault();
  });
}
