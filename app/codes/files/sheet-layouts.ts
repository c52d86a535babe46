/** A place on a page, in millimetres from its upper left corner. */
export interface Place {
  x: number;
  y: number;
  width: number;
  height: number;
}

interface Grid {
  paper: 'a4' | 'letter';
  columns: number;
  rows: number;
  /** Size of a label. */
  width: number;
  height: number;
  /** Between the labels of a row, and of a column. */
  gapX: number;
  gapY: number;
  /** Manufacturers' sheets with this layout; none when the sheet has to be cut. */
  makers: string;
}

const INCH = 25.4;
/** Margin around a poster for its cut marks. */
export const TRIM_MM = 10;

/**
 * Labels by paper size and number per page, always centred on the page. Sizes and gaps: Avery L7159, L7160, L7163,
 * L7165, L7169 and 5162, 5168, 6873, 22805, from the template files of gLabels (github.com/jimevins/glabels-qt,
 * templates/avery-*.xml, herma-iso-templates.xml), except for L7159 and 22805, which they lack and on which other label
 * programs agree.
 */
const GRIDS = {
  'a4-24': { ...mm('a4', 3, 8, 63.5, 33.9, 2.5, 0), makers: 'Avery L7159, J8159' },
  'a4-21': { ...mm('a4', 3, 7, 63.5, 38.1, 2.5, 0), makers: 'Avery L7160, J8160, Herma 4677' },
  'a4-14': { ...mm('a4', 2, 7, 99.1, 38.1, 2.5, 0), makers: 'Avery L7163, J8163' },
  'a4-8': { ...mm('a4', 2, 4, 99.1, 67.7, 2.5, 0), makers: 'Avery L7165, J8165' },
  'a4-4': { ...mm('a4', 2, 2, 99.1, 139, 2.5, 0), makers: 'Avery L7169, J8169' },
  'letter-24': { ...inches('letter', 4, 6, 1.5, 1.5, 0.3125, 0.2), makers: 'Avery 22805' },
  'letter-21': { ...inches('letter', 3, 7, 2.625, 1.5, 0.15625, 0), makers: '' },
  'letter-14': { ...inches('letter', 2, 7, 4, 4 / 3, 0.1875, 0), makers: 'Avery 5162, 8162' },
  'letter-8': { ...inches('letter', 2, 4, 3.75, 2, 0.25, 0.25), makers: 'Avery 6873' },
  'letter-4': { ...inches('letter', 2, 2, 3.5, 5, 0.5, 0), makers: 'Avery 5168' },
} satisfies Record<string, Grid>;

/** ISO 216. */
const POSTERS = {
  'poster-a6': { width: 105, height: 148 },
  'poster-a5': { width: 148, height: 210 },
  'poster-a4': { width: 210, height: 297 },
  'poster-a3': { width: 297, height: 420 },
};

const PAPERS = { a4: { width: 210, height: 297 }, letter: { width: 8.5 * INCH, height: 11 * INCH } };

export type LabelLayout = keyof typeof GRIDS;
export type PosterLayout = keyof typeof POSTERS;
export type LayoutName = LabelLayout | PosterLayout;

export const LABEL_LAYOUTS = Object.keys(GRIDS) as LabelLayout[];
export const POSTER_LAYOUTS = Object.keys(POSTERS) as PosterLayout[];

export function isLayout(text: string): text is LayoutName {
  return Object.hasOwn(GRIDS, text) || Object.hasOwn(POSTERS, text);
}

export function isPoster(name: LayoutName): name is PosterLayout {
  return Object.hasOwn(POSTERS, name);
}

/** How people identify a layout: labels per page, label size in millimetres, manufacturers' sheets. */
export function describeLabels(name: LabelLayout) {
  const { columns, rows, width, height, makers } = GRIDS[name];
  return { count: columns * rows, width, height, makers };
}

/** The page and its labels, row by row; a poster has one, inset by the trim when it has cut marks. */
export function layOut(name: LayoutName, hasCutMarks: boolean): { page: Place; places: Place[] } {
  if (isPoster(name)) {
    const { width, height } = POSTERS[name];
    const trim = hasCutMarks ? TRIM_MM : 0;
    return {
      page: { x: 0, y: 0, width: width + 2 * trim, height: height + 2 * trim },
      places: [{ x: trim, y: trim, width, height }],
    };
  }
  const { paper, columns, rows, width, height, gapX, gapY } = GRIDS[name];
  const page = { x: 0, y: 0, ...PAPERS[paper] };
  const left = (page.width - columns * width - (columns - 1) * gapX) / 2;
  const top = (page.height - rows * height - (rows - 1) * gapY) / 2;
  const places = Array.from({ length: columns * rows }, (_, n) => {
    const [column, row] = [n % columns, Math.floor(n / columns)];
    return { x: left + column * (width + gapX), y: top + row * (height + gapY), width, height };
  });
  return { page, places };
}

/**
 * Positions of a code, `ratio` times as high as wide, and its caption on a label or poster; the caption is beside the
 * code, below it or absent.
 */
export function divide(place: Place, hasCaption: boolean, ratio = 1): { code: Place; caption: Place | null } {
  const { x, y, width, height } = place;
  const margin = Math.max(1.5, Math.min(width, height) * 0.05);
  const inside = { width: width - 2 * margin, height: height - 2 * margin };
  if (!hasCaption) {
    const across = Math.min(inside.width, inside.height / ratio);
    const down = across * ratio;
    return {
      code: { x: x + (width - across) / 2, y: y + (height - down) / 2, width: across, height: down },
      caption: null,
    };
  }
  if (width > height * 1.25) {
    const across = Math.min(inside.height / ratio, (width - 3 * margin) * 0.6);
    const down = across * ratio;
    const textX = x + 2 * margin + across;
    return {
      code: { x: x + margin, y: y + (height - down) / 2, width: across, height: down },
      caption: { x: textX, y: y + margin, width: x + width - margin - textX, height: inside.height },
    };
  }
  const across = Math.min(inside.width, ((height - 3 * margin) * 0.74) / ratio);
  const down = across * ratio;
  const textY = y + 2 * margin + down;
  return {
    code: { x: x + (width - across) / 2, y: y + margin, width: across, height: down },
    caption: { x: x + margin, y: textY, width: inside.width, height: y + height - margin - textY },
  };
}

function mm(
  paper: Grid['paper'],
  columns: number,
  rows: number,
  width: number,
  height: number,
  gapX: number,
  gapY: number,
) {
  return { paper, columns, rows, width, height, gapX, gapY };
}

function inches(
  paper: Grid['paper'],
  columns: number,
  rows: number,
  ...lengths: [number, number, number, number]
) {
  const [width, height, gapX, gapY] = lengths.map((length) => length * INCH) as typeof lengths;
  return mm(paper, columns, rows, width, height, gapX, gapY);
}
