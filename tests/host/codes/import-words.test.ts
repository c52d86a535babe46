import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { LOCALE_CODES } from '#contract/locales';
import { readFlag, readSecurity } from '#host/codes/contents/wifi';
import { readType, readVisibility } from '#host/codes/import/words';
import { rowsOf } from './read-import';

const WPA = `WPA|wpa2|WPA3|WPA-PSK|WPA2-PSK|WPA2PSK|WPA/WPA2-PSK|WPA2 Personal|WPA2-Personal|WPA-Personal|WPA/WPA2|
  WPA2/WPA3|WPA2/3|WPA2/WPA3-Personal|WPA3-SAE|SAE|WPA 2|WPA/WPA2/WPA3|WPA2 PSK (AES)|WPA2+WPA3|WPA2-PSK [AES]|
  WPA2 Personnel|WPA2 Persönlich|WPA2 Personale|WPA2/WPA3 Transition|WPA2-CCMP|WPA2 Pre-Shared Key|WPA ou WPA2`;
const WEP = 'WEP|WEP64|WEP-128|WEP 128 bit|wep (old devices)';
const NOPASS = `nopass|none|None|no|Open|open network|No password|unsecured|Aucun|Aucune|Aucune sécurité|Aucun mot de passe|
  Sans mot de passe|Ouvert|Réseau ouvert|Non sécurisé|Ninguno|Ninguna|Sin contraseña|Abierta|Red abierta|Ohne|
  ohne Passwort|Keine|Kein Passwort|offen|Offenes Netz|unverschlüsselt|Nessuno|Nessuna|Nessuna sicurezza|Aperta|
  Rete aperta|Senza password|Non protetta`;
const ENTERPRISE = `WPA2-Enterprise|WPA2/WPA3-Enterprise|WPA3 Entreprise|WPA2-EAP|802.1X|802.1x EAP|PEAP|EAP-TTLS|
  WPA2 Aziendale|WPA-Unternehmen|WPA2 Empresa`;
const YES = `TRUE|true|yes|Y|1|x|✓|on|WAHR|ja|J|VRAI|Oui|o|VERDADERO|Sí|si|s|VERO|Sì|versteckt|masqué|oculta|nascosta`;
const NO = `FALSE|false|no|N|0|off|FALSCH|nein|FAUX|Non|FALSO|visible|sichtbar|visibile`;
const wordsIn = (list: string) => list.split('|').map((word) => word.trim());

test.each([
  ['WPA', WPA],
  ['WEP', WEP],
  ['nopass', NOPASS],
  ['enterprise', ENTERPRISE],
] as const)('the security %s is read however routers and spreadsheets write it', (security, list) => {
  expect(wordsIn(list).filter((word) => readSecurity(word) !== security)).toEqual([]);
});

test.each([
  [true, YES],
  [false, NO],
])('a network is hidden (%s) in the words of five languages and their spreadsheets', (isHidden, list) => {
  expect(wordsIn(list).filter((word) => readFlag(word) !== isHidden)).toEqual([]);
});

test.each([
  [
    'link',
    'link|URL|Website URL|Dynamic URL|Lien|Site web|Enlace|Página web|Webadresse|Weblink|Collegamento|Sito web',
  ],
  ['text', 'text|Plain text|Texte|Texto|Freitext|Testo|Testo semplice'],
  [
    'email',
    'email|E-mail|e-mail address|Adresse e-mail|Courriel|Correo electrónico|E-Mail-Adresse|Posta elettronica',
  ],
  ['wifi', 'wifi|Wi-Fi|WI FI|WLAN|Réseau Wi-Fi|Red wifi|WLAN-Netz|Rete Wi-Fi'],
] as const)('the type %s is read in five languages', (type, list) => {
  expect(wordsIn(list).filter((word) => readType(word) !== type)).toEqual([]);
});

test.each([
  ['private', 'private|PRIVÉ|privée|Privado|privada|Privat|Privato|privata'],
  ['public', 'public|Publique|Público|pública|Öffentlich|Pubblico|pubblica'],
] as const)('the visibility %s is read in five languages', (visibility, list) => {
  expect(wordsIn(list).filter((word) => readVisibility(word) !== visibility)).toEqual([]);
});

test.each(LOCALE_CODES)('words may be written as the forms show them in %s', (locale) => {
  const { types, security } = JSON.parse(readFileSync(`locales/${locale}/design.json`, 'utf8'));
  const { visibility } = JSON.parse(readFileSync(`locales/${locale}/codes.json`, 'utf8'));
  for (const type of ['link', 'text', 'email', 'wifi']) expect(readType(types[type])).toBe(type);
  for (const one of ['WPA', 'WEP', 'nopass']) expect(readSecurity(security[one])).toBe(one);
  for (const one of ['public', 'private']) expect(readVisibility(visibility[one])).toBe(one);
});

test.each([
  ['type', readType, ['Bild', 'PDF', 'link text', '1', '?', 'x'.repeat(2_000)]],
  ['visibility', readVisibility, ['secret', 'maybe', 'public private', 'publiek', '✓', '?']],
  ['security', readSecurity, ['WPA9', 'WPA/WEP', 'open WPA2', '2', 'PSST', 'key', '?', 'wpa '.repeat(500)]],
  ['flag', readFlag, ['maybe', 'yes no', '2', 'nicht versteckt', '?', '!', '…']],
] as const)('an unknown %s and one that says two things are no guess', (_, read, cells) => {
  expect(cells.filter((cell) => read(cell) !== undefined)).toEqual([]);
  expect(['', '  ', '-', '–', ' — '].filter((cell) => read(cell) !== null)).toEqual([]);
});

test('an unknown word in any column of words is an error of its row', () => {
  expect(
    rowsOf([
      'type,content,visibility,ssid,passphrase,security,hidden',
      'Bild,https://a.example/,,,,,',
      ',https://a.example/,nur ich,,,,',
      'wifi,,,Café,password1,WPA9,',
      'wifi,,,Café,password1,WPA2-Enterprise,',
      'wifi,,,Café,,802.1X,',
      'wifi,,,Café,password1,WPA2,vielleicht',
      'wifi,,,Café,password1,WPA2,WAHR',
      'wifi,,,Café,password1,,-',
    ]),
  ).toEqual([
    [2, 'type', 'type_unavailable'],
    [3, 'visibility', 'visibility_invalid'],
    [4, 'security', 'security_invalid'],
    [5, 'security', 'security_enterprise'],
    [6, 'security', 'security_enterprise'],
    [7, 'hidden', 'hidden_invalid'],
    [8, null, 'WIFI:T:WPA;S:Café;P:password1;H:true;;'],
    [9, null, 'WIFI:T:WPA;S:Café;P:password1;;'],
  ]);
});
