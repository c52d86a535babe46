import type { TextName } from '~/i18n/text-keys';
import type { ColouredCountry } from './country-map';

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

/** One line for each of up to four columns of a comparison, told apart by dashes and letters. */
export interface Lines {
  kind: 'lines';
  lines: { letter: string; name: string; path: string; end: { x: number; y: number } }[];
  x: Tick[];
  y: Tick[];
}

export type Drawing = Columns | Steps | Lines;

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
  drawing: Drawing | null;
  table: DataTable;
}

/** Visits by weekday, from Monday, and by parts of the day. */
export interface Week {
  definition: DefinitionName;
  finding: string;
  /** The first hour of each part of the day. */
  parts: string[];
  days: {
    name: string;
    /** `level` is 0 to 4: the more visits, the darker. */
    cells: { visits: string; level: number }[];
  }[];
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
  /** Further explanation of how it is counted. */
  note?: string | null;
  head: string[];
  rows: RankedRow[];
  /** To be coloured in a map, if there is one. */
  countries?: ColouredCountry[];
}
