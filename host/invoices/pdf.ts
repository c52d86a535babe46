import { readFile } from 'node:fs/promises';
import type PDFDocument from 'pdfkit';
import { LOCALES } from '#contract/locales';
import { BILLING_TEXTS } from '#host/mail/texts';
import { FONT_FILES } from '#runtime/fonts';
import type { InvoiceRow } from './store';
import { dateText, fillText, moneyText, percentText, periodText, planText } from './wording';

const MARGIN = 56;
const WIDTH = 595.28 - 2 * MARGIN;
const COLUMNS = [0, 0.41, 0.515, 0.69, 0.82, 1];
/** Points between two lines that are separate facts. */
const FACT_GAP = 4;

/** The document as a PDF (A4). The same row always gives the same bytes. */
export async function renderInvoice(invoice: InvoiceRow): Promise<Uint8Array> {
  const { locale, issuedAt, number, seller } = invoice;
  const texts = BILLING_TEXTS[locale].invoice;
  const isCredit = invoice.series === 'A';
  const title = isCredit ? texts.credit_note : texts.invoice;
  // Loaded with the first document, as it is rarely needed.
  const { default: Document } = await import('pdfkit');
  const pdf = new Document({
    size: 'A4',
    margin: MARGIN,
    lang: LOCALES[locale].html,
    info: { Title: `${title} ${number}`, Author: seller.name, CreationDate: issuedAt, ModDate: issuedAt },
  });
  const chunks: Buffer[] = [];
  pdf.on('data', (chunk: Buffer) => chunks.push(chunk));
  const done = new Promise<void>((resolve, reject) => {
    pdf.on('end', resolve);
    pdf.on('error', reject);
  });
  await registerFaces(pdf);
  writeHead(pdf, invoice, title);
  writeParties(pdf, invoice);
  writeLine(pdf, invoice);
  writeTotals(pdf, invoice);
  writeNotes(pdf, invoice);
  pdf.end();
  await done;
  return new Uint8Array(Buffer.concat(chunks));
}

function write(pdf: Pdf, text: string, x: number, y: number, width: number, options = {}): number {
  pdf.text(drawable(text), MARGIN + x, y, { width, ...options });
  return pdf.y;
}

/** Begins a new page if this height does not fit on the current one. */
function makeRoom(pdf: Pdf, height: number): void {
  if (pdf.y + height > pdf.page.height - MARGIN) pdf.addPage();
}

function writeHead(pdf: Pdf, invoice: InvoiceRow, title: string): void {
  const { locale, number, issuedAt, paidAt, reference, corrects, series, seller } = invoice;
  const texts = BILLING_TEXTS[locale].invoice;
  pdf.font('bold').fontSize(11);
  write(pdf, seller.appName, 0, MARGIN, WIDTH);
  pdf.fontSize(24);
  write(pdf, title, 0, 88, WIDTH);
  const facts: [string, string][] = [
    [texts.number, number],
    [texts.issued, dateText(issuedAt, locale)],
    [series === 'A' ? texts.refunded : texts.paid, dateText(paidAt, locale)],
    [texts.reference, reference],
    ...(corrects ? [[texts.corrects, corrects] as [string, string]] : []),
  ];
  let y = 124;
  for (const [name, value] of facts) {
    pdf.font('regular').fontSize(10);
    const below = write(pdf, name, 0, y, 170);
    pdf.font('bold');
    y = Math.max(below, write(pdf, value, 180, y, WIDTH - 180)) + FACT_GAP;
  }
  pdf.y = y + 16;
}

function writeParties(pdf: Pdf, { seller, buyer, locale }: InvoiceRow): void {
  const texts = BILLING_TEXTS[locale].invoice;
  const top = pdf.y;
  const country = new Intl.DisplayNames([LOCALES[locale].html], { type: 'region' }).of(buyer.country);
  const from = [
    seller.name,
    seller.form,
    seller.address,
    seller.register,
    fillText(texts.vat_number, { number: seller.vat }),
    seller.contactEmail,
  ];
  const to = [
    buyer.company,
    buyer.name,
    buyer.street,
    `${buyer.postalCode} ${buyer.city}`.trim(),
    country ?? buyer.country,
    buyer.siret && fillText(texts.siret, { number: buyer.siret }),
    buyer.vatNumber && fillText(texts.vat_number, { number: buyer.vatNumber }),
  ].filter(Boolean);
  const bottoms = [
    writeParty(pdf, texts.seller, from, 0, top),
    writeParty(pdf, texts.buyer, to, WIDTH / 2 + 8, top),
  ];
  pdf.y = Math.max(...bottoms) + 24;
}

function writeParty(pdf: Pdf, title: string, lines: string[], x: number, top: number): number {
  const width = WIDTH / 2 - 8;
  pdf.font('bold').fontSize(10);
  let y = write(pdf, title, x, top, width) + 4;
  pdf.font('regular');
  for (const line of lines) y = write(pdf, line, x, y, width, { lineGap: 2 });
  return y;
}

function writeLine(pdf: Pdf, invoice: InvoiceRow): void {
  const { locale, plan, periodStart, periodEnd, netCents, vatPercent, seller } = invoice;
  const texts = BILLING_TEXTS[locale].invoice;
  const line = fillText(texts.line, {
    appName: seller.appName,
    plan: planText(plan, locale),
    period: periodText(periodStart, periodEnd, locale),
  });
  const net = moneyText(netCents, locale);
  pdf.font('bold').fontSize(9);
  writeRow(pdf, [texts.what, texts.quantity, texts.unit_net, texts.vat_rate, texts.net]);
  pdf.font('regular');
  writeRow(pdf, [line, '1', net, percentText(vatPercent, locale), net]);
}

