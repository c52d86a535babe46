import { expect, test } from 'vitest';
import { LOCALE_CODES, type Locale } from '#contract/locales';
import { i18nOf } from '~/i18n/messages.server';
import { CATEGORIES, type FaqEntry, findEntries, isSearching, readSearch } from '~/site/faq-search';

/** This many results are too many to be helpful. */
const TOO_MANY = 13;

const ENTRIES: FaqEntry[] = [
  {
    slug: 'wifi-codes',
    category: 'qr_code',
    question: 'Was ist ein WLAN-Code?',
    answer: ['Größe egal.', 'Zweiter Absatz.'],
    words: 'drahtlos',
  },
  {
    slug: 'payment',
    category: 'general',
    question: 'Comment être remboursé ?',
    answer: ['Écrivez-nous.'],
    words: 'récupérer argent',
  },
];
const slugs = (query: string) => findEntries(ENTRIES, readSearch(query), 'fr').map(({ slug }) => slug);

function entriesOf(locale: Locale): FaqEntry[] {
  const texts = i18nOf(locale).t('faq:entries', { returnObjects: true }) as Record<
    string,
    Omit<FaqEntry, 'slug'>
  >;
  return Object.entries(texts).map(([slug, entry]) => ({ ...entry, slug }));
}

test.each([
  ['', ['wifi-codes', 'payment']],
  ['?category=general', ['payment']],
  ['?category=unknown', ['wifi-codes', 'payment']],
  ['?q=ETRE', ['payment']],
  ['?q=groesse', ['wifi-codes']],
  ['?q=grosse', ['wifi-codes']],
  ['?q=wlancode', ['wifi-codes']],
  ['?q=wlan-code+absatz', ['wifi-codes']],
  ['?q=absatz+remboursé', []],
  ['?q=wifi', ['wifi-codes']],
  ['?q=wifi&category=general', []],
  ['?q=ecrivez-nous', ['payment']],
  ['?q=argent', ['payment']],
  ['?q=%3F%21', ['wifi-codes', 'payment']],
])('%s finds %j', (query, found) => {
  expect(slugs(query)).toEqual(found);
});

test('a search is trimmed and truncated, and punctuation alone is ignored', () => {
  expect(readSearch(`?q=++${'x'.repeat(500)}`).text).toHaveLength(100);
  expect(isSearching(readSearch('?q=%3F+%21'))).toBe(false);
  expect(isSearching(readSearch('?q=%E2%9C%93a'))).toBe(true);
});

test.each(LOCALE_CODES)('every question is found by its own words (%s)', (locale) => {
  const entries = entriesOf(locale);
  for (const entry of entries) {
    expect(findEntries(entries, { category: 'all', text: entry.question }, locale)).toContain(entry);
    const text = entry.answer[0] ?? '';
    expect(findEntries(entries, { category: entry.category, text }, locale)).toContain(entry);
    expect(CATEGORIES).toContain(entry.category);
  }
});

