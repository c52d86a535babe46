import { readScope } from '~/http/scope.server';
import '~/styles/statistics-filter.css';
import '~/styles/live.css';
import '~/styles/statistics.css';
import '~/styles/figure-list.css';
import '~/styles/fold.css';
import '~/styles/charts.css';
import '~/styles/ranking.css';
import type { HeadersArgs, LoaderFunctionArgs } from '@remix-run/node';
import { Link, useLoaderData } from '@remix-run/react';
import { useTranslation } from 'react-i18next';
import { nameOf } from '~/codes/code/codes.server';
import { requireUser } from '~/http/guards.server';
import { buttonClass } from '~/ui/button';
import { Explanation } from '~/ui/explanation';
import { ErrorSummary } from '~/ui/form-errors';
import { EmptyState } from '~/ui/page-layouts';
import { ChartFigure } from './chart-figure';
import { CodeSearch } from './code-search';
import { ExportForm } from './export-form';
import { FigureList } from './figure-list';
import { StatisticsFilterForm } from './filter-form';
import { LiveLine } from './live-figures';
import { NoSubscription } from './no-subscription';
import { ChartFills } from './plot';
import { RankingFigure } from './ranking-figure';
import { getAnalytics, markInvalidFilter } from './statistics.server';
import { UncountedNote } from './uncounted-note';
import { WeekFigure } from './week-figure';

export const handle = { page: 'statistics:' };

/** Shown at once, so that the map does not make its neighbours much too long. */
const COUNTRIES = 5;

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
      <div className="page__top">
        <h1>{t('heading')}</h1>
        {data.statistics && <Links {...data.links} />}
      </div>
      {data.refusal && <ErrorSummary errors={[{ text: data.refusal }]} />}
      {data.statistics ? <StatisticsReport data={data} statistics={data.statistics} /> : <NoSubscription />}
      <ExportForm {...data.exports} isOpen={!data.statistics || data.refusal !== null} />
    </div>
  );
}

type Data = ReturnType<typeof useLoaderData<typeof loader>>;
type Shown = Extract<Data, { statistics: object }>;

function StatisticsReport({ data, statistics }: { data: Shown; statistics: Shown['statistics'] }) {
  const { t } = useTranslation('statistics');
  const { code } = statistics;
  return (
    <>
      <StatisticsFilterForm form={data.form} />
      {data.search && <CodeSearch search={data.search} />}
      <div className="statistics__head">
        <p className="lead">
          <strong>{statistics.days}</strong> <Subject statistics={statistics} />{' '}
          <span>{statistics.zone}</span>
        </p>
        {!code?.isStatic && <LiveLine stream={data.stream} asOf={statistics.asOf} />}
      </div>
      {statistics.secondsBehind && (
        <p className="note">{t('behind', { seconds: statistics.secondsBehind })}</p>
      )}
      {statistics.notes.map((note) => (
        <p key={note} className="note">
          {note}
        </p>
      ))}
      {code?.isStatic ? (
        <EmptyState title={t('static.title')} text={t('static.text')} />
      ) : (
        <>
          <UncountedNote count={statistics.uncounted} isOneCode={code !== null} />
          {code?.since && <p className="note">{t('since', { date: code.since })}</p>}
          {data.isEmpty ? <NoCodes /> : <Figures statistics={statistics} />}
        </>
      )}
    </>
  );
}

function Links({ compare, report }: Shown['links']) {
  const { t } = useTranslation('statistics');
  return (
    <p className="statistics__links">
      <Link to={`/user/analytics/compare${compare}`}>{t('compare.heading')}</Link>{' '}
      <Link to={`/user/analytics/report?${report}`}>{t('report.heading')}</Link>
    </p>
  );
}

/** What the figures are about: a code, those with a tag or of a campaign, or all codes. */
function Subject({ statistics: { code, subject, list } }: { statistics: Shown['statistics'] }) {
  if (code) return <Link to={`/user/qrcodes/${code.id}`}>{code.name}</Link>;
  return list ? <Link to={`/user/qrcodes?${list}`}>{subject}</Link> : <span>{subject}</span>;
}

function Figures({ statistics }: { statistics: Shown['statistics'] }) {
  const { t } = useTranslation('statistics');
  const { figures, note, when, isUnvisited } = statistics;
  return (
    <>
      <ChartFills />
      <section className="statistics__summary sheet explained" aria-labelledby="summary">
        <h2 id="summary">{t('summary.heading')}</h2>
        <Explanation name={t('summary.heading')}>{t('summary.note')}</Explanation>
        <ul>
          {statistics.summary.map((sentence) => (
            <li key={sentence}>{sentence}</li>
          ))}
        </ul>
      </section>
      <div className="statistics__sections">
        <section className="statistics__figures">
          <h2>{t('report.figures')}</h2>
          <FigureList figures={figures} />
          {note && <p className="note">{note}</p>}
        </section>
        <section>
          <h2>{t('sections.when')}</h2>
          <ChartFigure chart={when.trend} note={note} />
          {!isUnvisited && (
            <div className="statistics__pairs">
              <ChartFigure chart={when.hours} note={note} isSmall />
              {when.week && <WeekFigure week={when.week} note={note} />}
              <ChartFigure chart={when.visitors} isSmall />
            </div>
          )}
        </section>
        {!isUnvisited && <Origin statistics={statistics} />}
      </div>
    </>
  );
}

function Origin({ statistics }: { statistics: Shown['statistics'] }) {
  const { t } = useTranslation('statistics');
  const { note, codes, campaigns, origin } = statistics;
  return (
    <>
      <div className={codes ? 'statistics__origin statistics__origin--codes' : 'statistics__origin'}>
        {codes && (
          <section>
            <h2>{t('sections.codes')}</h2>
            <RankingFigure ranking={codes.mostActive} />
            <RankingFigure ranking={codes.types} isFolded />
          </section>
        )}
        <section>
          <h2>{t(origin.countries ? 'sections.meansAndOrigin' : 'sections.means')}</h2>
          <div className="statistics__pairs">
            {origin.countries && <RankingFigure ranking={origin.countries} most={COUNTRIES} />}
            <div>
              <RankingFigure ranking={origin.devices} />
              <RankingFigure ranking={origin.systems} isFolded />
              <RankingFigure ranking={origin.languages} isFolded />
              <ChartFigure chart={origin.apart} note={note} isSmall isFolded />
            </div>
          </div>
        </section>
      </div>
      {campaigns.length > 0 && (
        <section>
          <h2>{t('sections.campaigns')}</h2>
          <div className="statistics__pairs">
            {campaigns.map((ranking) => (
              <RankingFigure key={ranking.definition} ranking={ranking} />
            ))}
          </div>
        </section>
      )}
    </>
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
