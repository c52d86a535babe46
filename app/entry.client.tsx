import { RemixBrowser } from '@remix-run/react';
import i18next from 'i18next';
import { StrictMode, startTransition } from 'react';
import { hydrateRoot } from 'react-dom/client';
import { I18nextProvider } from 'react-i18next';
import { LOCALES } from '~/i18n/locales';
import { i18nOptions } from '~/i18n/options';
import { fetchPageMessages } from '~/i18n/page-messages';
import { mendFragments } from '~/ui/fragment';
import { expectSupersededAnswers } from '~/ui/superseded';

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
