export type WifiSecurity = 'WPA' | 'WEP' | 'nopass';

export interface WifiNetwork {
  ssid: string;
  passphrase: string;
  security: WifiSecurity;
  hidden: boolean;
}

/**
 * The de-facto `WIFI:` string that phones read: backslash before `\ ; , " :`, `WPA` for WPA to WPA3, no
 * password field for an open network. Hex-looking passwords stay unquoted: iOS takes quotes literally.
 */
export function composeWifi({ ssid, passphrase, security, hidden }: WifiNetwork): string {
  const escaped = (value: string) => value.replace(/[\\;,":]/g, '\\$&');
  const password = security === 'nopass' ? '' : `P:${escaped(passphrase)};`;
  return `WIFI:T:${security};S:${escaped(ssid)};${password}${hidden ? 'H:true;' : ''};`;
}

/** Words for each kind of security, in capitals and without separators: `WPA2PSK`, `WPAWPA2`, `SAE`. */
const SECURITY_WORDS: [words: RegExp, kind: WifiSecurity | 'enterprise'][] = [
  [/EAP|ENTERPRISE|8021X/, 'enterprise'],
  [/^(?:NO(?:PASS(?:WORD|PHRASE)?|NE)?|OPEN|OWE)$/, 'nopass'],
  [/^(?:WEP(?:40|64|104|128)?|SHARED)+$/, 'WEP'],
  [/^(?:WPA[123]?|RSN|SAE|PSK|PERSONAL|AES|TKIP|CCMP|MIXED|TRANSITION|MODE)+$/, 'WPA'],
];

/** The kind of security that a word stands for, such as `WPA2-PSK`; null for one that we do not know. */
function readSecurity(word: string): WifiSecurity | 'enterprise' | null {
  const plain = word.toUpperCase().replace(/[^A-Z\d]/g, '');
  return SECURITY_WORDS.find(([words]) => words.test(plain))?.[1] ?? null;
}

/** The fields of a `WIFI:` string by their letters, in any order; null if it is malformed. */
function readFields(text: string): Map<string, string> | null {
  const [, record] = /^WIFI:((?:\s*[A-Z]+\d?:(?:\\.|[^\\;])*(?:;|$))+)[;\s]*$/is.exec(text.trim()) ?? [];
  if (record === undefined) return null;
  return new Map(
    [...record.matchAll(/\s*([A-Z]+\d?):((?:\\.|[^\\;])*)(?:;|$)/gis)].map(([, name = '', value = '']) => [
      name.toUpperCase(),
      unquoted(value),
    ]),
  );
}

/** Some readers need quotes around what could be hexadecimal digits; a quote that belongs to a value is escaped. */
function unquoted(value: string): string {
  return value.replace(/^"((?:\\.|[^\\])*)"$/s, '$1').replace(/\\(.)/gs, '$1');
}

function kindOf(fields: Map<string, string>): WifiSecurity | 'enterprise' | null {
  // The method of a network with user names.
  if (fields.has('E')) return 'enterprise';
  return readSecurity(fields.get('T') || (fields.get('P') ? 'WPA' : 'nopass'));
}

/** Reads a `WIFI:` string; null when it is malformed or of a kind that codes cannot have. */
export function parseWifi(text: string): WifiNetwork | null {
  const fields = readFields(text);
  const security = fields && kindOf(fields);
  const ssid = fields?.get('S');
  if (!fields || ssid === undefined || !security || security === 'enterprise') return null;
  const hidden = /^(?:true|yes|y|1)$/i.test(fields.get('H') ?? '');
  return { ssid, passphrase: fields.get('P') ?? '', security, hidden };
}

/** Whether a `WIFI:` string is of a network that also asks for a user name. */
export function isEnterpriseWifi(text: string): boolean {
  const fields = readFields(text);
  return fields !== null && kindOf(fields) === 'enterprise';
}

// Wi-Fi Alliance and IEEE 802.11: a passphrase of 8 to 63 printable ASCII characters, or the key in hex.
export const PASSPHRASES = {
  WPA: /^(?:[\x20-\x7e]{8,63}|[\da-f]{64})$/i,
  WEP: /^(?:[\x20-\x7e]{5}|[\x20-\x7e]{13}|[\da-f]{10}|[\da-f]{26})$/i,
  nopass: /^$/,
};

/** Whether phones read back what was typed. */
export function isReadBack(network: WifiNetwork): boolean {
  const found = parseWifi(composeWifi(network));
  const isSame =
    found?.ssid === network.ssid &&
    found.passphrase === network.passphrase &&
    found.security === network.security &&
    found.hidden === network.hidden;
  return isSame && !/[\p{Cc}\p{Surrogate}]/u.test(network.ssid + network.passphrase);
}
