import { readScope } from '~/http/scope.server';
import '~/styles/statistics-filter.css';
import '~/styles/live.css';
import '~/styles/statistics.css';
import '~/styles/figure-list.css';
import '~/styles/charts.css';
import '~/styles/ranking.css';
import type { HeadersArgs, LoaderFunctionArgs } from '@remix-run/node';
import { Link, useLoaderData } from '@remix-run/react';
import { useTranslation } from 'react-i18next';
import { nameOf } from '~/codes/code/codes.server';
import { requireUser } from '~/http/guards.server';
import { buttonClass } from '~/ui/button';
import { ErrorSummary } from '~/ui/form-errors';
import { EmptyState } from '~/ui/page-layouts';
import { ChartFigure } from './chart-figure';
import { CodeSearch } from './code-search';
import { ExportForm } from './export-form';
import { FigureList } from './figure-list';
import { StatisticsFilterForm } from './filter-form';
import { LiveLine } from './live-figures';
import { ChartFills } from './plot';
import { RankingFigure } from './ranking-figure';
import { getAnalytics, markInvalidFilter } from './statistics.server';

export const handle = { page: 'statistics:' };

export function headers({ loaderHeaders, errorHeaders }: HeadersArgs): HeadersInit {
  const wait = (errorHeaders ?? loaderHeaders).get('Retry-After');
  return wait === null ? {} : { 'Retry-After': wait };
}

export async function loader(args: LoaderFunctionArgs) {
  markInvalidFilter(await readScope(args));
  return getAnalytics(await requireUser(args), nameOf);
}

export { shouldRevalidate } from '~/ui/form-route';

export default function AnalyticsPage() {
  const data = useLoaderData<typeof loader>();
  const { t } = useTranslation('statistics');
  return (
    <div className="page statistics">
      <h1>{t('heading')}</h1>
      {data.refusal && <ErrorSummary errors={[{ text: data.refusal }]} />}
      {data.statistics ? <StatisticsReport data={data} statistics={data.statistics} /> : <NoSubscription />}
      <ExportForm {...data.exports} />
    </div>
  );
}

type Data = ReturnType<typeof useLoaderData<typeof loader>>;
type Shown = Extract<Data, { statistics: object }>;

function StatisticsReport({ data, statistics }: { data: Shown; statistics: Shown['statistics'] }) {
  const { t } = useTranslation('statistics');
  const { code, tag } = statistics;
  return (
    <>
      <StatisticsFilterForm form={data.form} />
      {data.search && <CodeSearch search={data.search} />}
      <div className="statistics__head">
        <p className="lead">
          <strong>{statistics.days}</strong> <Subject statistics={statistics} />{' '}
          <span>{statistics.zone}</span>
        </p>
        <LiveLine stream={data.stream} asOf={statistics.asOf} />
      </div>
      {statistics.secondsBehind && (
        <p className="note">{t('behind', { seconds: statistics.secondsBehind })}</p>
      )}
      {tag && <p className="note">{t('tagged.note')}</p>}
      {code?.since && <p className="note">{t('since', { date: code.since })}</p>}
      {data.isEmpty ? <NoCodes /> : <Figures statistics={statistics} />}
    </>
  );
}

/** What the figures are about: a code, a tag, or all codes. */
function Subject({ statistics: { code, tag } }: { statistics: Shown['statistics'] }) {
  const { t } = useTranslation('statistics');
  if (code) return <Link to={`/user/qrcodes/${code.id}`}>{code.name}</Link>;
  if (!tag) return <span>{t('filter.allCodes')}</span>;
  return <Link to={`/user/qrcodes?tag=${encodeURIComponent(tag)}`}>{t('tagged.heading', { tag })}</Link>;
}

function Figures({ statistics }: { statistics: Shown['statistics'] }) {
  const { t } = useTranslation('statistics');
  const { visits, people, codes, rankings } = statistics;
  return (
    <>
      <ChartFills />
      <div className="statistics__sections">
        <section>
          <h2>{t('sections.visits')}</h2>
          <FigureList figures={visits.figures} />
          {statistics.note && <p className="note">{statistics.note}</p>}
          <ChartFigure chart={visits.trend} note={statistics.note} />
          <div className="statistics__pairs">
            {visits.charts.map((chart) => (
              <ChartFigure key={chart.definition} chart={chart} note={statistics.note} isSmall />
            ))}
          </div>
        </section>
        <section>
          <h2>{t('sections.people')}</h2>
          <FigureList figures={people.figures} />
          <ChartFigure chart={people.chart} />
        </section>
        {codes && (
          <section>
            <h2>{t('sections.codes')}</h2>
            <FigureList figures={codes.figures} />
            <Rankings rankings={codes.rankings} />
          </section>
        )}
        <section>
          <h2>{t(statistics.hasOrigin ? 'sections.meansAndOrigin' : 'sections.means')}</h2>
          <Rankings rankings={rankings} />
        </section>
      </div>
    </>
  );
}

function Rankings({ rankings }: { rankings: Shown['statistics']['rankings'] }) {
  return (
    <div className="statistics__pairs">
      {rankings.map((ranking) => (
        <RankingFigure key={ranking.definition} ranking={ranking} />
      ))}
    </div>
  );
}

function NoCodes() {
  const { t } = useTranslation('statistics');
  return (
    <EmptyState
      title={t('empty.title')}
      text={t('empty.text')}
      action={
        <Link to="/create" className={buttonClass()}>
          {t('common:nav.create')}
        </Link>
      }
    />
  );
}

/** Figures need a subscription; counting goes on without one. */
function NoSubscription() {
  const { t } = useTranslation('statistics');
  return (
    <EmptyState
      title={t('locked.title')}
      text={t('locked.text')}
      action={
        <Link to="/user/subscription" className={buttonClass()}>
          {t('locked.action')}
        </Link>
      }
    />
  );
}
