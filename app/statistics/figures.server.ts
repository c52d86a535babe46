import type { Statistics } from '#contract/statistics';
import type { ShownFigure, UnmeasuredReason } from './figure-list';
import type { Words } from './wording.server';

type Figures = Statistics['figures'];
type FigureName = Exclude<keyof Figures, 'bots' | 'previews' | 'owner'>;

/** Longer numbers would not fit side by side; charts, tables and files show every digit. */
const LONGEST_WHOLE = 9_999_999;

export const VISIT_FIGURES = ['visits', 'scans', 'clicks'] as const;
export const PEOPLE_FIGURES = [
  'unique_visitors',
  'actions_per_visitor',
  'engagements',
  'distinct_engagements',
  'conversion_rate',
] as const;
export const CODE_FIGURES = ['total_codes', 'active_codes', 'recently_created', 'average_per_code'] as const;

const REASONS: Partial<Record<FigureName, UnmeasuredReason>> = {
  average_per_code: 'average_per_code',
  actions_per_visitor: 'actions_per_visitor',
};

export function figureViews(figures: Figures, names: readonly FigureName[], words: Words): ShownFigure[] {
  return names.map((name) => {
    const { definition, value } = figures[name];
    return {
      definition: definition as ShownFigure['definition'],
      value: value === null ? null : shown(name, value, words),
      reason: REASONS[name] ?? 'engagements',
    };
  });
}

function shown(name: FigureName, value: number, words: Words): string {
  if (name === 'conversion_rate') return words.percent(value);
  if (!Number.isInteger(value)) return words.decimal(value);
  return value > LONGEST_WHOLE ? words.compact(value) : words.number(value);
}
