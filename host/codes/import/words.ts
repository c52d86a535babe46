import type { CodeType } from '#contract/contents';
import { foldLabel } from '#contract/labels';
import type { Locale } from '#contract/locales';
import type { WifiSecurity } from '#contract/wifi';

/** Words of each language, separated by spaces; also those that spreadsheets and other services write in it. */
type Words = Record<Locale, string>;

/** More than any phrase of the words below. */
const PHRASE_UNITS = 60;

/**
 * Reads cells of a column that holds words: all meanings found in one, none if any of its words is unknown, and null
 * if it is blank. `fillers` may stand beside words with a meaning.
 */
function phraseReader<Meaning extends string>(
  meanings: Record<Meaning, Words>,
  fillers: string,
): (cell: string) => ReadonlySet<Meaning> | null {
  const known = new Map<string, Meaning | null>();
  for (const word of wordsOf(fillers)) known.set(word, null);
  for (const meaning of Object.keys(meanings) as Meaning[])
    for (const word of wordsOf(Object.values<string>(meanings[meaning]).join(' '))) known.set(word, meaning);
  return (cell) => {
    if (/^[\s\u2010-\u2015-]*$/.test(cell)) return null;
    const words = cell.length > PHRASE_UNITS ? [] : wordsOf(cell);
    const found = new Set<Meaning>();
    for (const word of words) {
      const meaning = known.get(word);
      if (meaning === undefined) return new Set();
      if (meaning !== null) found.add(meaning);
    }
    return found;
  };
}

/** Letters, numbers and symbols such as ✓; punctuation separates them. */
function wordsOf(text: string): string[] {
  return foldLabel(text).match(/\p{L}+|\p{N}+|[^\s\p{P}\p{L}\p{N}]/gu) ?? [];
}

/** The one meaning of a cell, null if it is blank, or undefined if it is unknown or says two things. */
function wordReader<Meaning extends string>(
  meanings: Record<Meaning, Words>,
  fillers = '',
): (cell: string) => Meaning | null | undefined {
  const read = phraseReader(meanings, fillers);
  return (cell) => {
    const found = read(cell);
    return found && (found.size === 1 ? [...found][0] : undefined);
  };
}

const TYPE_FILLERS = `qr code codes e adresse address direccion dirección indirizzo electronico electrónico
  électronique elettronica plain einfacher simple semplice dynamic static dynamique statique dinámico estático
  dynamisch dynamischer statisch statischer dinamico statico network reseau réseau red netz netzwerk rete`;

export const readType = wordReader<CodeType>(
  {
    link: {
      gb: 'link links url urls website web site page webpage weblink hyperlink homepage redirect',
      fr: 'lien liens site web internet page redirection',
      es: 'enlace enlaces vínculo sitio web página',
      de: 'link webadresse webseite website internetadresse internetseite seite homepage weiterleitung',
      it: 'link collegamento sito web pagina',
    },
    text: { gb: 'text', fr: 'texte', es: 'texto', de: 'text freitext', it: 'testo' },
    email: {
      gb: 'email mail mailto',
      fr: 'courriel mél mail',
      es: 'correo email',
      de: 'mail email mailadresse',
      it: 'posta email',
    },
    wifi: { gb: 'wifi wi fi wireless', fr: 'wifi', es: 'wifi', de: 'wlan wifi funknetz', it: 'wifi' },
  },
  TYPE_FILLERS,
);

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

const readYesOrNo = wordReader<'yes' | 'no'>({
  yes: {
    gb: 'yes y true t 1 x on enabled hidden ✓ ✔ ☑',
    fr: 'oui o vrai v activé activée masqué masquée caché',
    es: 'sí s verdadero verdadera v oculta oculto activado',
    de: 'ja j wahr w ein an aktiviert versteckt verborgen unsichtbar',
    it: 'sì s vero v nascosta nascosto attivo attivato',
  },
  no: {
    gb: 'no n false f 0 off disabled visible ☐',
    fr: 'non n faux f désactivé désactivée visible',
    es: 'no n falso falsa f visible desactivado',
    de: 'nein n falsch f aus deaktiviert sichtbar',
    it: 'no n falso f visibile disattivato',
  },
});

/** Null if the cell is blank, undefined if it is neither. */
export function readFlag(cell: string): boolean | null | undefined {
  const word = readYesOrNo(cell);
  return word && word === 'yes';
}

const SECURITY_FILLERS = `1 2 3 40 64 104 128 256 bit bits + | x ieee personal personnel personnelle personale
  persönlich aes tkip ccmp pre shared key mixed mixte mixto gemischt misto mode modus modo transition only or and ou et
  oder und o y e security sécurité seguridad sicherheit sicurezza encryption chiffrement cifrado verschlüsselung
  crittografia cifratura protection protección schutz protezione password passwort kennwort passphrase mot de passe
  contraseña clave clé schlüssel chiave secured securise sécurisé sécurisée segura protegida gesichert verschlüsselt
  protetta protetto protegido protégé network réseau red netz netzwerk rete wlan wifi wi fi old devices anciens
  appareils dispositivos antiguos alte geräte vecchi dispositivi`;

const readSecurities = phraseReader<WifiSecurity | 'enterprise'>(
  {
    WPA: { gb: 'wpa wpapsk psk sae', fr: 'wpa', es: 'wpa', de: 'wpa', it: 'wpa' },
    WEP: { gb: 'wep', fr: 'wep', es: 'wep', de: 'wep', it: 'wep' },
    nopass: {
      gb: 'none no nopass open without unsecured unprotected unencrypted',
      fr: 'aucun aucune sans non ouvert ouverte libre',
      es: 'ninguno ninguna sin no abierto abierta libre',
      de: 'kein keine keiner keines ohne offen offene offener offenes frei ungesichert unverschlüsselt',
      it: 'nessuno nessuna senza no non aperto aperta libero libera',
    },
    enterprise: {
      gb: 'enterprise eap peap ttls radius 802 corporate',
      fr: 'entreprise entreprises',
      es: 'empresa empresas empresarial',
      de: 'unternehmen firmen',
      it: 'azienda aziende aziendale',
    },
  },
  SECURITY_FILLERS,
);

/** Null if the cell is blank, undefined if it is unknown. */
export function readSecurity(cell: string): WifiSecurity | 'enterprise' | null | undefined {
  const found = readSecurities(cell);
  if (found?.has('enterprise')) return 'enterprise';
  return found && (found.size === 1 ? [...found][0] : undefined);
}
