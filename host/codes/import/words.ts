import type { CodeType } from '#contract/contents/contents';
import { HOSTED } from '#host/codes/contents/hosted-types';
import { type Words, wordReader } from './word-reader';

const TYPE_FILLERS = `qr code codes e adresse address direccion dirección indirizzo electronico electrónico
  électronique elettronica plain einfacher simple semplice dynamic static dynamique statique dinámico estático
  dynamisch dynamischer statisch statischer dinamico statico network reseau réseau red netz netzwerk rete`;

export const readType = wordReader<CodeType>(
  Object.fromEntries(Object.entries(HOSTED).map(([type, { words }]) => [type, words])) as Record<
    CodeType,
    Words
  >,
  TYPE_FILLERS,
);

export const readCounted = wordReader<'yes' | 'no'>({
  yes: {
    gb: 'yes y true 1 x on counted',
    fr: 'oui vrai compté',
    es: 'sí verdadero',
    de: 'ja wahr gezählt',
    it: 'vero',
  },
  no: {
    gb: 'no n false 0 off not uncounted',
    fr: 'non faux',
    es: 'falso',
    de: 'nein falsch',
    it: 'no falso',
  },
});

export const readVisibility = wordReader<'public' | 'private'>({
  private: {
    gb: 'private',
    fr: 'privé privée privés privées',
    es: 'privado privada',
    de: 'privat private',
    it: 'privato privata riservato riservata',
  },
  public: {
    gb: 'public',
    fr: 'public publique',
    es: 'público pública',
    de: 'öffentlich öffentliche',
    it: 'pubblico pubblica',
  },
});