function writeRow(pdf: Pdf, cells: string[]): void {
  const placed = cells.map((text, index) => {
    const [from = 0, to = 1] = [COLUMNS[index], COLUMNS[index + 1]];
    const align = index === 0 ? ('left' as const) : ('right' as const);
    return { text, x: from * WIDTH, options: { width: (to - from) * WIDTH - 6, align, lineGap: 2 } };
  });
  makeRoom(
    pdf,
    Math.max(...placed.map(({ text, options }) => pdf.heightOfString(drawable(text), options))) + 4,
  );
  const top = pdf.y;
  const bottoms = placed.map(({ text, x, options }) => write(pdf, text, x, top, options.width, options));
  const bottom = Math.max(...bottoms) + 4;
  pdf
    .moveTo(MARGIN, bottom)
    .lineTo(MARGIN + WIDTH, bottom)
    .lineWidth(0.5)
    .stroke();
  pdf.y = bottom + 6;
}

function writeTotals(pdf: Pdf, { locale, netCents, vatPercent, vatCents, grossCents }: InvoiceRow): void {
  const texts = BILLING_TEXTS[locale].invoice;
  const totals: [string, number][] = [
    [texts.total_net, netCents],
    [fillText(texts.total_vat, { percent: percentText(vatPercent, locale) }), vatCents],
    [texts.total_gross, grossCents],
  ];
  makeRoom(pdf, totals.length * 30);
  for (const [index, [name, cents]] of totals.entries()) {
    const y = pdf.y;
    pdf.font(index === 2 ? 'bold' : 'regular').fontSize(10);
    const below = write(pdf, name, WIDTH * 0.46, y, WIDTH * 0.34);
    write(pdf, moneyText(cents, locale), WIDTH * 0.8, y, WIDTH * 0.2 - 6, { align: 'right' });
    pdf.y = below + FACT_GAP;
  }
  pdf.y += 16;
}

function writeNotes(pdf: Pdf, { locale, series, tax, buyer }: InvoiceRow): void {
  const texts = BILLING_TEXTS[locale].invoice;
  const notes = [
    series === 'A' ? texts.credit_by_card : texts.by_card,
    texts.services,
    ...(tax === 'standard' ? [] : [texts[tax]]),
    ...(buyer.professional ? [texts.late] : []),
  ];
  pdf.font('regular').fontSize(9);
  for (const note of notes) {
    makeRoom(pdf, pdf.heightOfString(drawable(note), { width: WIDTH, lineGap: 2 }));
    pdf.y = write(pdf, note, 0, pdf.y, WIDTH, { lineGap: 2 }) + 6;
  }
}

type Pdf = InstanceType<typeof PDFDocument>;

const files = new Map<string, Buffer>();

/** Registers the faces `regular` and `bold` with a document. */
export async function registerFaces(pdf: Pdf): Promise<void> {
  for (const [face, path] of Object.entries(FONT_FILES)) {
    const file = files.get(face) ?? withoutKerning(await readFile(path));
    files.set(face, file);
    pdf.registerFont(face, file);
  }
}

/**
 * Hides the table of kerning and mark positions by renaming it in the table directory (OpenType: sixteen bytes per
 * entry, from byte 12). Every document would parse it again, which takes three times as long as everything else.
 */
function withoutKerning(font: Buffer): Buffer {
  for (let table = 0; table < font.readUInt16BE(4); table += 1) {
    const offset = 12 + 16 * table;
    if (font.toString('latin1', offset, offset + 4) === 'GPOS') font.write('gpos', offset, 'latin1');
  }
  return font;
}

/** What the documents' font covers: Latin, Greek, Cyrillic and Hebrew letters, marks, punctuation, currencies. */
const COVERED = /^[\n\u0020-\u007e\u00a0-\u052f\u05d0-\u05ea\u1e00-\u20be\u2100-\u214f]+$/;
/** Invisible characters, which are left out. */
const INVISIBLE = /^[\p{M}\p{Cc}\p{Cf}\p{Zl}\p{Zp}]$/u;
/** Characters without a glyph inside those ranges. */
const MISSING_GLYPHS = /[\p{Cf}\p{Zl}\p{Zp}\p{Cn}]/u;

/**
 * A text as the font can draw it: marks are merged with their letter if a combined form exists. Letters of other
 * scripts become question marks, as no font of reasonable size covers them all.
 */
export function drawable(text: string): string {
  const letters = [...text.normalize('NFC')].map(drawableLetter).join('');
  // Words are drawn one by one from the left: no-break spaces keep a Hebrew name together as one word, in order.
  return letters.replace(/([א-ת]) (?=[א-ת])/g, '$1\u00a0').replace(/([א-ת]) /g, '$1 \u00a0');
}

function drawableLetter(letter: string): string {
  if (isCovered(letter)) return letter;
  if (INVISIBLE.test(letter)) return '';
  // Full-width letters and other variants that only look different.
  const plain = letter.normalize('NFKC');
  return isCovered(plain) ? plain : '?';
}

function isCovered(text: string): boolean {
  return COVERED.test(text) && !MISSING_GLYPHS.test(text);
}
