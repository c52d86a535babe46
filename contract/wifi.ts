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

/** Reads a `WIFI:` string with its fields in any order; null when it is malformed or of an unknown kind. */
export function parseWifi(text: string): WifiNetwork | null {
  const record = /^WIFI:((?:[A-Z]\d?:(?:\\.|[^\\;])*;)+);$/is.exec(text)?.[1];
  if (record === undefined) return null;
  const values = new Map<string, string>();
  for (const [, name = '', value = ''] of record.matchAll(/([A-Z]\d?):((?:\\.|[^\\;])*);/gis)) {
    values.set(name.toUpperCase(), value.replace(/\\(.)/gs, '$1'));
  }
  const ssid = values.get('S');
  const passphrase = values.get('P') ?? '';
  const kind = (values.get('T') ?? (passphrase === '' ? 'nopass' : 'WPA')).toUpperCase();
  const security = kind === 'NOPASS' || kind === '' ? 'nopass' : kind;
  if (ssid === undefined || (security !== 'nopass' && security !== 'WPA' && security !== 'WEP')) return null;
  return { ssid, passphrase, security, hidden: values.get('H')?.toLowerCase() === 'true' };
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
