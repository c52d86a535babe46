import { isEnterpriseWifi, parseWifi, type WifiSecurity } from '#contract/contents/wifi-string';
import type { ImportField } from '#contract/imports';
import { phraseReader, wordReader } from '#host/codes/import/word-reader';
import type { HostedType } from './hosted-type';

const WIFI_TEXT = /^wifi:/i;

export const wifi: HostedType = {
  words: { gb: 'wifi wi fi wireless', fr: 'wifi', es: 'wifi', de: 'wlan wifi funknetz', it: 'wifi' },
  headers: {
    ssid: `ssid, network, network name, network ssid, wifi name, wifi ssid, wifi network, wlan name, réseau,
    nom du réseau, nom du wifi, red, nombre de la red, nombre del wifi, netzwerk, netzwerkname, netz, wlan, rete,
    nome della rete, nome rete, nome del wifi`,
    passphrase: `passphrase, password, network password, password of the network, wifi password, wifi key,
    network key, passcode, mot de passe, mot de passe du réseau, mot de passe wifi, clé, clé wifi, contraseña,
    contraseña de la red, contraseña wifi, clave, clave wifi, passwort, passwort des netzwerks, wlan passwort,
    netzwerkpasswort, kennwort, wlan kennwort, schlüssel, netzwerkschlüssel, wlan schlüssel, password della rete,
    password wifi, chiave, chiave di rete`,
    security: `security, security type, wifi security, network security, encryption, encryption type, authentication,
    sécurité, type de sécurité, chiffrement, seguridad, tipo de seguridad, cifrado, sicherheit, sicherheitstyp,
    verschlüsselung, sicurezza, tipo di sicurezza, crittografia, cifratura`,
    hidden: `hidden, hidden network, hidden ssid, is hidden, masqué, masquée, réseau masqué, caché, oculta, oculto,
    red oculta, versteckt, verstecktes netzwerk, verborgen, verstecktes netz, nascosta, nascosto, rete nascosta`,
  },
  recognises: isNetwork,
  accepts: (cell) => cell === '' || isNetwork(cell),
  isMeant: (content, cellOf) => (content === '' && cellOf('ssid').trim() !== '') || WIFI_TEXT.test(content),
  isStored: (cell) => WIFI_TEXT.test(cell),
  readCells(cellOf) {
    const [security, hidden] = [readSecurity(cellOf('security')), readFlag(cellOf('hidden'))];
    const refused: Partial<Record<ImportField, string>> = {};
    if (security === undefined) refused.security = 'security_invalid';
    if (security === 'enterprise') refused.security = 'security_enterprise';
    if (hidden === undefined) refused.hidden = 'hidden_invalid';
    return {
      fields: {
        ssid: cellOf('ssid'),
        passphrase: cellOf('passphrase'),
        security: security === 'enterprise' ? 'WPA' : (security ?? 'WPA'),
        hidden: hidden ?? false,
      },
      refused,
    };
  },
};

/** A `WIFI:` string, also of a network that codes cannot have, which is refused with its reason. */
function isNetwork(cell: string): boolean {
  return parseWifi(cell) !== null || isEnterpriseWifi(cell);
}

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
