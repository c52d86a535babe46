import type { TextName } from '~/i18n/text-keys';

/** Sizes and positions are percentages of the plot, from its top left corner: a chart fills the available width. */
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
  /** May be left out on narrow screens. */
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
  /** Path data for a plot of 100 × 100. */
  line: string;
  area: string;
  /** Path for a day that is not over. */
  unfinished: string | null;
  x: Tick[];
  y: Tick[];
}

export interface DataTable {
  /** The first one is the header of the row names. */
  head: string[];
  rows: { name: string; values: string[] }[];
}

/** Name of the text that says what is counted. */
export type DefinitionName = TextName<'statistics', 'definitions'>;

export interface Chart {
  definition: DefinitionName;
  finding: string;
  /** Null when there is nothing to draw. */
  drawing: Columns | Steps | null;
  table: DataTable;
}

export interface RankedRow {
  name: string;
  /** Page of what the row is about. */
  to?: string;
  /** Percentage of the total. */
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
