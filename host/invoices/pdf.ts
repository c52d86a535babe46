import type PDFDocument from 'pdfkit';
import { BILLING_TEXTS } from '#host/mail/texts';
import type { InvoiceRow } from './invoices.store';
import { dateText, fillText, moneyText, periodText, planText } from './wording';

const MARGIN = 56;
const WIDTH = 595.28 - 2 * MARGIN;
const COLUMNS = [0, 0.46, 0.58, 0.75, 0.86, 1];

/** The document as a PDF (A4). The same row always gives the same bytes. */
export async function renderInvoice(invoice: InvoiceRow): Promise<Uint8Array> {
  const { locale, issuedAt, number, seller } = invoice;
  const texts = BILLING_TEXTS[locale].invoice;
  const isCredit = invoice.series === 'A';
  const title = isCredit ? texts.credit_note : texts.invoice;
  // Loaded with the first document: most of a host's life goes without.
  const { default: Document } = await import('pdfkit');
  const pdf = new Document({
    size: 'A4',
    margin: MARGIN,
    lang: locale === 'gb' ? 'en' : locale,
    info: { Title: `${title} ${number}`, Author: seller.name, CreationDate: issuedAt, ModDate: issuedAt },
  });
  const chunks: Buffer[] = [];
  pdf.on('data', (chunk: Buffer) => chunks.push(chunk));
  const done = new Promise<void>((resolve, reject) => {
    pdf.on('end', resolve);
    pdf.on('error', reject);
  });
  writeHead(pdf, invoice, title);
  writeParties(pdf, invoice);
  writeLine(pdf, invoice);
  writeTotals(pdf, invoice);
  writeNotes(pdf, invoice);
  pdf.end();
  await done;
  return new Uint8Array(Buffer.concat(chunks));
}

type Pdf = InstanceType<typeof PDFDocument>;

const WINDOWS_1252 = '€‚ƒ„…†‡ˆ‰Š‹ŒŽ‘’“”•–—˜™š›œžŸ';
const UNDRESSED: Record<string, string> = {
  Ł: 'L',
  ł: 'l',
  Đ: 'D',
  đ: 'd',
  ı: 'i',
  Ħ: 'H',
  ħ: 'h',
  '−': '-',
};

/** The built-in fonts know the letters of Western Europe only; others lose their marks rather than turn into noise. */
function plain(text: string): string {
  return [...text.normalize('NFC').replace(/[\u202f\u00a0]/g, ' ')]
    .map((letter) => {
      if (letter <= 'ÿ' || WINDOWS_1252.includes(letter)) return letter;
      const [base = ''] = letter.normalize('NFD');
      return UNDRESSED[letter] ?? (base <= 'ÿ' ? base : '?');
    })
    .join('');
}

function write(pdf: Pdf, text: string, x: number, y: number, width: number, options = {}): number {
  const content = plain(text);
  pdf.text(content, MARGIN + x, y, { width, ...options });
  return pdf.y;
}

function writeHead(pdf: Pdf, invoice: InvoiceRow, title: string): void {
  const { locale, number, issuedAt, paidAt, reference, corrects, series, seller } = invoice;
  const texts = BILLING_TEXTS[locale].invoice;
  pdf.font('Helvetica-Bold').fontSize(11);
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
    pdf.font('Helvetica').fontSize(10);
    write(pdf, name, 0, y, 170);
    pdf.font('Helvetica-Bold');
    write(pdf, value, 180, y, WIDTH - 180);
    y += 16;
  }
  pdf.y = y + 16;
}

function writeParties(pdf: Pdf, { seller, buyer, locale }: InvoiceRow): void {
  const texts = BILLING_TEXTS[locale].invoice;
  const top = pdf.y;
  const country = new Intl.DisplayNames([locale === 'gb' ? 'en' : locale], { type: 'region' }).of(
    buyer.country,
  );
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
  pdf.font('Helvetica-Bold').fontSize(10);
  const below = write(pdf, title, x, top, WIDTH / 2 - 8);
  pdf.font('Helvetica');
  return write(pdf, lines.join('\n'), x, below + 4, WIDTH / 2 - 8, { lineGap: 2 });
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
  pdf.font('Helvetica-Bold').fontSize(9);
  writeRow(pdf, [texts.what, texts.quantity, texts.unit_net, texts.vat_rate, texts.net]);
  pdf.font('Helvetica');
  writeRow(pdf, [line, '1', net, `${vatPercent} %`, net]);
}

function writeRow(pdf: Pdf, cells: string[]): void {
  const top = pdf.y;
  const bottoms = cells.map((cell, place) => {
    const [from = 0, to = 1] = [COLUMNS[place], COLUMNS[place + 1]];
    const width = (to - from) * WIDTH - 6;
    return write(pdf, cell, from * WIDTH, top, width, { align: place === 0 ? 'left' : 'right', lineGap: 2 });
  });
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
    [fillText(texts.total_vat, { percent: vatPercent }), vatCents],
    [texts.total_gross, grossCents],
  ];
  for (const [place, [name, cents]] of totals.entries()) {
    const y = pdf.y;
    pdf.font(place === 2 ? 'Helvetica-Bold' : 'Helvetica').fontSize(10);
    write(pdf, name, WIDTH * 0.5, y, WIDTH * 0.3);
    write(pdf, moneyText(cents, locale), WIDTH * 0.8, y, WIDTH * 0.2 - 6, { align: 'right' });
    pdf.y = y + 16;
  }
  pdf.y += 16;
}

function writeNotes(pdf: Pdf, { locale, series, tax, buyer }: InvoiceRow): void {
  const texts = BILLING_TEXTS[locale].invoice;
  const notes = [
    series === 'A' ? texts.credit_by_card : texts.by_card,
    texts.services,
    ...(tax === 'reverse_charge' ? [texts.reverse_charge] : []),
    ...(tax === 'outside_eu' ? [texts.outside_eu] : []),
    ...(buyer.professional ? [texts.late] : []),
  ];
  pdf.font('Helvetica').fontSize(9);
  for (const note of notes) pdf.y = write(pdf, note, 0, pdf.y, WIDTH, { lineGap: 2 }) + 6;
}
