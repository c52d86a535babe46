import { createRemixStub } from '@remix-run/testing';
import i18next, { type i18n } from 'i18next';
import React, { createContext, type ReactElement, useContext } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import { I18nextProvider } from 'react-i18next';
import { vi } from 'vitest';
import { type Messages, startI18n } from '~/i18n/page-messages';

const texts = Object.entries(
  import.meta.glob<Messages[string]>('/locales/gb/*.json', { eager: true, import: 'default' }),
).map(([path, messages]) => [path.replace(/^.*\/|\.json$/g, ''), messages]);

const Shown = createContext<ReactElement | null>(null);
const Page = createRemixStub([{ path: '*', Component: ShownPage }]);

/** HTML of an element as the server renders it on a page with this path, in English. */
export function rendered(element: ReactElement, address = '/'): string {
  // The router stub uses layout effects, about which React warns on a server.
  vi.spyOn(React, 'useLayoutEffect').mockImplementation(React.useEffect);
  return renderToStaticMarkup(
    <I18nextProvider i18n={english()}>
      <Shown.Provider value={element}>
        <Page initialEntries={[address]} />
      </Shown.Provider>
    </I18nextProvider>,
  );
}

/** The first element with this name whose start tag contains the text; throws if there is none. */
export function tagWith(html: string, name: string, text: string): string {
  const tag = [...html.matchAll(new RegExp(`<${name}\\b[^>]*>`, 'g'))].find(([tag]) => tag.includes(text));
  if (!tag) throw new Error(`No <${name}> with ${text} in ${html}`);
  return tag[0];
}

function ShownPage() {
  return useContext(Shown);
}

function english(): i18n {
  const instance = i18next.createInstance();
  startI18n(instance, 'en-GB', { resources: { 'en-GB': Object.fromEntries(texts) } });
  return instance;
}
