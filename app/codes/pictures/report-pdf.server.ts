import PDFDocument from 'pdfkit';
import { FONT_FILES } from '#runtime/fonts';
import { printable } from '~/i18n/printable.server';

/** All texts of a report, in one language, and what is drawn between them. */
export interface ReportOrder {
  /** BCP 47 tag. */
  lang: string;
  heading: string;
  lead: string;
  made: string;
  summary: string[];
  /** When a difference is called chance. */
  summaryNote: string;
  figures: Table;
  trend: {
    heading: string;
    finding: string;
    /** What it counts. */
    counted: string;
    /** Positions and sizes are percentages of the plot; null if there is nothing to draw. */
    columns: { series: { bars: Box[] }[]; x: Tick[]; y: Tick[] } | null;
    legend: string;
  };
  rankings: (Table & { finding: string; counted: string; map: ReportMap | null })[];
  /** With `{page}` and `{pages}`. */
  page: string;
}

interface Table {
  heading: string;
  /** The first one is the head. */
  rows: string[][];
}

interface Box {
  x: number;
  y: number;
  width: number;
  height: number;
}

interface Tick {
  at: number;
  label: string;
}

interface ReportMap {
  /** What is shown of it. */
  view: Box;
  /** SVG path data, and how much of the accent colour it gets: 0 to 1. */
  countries: { path: string; share: number }[];
}

type Pdf = InstanceType<typeof PDFDocument>;
type Structure = ReturnType<Pdf['struct']>;

const MARGIN = 45;
const WIDTH = 595.28 - 2 * MARGIN;
const INK = '#14203c';
const SOFT = '#4a5468';
const RULE = '#b4bccd';
const LAND = '#d8dce5';
const ACCENT = '#c8321e';
const CHART_HEIGHT = 120;
const MAP_WIDTH = 0.75 * WIDTH;

/** The report on A4, tagged for screen readers; its text can be selected. */
export async function makeReport(report: ReportOrder): Promise<Uint8Array<ArrayBuffer>> {
  const pdf = new PDFDocument({
    size: 'A4',
    margin: MARGIN,
    lang: report.lang,
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
  write(pdf, root, 'H2', report.figures.heading, SECTION);
  writeTable(pdf, root, report.figures.rows, [0.2, 0.25, 0.55]);
  writeTrend(pdf, root, report.trend);
  for (const ranking of report.rankings) writeRanking(pdf, root, ranking);
  root.end();
  numberPages(pdf, report.page);
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
const SECTION: Style = { size: 13, face: 'bold' };

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

function writeHead(pdf: Pdf, root: Structure, order: ReportOrder): void {
  const { heading, lead, made, summary, summaryNote } = order;
  write(pdf, root, 'H1', heading, { size: 20, face: 'bold' }, 2);
  write(pdf, root, 'P', lead, { size: 11 }, 2);
  write(pdf, root, 'P', made, NOTE, 10);
  for (const sentence of summary) write(pdf, root, 'P', sentence, TEXT, 2);
  write(pdf, root, 'P', summaryNote, NOTE, 2);
  pdf.y += 8;
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

function writeFinding(
  pdf: Pdf,
  root: Structure,
  { heading, finding, counted }: Pick<ReportOrder['trend'], 'heading' | 'finding' | 'counted'>,
): void {
  write(pdf, root, 'H2', heading, SECTION);
  write(pdf, root, 'P', finding, TEXT, 2);
  write(pdf, root, 'P', counted, NOTE, 8);
}

function noteHeight(pdf: Pdf, text: string): number {
  return styled(pdf, NOTE).heightOfString(drawable(text), { width: WIDTH });
}

/** The columns of the chart with their scale; the finding above is its text. */
function writeTrend(
  pdf: Pdf,
  root: Structure,
  { heading, finding, counted, columns, legend }: ReportOrder['trend'],
): void {
  makeRoom(pdf, CHART_HEIGHT + 70 + noteHeight(pdf, counted));
  writeFinding(pdf, root, { heading, finding, counted });
  if (!columns) return;
  const [top, left, across] = [pdf.y, MARGIN + 30, (WIDTH - 30) / 100];
  const up = CHART_HEIGHT / 100;
  const small = (text: string, x: number, y: number, width: number, align: 'center' | 'right') =>
    styled(pdf, NOTE).text(drawable(text), x, y, { width, align, lineBreak: false });
  const draw = () => {
    for (const { at, label } of columns.y) {
      const y = top + at * up;
      pdf
        .moveTo(left, y)
        .lineTo(MARGIN + WIDTH, y)
        .lineWidth(0.5)
        .strokeColor(RULE)
        .stroke();
      small(label, MARGIN, y - 4, 25, 'right');
    }
    for (const [position, { bars }] of columns.series.entries())
      for (const { x, y, width, height } of bars)
        pdf
          .rect(left + x * across, top + y * up, width * across, height * up)
          .fill(position === 0 ? ACCENT : INK);
    for (const { at, label } of columns.x)
      small(label, left + at * across - 30, top + CHART_HEIGHT + 4, 60, 'center');
  };
  root.add(pdf.struct('Figure', { alt: drawable(finding) }, draw));
  pdf.x = MARGIN;
  pdf.y = top + CHART_HEIGHT + 24;
  write(pdf, root, 'P', legend, NOTE, 12);
}

function writeRanking(
  pdf: Pdf,
  root: Structure,
  { heading, finding, counted, rows, map }: ReportOrder['rankings'][number],
): void {
  const scale = map ? MAP_WIDTH / map.view.width : 0;
  const mapHeight = map ? scale * map.view.height + 10 : 0;
  // A table stays together with its heading.
  makeRoom(pdf, 45 + 16 * rows.length + mapHeight + noteHeight(pdf, counted));
  writeFinding(pdf, root, { heading, finding, counted });
  if (map) {
    drawMap(pdf, map, scale);
    pdf.y += mapHeight;
  }
  const others = (rows[0]?.length ?? 0) - 1;
  if (rows.length > 1)
    writeTable(pdf, root, rows, [0.6, ...Array.from({ length: others }, () => 0.4 / others)]);
}

/** A map without words: the table below it says the same. */
function drawMap(pdf: Pdf, { view, countries }: ReportMap, scale: number): void {
  pdf.markContent('Artifact');
  pdf
    .save()
    .translate(MARGIN, pdf.y)
    .scale(scale)
    .translate(-view.x, -view.y)
    .rect(view.x, view.y, view.width, view.height)
    .clip()
    .lineWidth(0.5)
    .strokeColor('white');
  for (const { path, share } of countries) {
    pdf.path(path).fillAndStroke(LAND, 'white');
    if (share > 0) pdf.path(path).fillOpacity(share).fill(ACCENT).fillOpacity(1);
  }
  pdf.restore();
  pdf.endMarkedContent();
}

function numberPages(pdf: Pdf, text: string): void {
  const { count } = pdf.bufferedPageRange();
  for (let page = 0; page < count; page += 1) {
    pdf.switchToPage(page);
    // Below the margin, where a text would otherwise begin a new page.
    pdf.page.margins.bottom = 0;
    pdf.markContent('Artifact');
    const line = text.replace('{page}', String(page + 1)).replace('{pages}', String(count));
    styled(pdf, NOTE).text(drawable(line), MARGIN, pdf.page.height - 32, {
      width: WIDTH,
      align: 'right',
      lineBreak: false,
    });
    pdf.endMarkedContent();
  }
}
