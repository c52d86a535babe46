import type { HostedType } from './hosted-type';
import { listTextLinks, listUrls } from './text-links';

export const text: HostedType = {
  landing: ({ content, blockedLinks }) => ({
    kind: 'text',
    text: content,
    links: listTextLinks(content, blockedLinks),
  }),
  follow({ content, blockedLinks }, _act, n) {
    const address = listTextLinks(content, blockedLinks)[n - 1];
    return address === undefined ? null : new URL(address).href;
  },
  urls: listUrls,
  links: listTextLinks,
  words: { gb: 'text', fr: 'texte', es: 'texto', de: 'text freitext', it: 'testo' },
  accepts: (cell) => cell !== '',
};
