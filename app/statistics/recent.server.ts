import type { Locale } from '#contract/locales';
import type { Statistics } from '#contract/statistics';
import { i18nOf } from '~/i18n/messages.server';
import { trendChart } from './charts.server';
import { figureViews, VISIT_FIGURES } from './figures.server';
import { wordsOf } from './wording.server';

const FIGURES = [...VISIT_FIGURES, 'unique_visitors', 'active_codes'] as const;

type Recent = Pick<Statistics, 'asOf' | 'period' | 'uncounted' | 'figures' | 'trend'>;

/** The figures and the chart of the dashboard, in the reader's language. */
export function recentFigures(statistics: Recent, locale: Locale) {
  const { figures, trend } = statistics;
  const words = wordsOf(locale);
  const { t } = i18nOf(locale);
  const codes = figures.total_codes.value ?? 0;
  const perDay = (figures.visits.value ?? 0) / trend.days.length;
  const lines: Partial<Record<(typeof FIGURES)[number], string>> = {
    visits: t('dashboard:figures.perDay', { number: words.decimal(perDay) }),
    active_codes: t('dashboard:figures.ofCodes', { count: codes, number: words.number(codes) }),
  };
  return {
    days: trend.days.length,
    uncounted: statistics.uncounted,
    figures: figureViews(figures, FIGURES, words).map((figure, position) => {
      const line = lines[FIGURES[position] ?? 'scans'];
      return line === undefined ? figure : { ...figure, line };
    }),
    trend: trendChart(statistics, words),
  };
}
