import { LOCALES, type Locale } from '#contract/locales';
import { utcDay } from '#contract/time';
import type { Ranking } from './chart-data';
import { type ColouredCountry, viewOf } from './country-map';
import type { Report } from './report.server';
import { type Words, wordsOf } from './wording.server';
import world from './world.svg?raw';

const RANKED_ROWS = 8;
/** By level of a country: as on the page. */
const SHARES = [0, 0.4, 0.6, 0.8, 1];

/** Draws what `orderOf` returns. */
export type DrawReport = (order: ReturnType<typeof orderOf>) => Promise<Uint8Array<ArrayBuffer>>;

/** The report as a file to be kept. */
export async function respondReport(
  report: Report,
  locale: Locale,
  draw: DrawReport,
  headers: Record<string, string>,
): Promise<Response> {
  const bytes = await draw(orderOf(report, LOCALES[locale].html, wordsOf(locale)));
  return new Response(bytes, {
    headers: {
      ...headers,
      'Content-Type': 'application/pdf',
      'Content-Disposition': `attachment; filename="report-${utcDay(new Date())}.pdf"`,
    },
  });
}

function orderOf(
  { heading, lead, made, summary, figures, trend, rankings }: Report,
  lang: string,
  words: Words,
) {
  const { t } = words;
  const head = [
    t('statistics:report.figure'),
    t('statistics:report.value'),
    t('statistics:report.definitions'),
  ];
  const rows = figures.map(({ label, value, line, text }) => [
    label,
    line ? t('common:labelled', { label: value, value: line }) : value,
    text,
  ]);
  return {
    lang,
    heading,
    lead,
    made,
    summary,
    summaryNote: t('statistics:summary.note'),
    figures: { heading: t('statistics:report.figures'), rows: [head, ...rows] },
    trend: trendOf(trend, words),
    rankings: rankings.map((ranking) => tableOf(ranking, words)),
    page: t('statistics:report.page', { page: '{page}', pages: '{pages}' }),
  };
}

function trendOf({ definition, finding, drawing, note }: Report['trend'], { t }: Words) {
  const columns = drawing?.kind === 'columns' ? drawing : null;
  const legend = columns?.series.map(({ name }, at) =>
    t('statistics:report.legend', {
      colour: t(at === 0 ? 'statistics:report.red' : 'statistics:report.black'),
      name: t(`statistics:series.${name}`),
    }),
  );
  return {
    heading: t(`statistics:definitions.${definition}.label`),
    finding,
    counted: countedIn({ definition, note }, { t }),
    columns,
    legend: legend?.join(' · ') ?? '',
  };
}

function tableOf({ definition, finding, note, head, rows, countries }: Ranking, { t }: Words) {
  const shown = rows.slice(0, RANKED_ROWS).map(({ name, values }) => [name, ...values]);
  return {
    heading: t(`statistics:definitions.${definition}.label`),
    finding,
    counted: countedIn({ definition, note }, { t }),
    rows: [head, ...shown],
    map: countries ? mapOf(countries) : null,
  };
}

/** What a chart or a ranking counts, and of what age its data are. */
function countedIn(
  { definition, note }: Pick<Ranking, 'definition' | 'note'>,
  { t }: Pick<Words, 't'>,
): string {
  return [t(`statistics:definitions.${definition}.text`), note].filter(Boolean).join(' ');
}

const PATHS = [...world.matchAll(/<path id="(\w+)" d="([^"]+)"/g)].map(([, code = '', path = '']) => ({
  code,
  path,
}));

function mapOf(countries: ColouredCountry[]) {
  const [x = 0, y = 0, width = 0, height = 0] = viewOf(countries).split(' ').map(Number);
  const levels = new Map(countries.map(({ code, level }) => [code, level]));
  return {
    view: { x, y, width, height },
    countries: PATHS.map(({ code, path }) => ({ path, share: SHARES[levels.get(code) ?? 0] ?? 1 })),
  };
}
