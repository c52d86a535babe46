import PDFDocument from 'pdfkit';
import { LOCALES, type Locale } from '#contract/locales';
import { utcDay } from '#contract/time';
import { FONT_FILES } from '#runtime/fonts';
import { printable } from '~/i18n/printable.server';
import type { Chart, Ranking } from './chart-data';
import type { Report } from './report.server';
import { type Words, wordsOf } from './wording.server';

type Pdf = InstanceType<typeof PDFDocument>;
type Structure = ReturnType<Pdf['struct']>;

const MARGIN = 45;
const WIDTH = 595.28 - 2 * MARGIN;
const INK = '#14203c';
const SOFT = '#4a5468';
const RULE = '#b4bccd';
const ACCENT = '#c8321e';
const CHART_HEIGHT = 120;
const RANKED_ROWS = 8;

/** The report as a file to be kept. */
export async function respondReport(
  report: Report,
  locale: Locale,
  headers: Record<string, string>,
): Promise<Response> {
  const bytes = await renderReport(report, LOCALES[locale].html, wordsOf(locale));
  return new Response(bytes, {
    headers: {
      ...headers,
      'Content-Type': 'application/pdf',
      'Content-Disposition': `attachment; filename="report-${utcDay(new Date())}.pdf"`,
    },
  });
}

/** The report on A4, tagged for screen readers; its text can be selected. */
async function renderReport(report: Report, lang: string, words: Words): Promise<Uint8Array<ArrayBuffer>> {
  const pdf = new PDFDocument({
    size: 'A4',
    margin: MARGIN,
    lang,
    tagged: true,
    pdfVersion: '1.7',
    displayTitle: true,
    bufferPages: true,
    font: FONT_FILES.regular,
    info: { Title: drawable(report.heading) },
  });
  const chunks: Buffer[] = [];
  const finished = new Promise<Uint8Array<ArrayBuffer>>((resolve, reject) => {
    pdf.on('data', (chunk: Buffer) => chunks.push(chunk));
    pdf.on('end', () => resolve(new Uint8Array(Buffer.concat(chunks))));
    pdf.on('error', reject);
  });
  for (const [face, path] of Object.entries(FONT_FILES)) pdf.registerFont(face, path);
  const root = pdf.struct('Document');
  pdf.addStructure(root);
  writeHead(pdf, root, report);
  writeFigures(pdf, root, report, words);
  writeTrend(pdf, root, report.trend, words);
  for (const ranking of report.rankings) writeRanking(pdf, root, ranking, words);
  root.end();
  numberPages(pdf, words);
  pdf.end();
  return finished;
}

/** Letters that the faces do not have become question marks. */
function drawable(text: string): string {
  const letterOf = (letter: string) => (/\s/.test(letter) ? ' ' : (printable(letter) ?? '?'));
  return printable(text) ?? [...text].map(letterOf).join('');
}

interface Style {
  size: number;
  face?: keyof typeof FONT_FILES;
  colour?: string;
  align?: 'left' | 'right';
}

const TEXT: Style = { size: 9 };
const STRONG: Style = { size: 9, face: 'bold' };
const NOTE: Style = { size: 8, colour: SOFT };

function styled(pdf: Pdf, { size, face = 'regular', colour = INK }: Style): Pdf {
  return pdf.font(face).fontSize(size).fillColor(colour);
}

/** One paragraph across the page, below the last. */
function write(pdf: Pdf, root: Structure, tag: 'H1' | 'H2' | 'P', text: string, style: Style, gap = 4): void {
  const line = drawable(text);
  const height = styled(pdf, style).heightOfString(line, { width: WIDTH });
  makeRoom(pdf, height);
  const { y } = pdf;
  root.add(pdf.struct(tag, {}, () => styled(pdf, style).text(line, MARGIN, y, { width: WIDTH })));
  pdf.y = y + height + gap;
}

function makeRoom(pdf: Pdf, height: number): void {
  if (pdf.y + height <= pdf.page.height - MARGIN) return;
  pdf.addPage();
  pdf.y = MARGIN;
}

function writeHead(pdf: Pdf, root: Structure, { heading, lead, made, summary }: Report): void {
  write(pdf, root, 'H1', heading, { size: 20, face: 'bold' }, 2);
  write(pdf, root, 'P', lead, { size: 11 }, 2);
  write(pdf, root, 'P', made, NOTE, 10);
  for (const sentence of summary) write(pdf, root, 'P', sentence, TEXT, 2);
  pdf.y += 8;
}

function writeFigures(pdf: Pdf, root: Structure, { figures }: Report, { t }: Words): void {
  write(pdf, root, 'H2', t('statistics:report.figures'), { size: 13, face: 'bold' });
  const head = [
    t('statistics:report.figure'),
    t('statistics:report.value'),
    t('statistics:report.definitions'),
  ];
  const rows = figures.map(({ label, value, line, text }) => [
    label,
    line ? `${value}: ${line}` : value,
    text,
  ]);
  writeTable(pdf, root, [head, ...rows], [0.2, 0.25, 0.55]);
}

