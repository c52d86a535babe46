import type { ImportField } from '#contract/imports';
import type { Locale } from '#contract/locales';

type Row = Partial<Record<ImportField, string>>;

/** Rows of the file to fill in, one for each type that shows something new. */
export const IMPORT_EXAMPLES: Record<Locale, Row[]> = {
  gb: exampleRows('Table 12, terrace', 'menu, terrace', 'Guests', 'Welcome to our network', 'Reservations'),
  fr: exampleRows(
    'Table 12, terrasse',
    'carte, terrasse',
    'Invités',
    'Bienvenue sur notre réseau',
    'Réservations',
  ),
  es: exampleRows('Mesa 12, terraza', 'carta, terraza', 'Invitados', 'Bienvenido a nuestra red', 'Reservas'),
  de: exampleRows(
    'Tisch 12, Terrasse',
    'Speisekarte, Terrasse',
    'Gäste',
    'Willkommen in unserem Netz',
    'Reservierung',
  ),
  it: exampleRows(
    'Tavolo 12, terrazza',
    'menu, terrazza',
    'Ospiti',
    'Benvenuti nella nostra rete',
    'Prenotazioni',
  ),
};

function exampleRows(name: string, tags: string, ssid: string, text: string, tel: string): Row[] {
  return [
    { name, type: 'link', content: 'https://example.com/menu', tags, visibility: 'public' },
    { name: text, type: 'text', content: text },
    { name: tel, type: 'phone', content: '+33 1 23 45 67 89' },
    { name: ssid, type: 'wifi', ssid, passphrase: 'welcome-2026', security: 'WPA' },
  ];
}