/** What people type, with the slug of the answer that they look for. */
const EVERYDAY: Record<Locale, Record<string, string[]>> = {
  gb: {
    'money-back': [
      'refund',
      'refunds',
      'reimbursement',
      'I want my money back',
      'return',
      'how do I get a refund?',
    ],
    cancel: [
      'cancel',
      'cancellation',
      'terminate',
      'unsubscribe',
      'stop my subscription',
      'ending the contract',
    ],
    invoices: ['invoice', 'bills', 'receipt', 'VAT', 'billing'],
    plans: ['price', 'pricing', 'how much is it?', 'costs', 'fees', 'expensive', 'is it free?'],
    'forgotten-password': ['forgot my password', 'passwords', 'reset', 'cannot log in'],
    'delete-account': ['delete account', 'remove my account', 'deleting', 'close account'],
    'print-size': ['printing', 'print', 'poster', 'how big'],
    'how-to-track': ['tracking', 'statistics', 'stats', 'analytics'],
    'how-to-modify': ['edit', 'editing', 'wrong link', 'updating', 'change the link'],
    contact: ['help', 'phone number', 'customer service'],
    'code-not-read': ['not working', 'scanning problem'],
    'payment-methods': ['credit card', 'PayPal'],
    'data-kept': ['privacy', 'GDPR'],
    'time-zone': ['timezone', 'daylight saving'],
    zip: ['zip', 'download all codes'],
    'keep-working': ['do the codes expire?', 'expiry'],
  },
  fr: {
    'money-back': ['remboursement', 'remboursements', 'récupérer mon argent', 'rembourser', 'rétractation'],
    cancel: [
      'annuler',
      'résiliation',
      'résilier',
      'désabonnement',
      'me désabonner',
      'arrêter mon abonnement',
    ],
    invoices: ['facture', 'reçu', 'TVA', 'facturation', 'justificatif'],
    plans: ['prix', 'tarifs', 'combien ça coûte ?', 'cher', 'est-ce gratuit ?'],
    'forgotten-password': ['mot de passe', 'mot de passe oublié', 'réinitialiser', 'mdp'],
    'delete-account': ['supprimer mon compte', 'suppression', 'effacer', 'fermer le compte'],
    'print-size': ['imprimer', 'impression', 'affiche', 'taille'],
    'how-to-track': ['suivi', 'statistiques', 'statistique', 'suivre'],
    'how-to-modify': ['modifier', 'modification', 'changer le lien', 'rediriger'],
    contact: ['aide', 'téléphone', 'service client'],
    'code-not-read': ['ne marche pas', 'illisible'],
    'payment-methods': ['carte bancaire', 'virement', 'PayPal'],
    'data-kept': ['vie privée', 'RGPD'],
    'time-zone': ['fuseau horaire', 'heure d’été'],
    zip: ['zip', 'télécharger plusieurs codes'],
    'keep-working': ['expiration', 'expire'],
  },
  es: {
    'money-back': ['reembolso', 'devolución', 'devoluciones', 'quiero mi dinero', 'devolver'],
    cancel: ['cancelar', 'darse de baja', 'dar de baja', 'anular', 'cancelación', 'dejar la suscripción'],
    invoices: ['factura', 'recibo', 'IVA', 'facturación'],
    plans: ['precio', 'precios', '¿cuánto cuesta?', 'tarifas', 'caro', '¿es gratis?'],
    'forgotten-password': ['contraseña', 'olvidé mi contraseña', 'clave', 'restablecer'],
    'delete-account': ['eliminar cuenta', 'borrar mi cuenta', 'cerrar la cuenta'],
    'print-size': ['imprimir', 'impresión', 'cartel', 'tamaño'],
    'how-to-track': ['seguimiento', 'estadísticas', 'estadistica', 'rastrear'],
    'how-to-modify': ['editar', 'modificar', 'cambiar el enlace'],
    contact: ['ayuda', 'teléfono', 'atención al cliente'],
    'code-not-read': ['no funciona', 'ilegible'],
    'payment-methods': ['tarjeta de crédito', 'transferencia', 'PayPal'],
    'data-kept': ['privacidad', 'RGPD'],
    'time-zone': ['zona horaria', 'huso horario'],
    zip: ['zip', 'descargar todos los códigos'],
    'keep-working': ['¿caducan los códigos?', 'caducidad'],
  },
  de: {
    'money-back': ['Rückerstattung', 'Erstattung', 'Geld zurück', 'Rueckzahlung', 'Widerruf', 'widerrufen'],
    cancel: ['kündigen', 'Kündigung', 'abbestellen', 'Abo beenden', 'stornieren', 'Stornierung'],
    invoices: ['Rechnung', 'Rechnungen', 'Beleg', 'Quittung', 'Mehrwertsteuer'],
    plans: ['Preis', 'Preise', 'Kosten', 'Was kostet das?', 'teuer', 'kostenlos', 'Tarife'],
    'forgotten-password': ['Passwort vergessen', 'Passwörter', 'Kennwort', 'zurücksetzen'],
    'delete-account': ['Konto löschen', 'Löschung', 'Konto schließen'],
    'print-size': ['drucken', 'Druck', 'ausdrucken', 'Größe', 'Groesse', 'Plakate'],
    'how-to-track': ['Tracking', 'Statistik', 'Statistiken', 'Auswertungen'],
    'how-to-modify': ['bearbeiten', 'Tippfehler', 'Link ändern', 'aendern'],
    'kinds-of-codes': ['Visitenkarte', 'Kalender', 'Standort', 'App Store'],
    contact: ['Hilfe', 'Telefon', 'Kundenservice'],
    'code-not-read': ['funktioniert nicht', 'Code geht nicht', 'unlesbar'],
    'payment-methods': ['Kreditkarte', 'Lastschrift', 'PayPal', 'Überweisung'],
    'data-kept': ['Datenschutz', 'DSGVO'],
    'time-zone': ['Zeitzone', 'Sommerzeit'],
    zip: ['ZIP', 'alle Codes herunterladen'],
    'keep-working': ['laufen die Codes ab?', 'Ablauf'],
  },
  it: {
    'money-back': ['rimborso', 'rimborsi', 'soldi indietro', 'restituzione', 'recesso'],
    cancel: ['disdire', 'disdetta', 'annullare', 'cancellare l’abbonamento', 'cancellazione'],
    invoices: ['fattura', 'ricevuta', 'IVA', 'fatturazione'],
    plans: ['prezzo', 'prezzi', 'quanto costa?', 'tariffe', 'caro', 'è gratis?'],
    'forgotten-password': ['password', 'password dimenticata', 'ho dimenticato la password', 'reimpostare'],
    'delete-account': ['eliminare account', 'cancellare il mio account', 'eliminazione'],
    'print-size': ['stampare', 'stampa', 'manifesto', 'dimensione'],
    'how-to-track': ['tracciamento', 'statistiche', 'statistica', 'monitorare'],
    'how-to-modify': ['modificare', 'cambiare il link', 'refuso'],
    contact: ['aiuto', 'telefono', 'servizio clienti'],
    'code-not-read': ['non funziona', 'illeggibile'],
    'payment-methods': ['carta di credito', 'bonifico', 'PayPal'],
    'data-kept': ['privacy', 'GDPR'],
    'time-zone': ['fuso orario', 'mezzanotte'],
    zip: ['zip', 'scaricare tutti i codici'],
    'keep-working': ['i codici scadono?', 'scadenza'],
  },
};

const everyday = Object.entries(EVERYDAY).flatMap(([locale, answers]) =>
  Object.entries(answers).flatMap(([slug, texts]) =>
    texts.map((text) => ({ locale: locale as Locale, text, slug })),
  ),
);

test.each(everyday)('$locale: “$text” finds $slug', ({ locale, text, slug }) => {
  const found = findEntries(entriesOf(locale), readSearch(`?q=${encodeURIComponent(text)}`), locale);
  expect(found.map((entry) => entry.slug)).toContain(slug);
  expect(found.length).toBeLessThan(TOO_MANY);
});

test.each(LOCALE_CODES)('a topic that the FAQ does not cover is not found (%s)', (locale) => {
  for (const text of ['zzzz', 'bicycle', 'Kaninchen', 'fromage'])
    expect(findEntries(entriesOf(locale), { category: 'all', text }, locale)).toEqual([]);
});
