import type { AppParts } from '#contract/contents/app';
import { readParts } from '#contract/contents/parts';
import type { HostedType, VisitedCode } from './hosted-type';
import { hostedParts, openable } from './parts';

const STORES = ['appStore', 'googlePlay', 'otherAddress'] as const;

export const app: HostedType = {
  ...hostedParts('app', [...STORES]),
  landing: (code) => ({ kind: 'app', stores: storesOf(code) }),
  redirect(code, os) {
    const stores = storesOf(code);
    const own = os === 'ios' ? 'appStore' : os === 'android' ? 'googlePlay' : null;
    const found =
      stores.find(({ store }) => store === own) ?? stores.find(({ store }) => store === 'otherAddress');
    return found?.address ?? null;
  },
  words: {
    gb: 'app application apps',
    fr: 'app appli application',
    es: 'app aplicación',
    de: 'app anwendung',
    it: 'app applicazione',
  },
  headers: {
    appStore: `app store, ios, apple, iphone, ios url, ios link, address in the app store,
      adresse dans l’app store, dirección en el app store, adresse im app store,
      indirizzo nell’app store`,
    googlePlay: `google play, android, play store, android url, android link, address in google play,
      adresse dans google play, dirección en google play, adresse bei google play,
      indirizzo su google play`,
    otherAddress: `other address, other devices, fallback url, fallback, autres appareils, otros dispositivos,
      andere geräte, altri dispositivi, address for everybody else,
      adresse pour les autres appareils, dirección para los demás, adresse für alle anderen,
      indirizzo per tutti gli altri`,
  },
};

/** What is left of its addresses. */
function storesOf({ content, blockedLinks }: VisitedCode) {
  const parts = readParts<AppParts>(content);
  return STORES.flatMap((store) => {
    const address = openable(parts[store], blockedLinks);
    return address ? { store, address } : [];
  });
}
