import type { TextName } from '~/i18n/text-keys';

/** Sizes and places are per cent of the plot, from its top left corner: a chart is as wide as there is room. */
export interface Bar {
  x: number;
  y: number;
  width: number;
  height: number;
  /** Counts a day that is not over. */
  isUnfinished?: true;
}

export interface Tick {
  at: number;
  label: string;
  /** May be left out where it is narrow. */
  minor?: boolean;
}

export type SeriesName = 'scans' | 'clicks' | 'bots' | 'previews' | 'owner' | 'visits';

export interface Columns {
  kind: 'columns';
  series: { name: SeriesName; bars: Bar[] }[];
  x: Tick[];
  y: Tick[];
}

export interface Steps {
  kind: 'steps';
  /** Path data of a plot of 100 × 100. */
  line: string;
  area: string;
  /** Of a day that is not over. */
  unfinished: string | null;
  x: Tick[];
  y: Tick[];
}

export interface DataTable {
  /** The first heads the rows. */
  head: string[];
  rows: { name: string; values: string[] }[];
}

/** Name of the text that says what is counted. */
export type DefinitionName = TextName<'statistics', 'definitions'>;

export interface Chart {
  definition: DefinitionName;
  finding: string;
  /** Null where there is nothing to draw. */
  drawing: Columns | Steps | null;
  table: DataTable;
}

export interface RankedRow {
  name: string;
  /** Page of what the row is about. */
  to?: string;
  /** Per cent of all that the rows are parts of. */
  bar: number;
  values: string[];
}

/** A table that is its own chart: each row has a bar. */
export interface Ranking {
  definition: DefinitionName;
  finding: string;
  head: string[];
  rows: RankedRow[];
}