/** Rows of cells, the first of which is the head; `shares` are the widths of the columns. */
function writeTable(pdf: Pdf, root: Structure, rows: string[][], shares: number[]): void {
  const table = pdf.struct('Table');
  root.add(table);
  for (const [number, row] of rows.entries()) writeRow(pdf, table, row, shares, number === 0);
  table.end();
  pdf.y += 10;
}

function writeRow(pdf: Pdf, table: Structure, row: string[], shares: number[], isHead: boolean): void {
  const styles = row.map((_, column) => (isHead ? NOTE : column === 0 ? STRONG : TEXT));
  const widths = shares.map((share) => share * WIDTH - 8);
  const texts = row.map(drawable);
  const heights = texts.map((text, column) =>
    styled(pdf, styles[column] ?? TEXT).heightOfString(text, { width: widths[column] ?? WIDTH }),
  );
  const height = Math.max(...heights);
  makeRoom(pdf, height + 5);
  const top = pdf.y;
  pdf.markContent('Artifact');
  pdf
    .moveTo(MARGIN, top - 2)
    .lineTo(MARGIN + WIDTH, top - 2)
    .lineWidth(0.5)
    .strokeColor(RULE)
    .stroke();
  pdf.endMarkedContent();
  const line = pdf.struct('TR');
  table.add(line);
  let x = MARGIN;
  for (const [column, text] of texts.entries()) {
    const [left, width] = [x, widths[column] ?? WIDTH];
    const cell = isHead || column === 0 ? 'TH' : 'TD';
    line.add(
      pdf.struct(cell, {}, () => styled(pdf, styles[column] ?? TEXT).text(text, left, top, { width })),
    );
    x += (shares[column] ?? 0) * WIDTH;
  }
  line.end();
  pdf.y = top + height + 5;
}

/** The columns of the chart with their scale; the finding above is its text. */
function writeTrend(pdf: Pdf, root: Structure, { definition, finding, drawing }: Chart, { t }: Words): void {
  makeRoom(pdf, CHART_HEIGHT + 70);
  write(pdf, root, 'H2', t(`statistics:definitions.${definition}.label`), { size: 13, face: 'bold' });
  write(pdf, root, 'P', finding, TEXT, 8);
  if (drawing?.kind !== 'columns') return;
  const [top, left, across] = [pdf.y, MARGIN + 30, (WIDTH - 30) / 100];
  const up = CHART_HEIGHT / 100;
  const small = (text: string, x: number, y: number, width: number, align: 'center' | 'right') =>
    styled(pdf, NOTE).text(drawable(text), x, y, { width, align, lineBreak: false });
  const draw = () => {
    for (const { at, label } of drawing.y) {
      const y = top + at * up;
      pdf
        .moveTo(left, y)
        .lineTo(MARGIN + WIDTH, y)
        .lineWidth(0.5)
        .strokeColor(RULE)
        .stroke();
      small(label, MARGIN, y - 4, 25, 'right');
    }
    for (const [position, { bars }] of drawing.series.entries())
      for (const { x, y, width, height } of bars)
        pdf
          .rect(left + x * across, top + y * up, width * across, height * up)
          .fill(position === 0 ? ACCENT : INK);
    for (const { at, label } of drawing.x)
      small(label, left + at * across - 30, top + CHART_HEIGHT + 4, 60, 'center');
  };
  root.add(pdf.struct('Figure', { alt: drawable(finding) }, draw));
  pdf.x = MARGIN;
  pdf.y = top + CHART_HEIGHT + 24;
  const legend = drawing.series.map(({ name }, at) =>
    t('statistics:report.legend', {
      colour: t(at === 0 ? 'statistics:report.red' : 'statistics:report.black'),
      name: t(`statistics:series.${name}`),
    }),
  );
  write(pdf, root, 'P', legend.join(' · '), NOTE, 12);
}

function writeRanking(
  pdf: Pdf,
  root: Structure,
  { definition, finding, head, rows }: Ranking,
  { t }: Words,
): void {
  const shown = rows.slice(0, RANKED_ROWS);
  // A table stays together with its heading.
  makeRoom(pdf, 60 + 16 * shown.length);
  write(pdf, root, 'H2', t(`statistics:definitions.${definition}.label`), { size: 13, face: 'bold' });
  write(pdf, root, 'P', finding, TEXT, 8);
  if (shown.length === 0) return;
  const table = [head, ...shown.map(({ name, values }) => [name, ...values])];
  const others = head.length - 1;
  writeTable(pdf, root, table, [0.6, ...Array.from({ length: others }, () => 0.4 / others)]);
}

function numberPages(pdf: Pdf, { t }: Words): void {
  const { count } = pdf.bufferedPageRange();
  for (let page = 0; page < count; page += 1) {
    pdf.switchToPage(page);
    // Below the margin, where a text would otherwise begin a new page.
    pdf.page.margins.bottom = 0;
    pdf.markContent('Artifact');
    styled(pdf, NOTE).text(
      drawable(t('statistics:report.page', { page: page + 1, pages: count })),
      MARGIN,
      pdf.page.height - 32,
      { width: WIDTH, align: 'right', lineBreak: false },
    );
    pdf.endMarkedContent();
  }
}
