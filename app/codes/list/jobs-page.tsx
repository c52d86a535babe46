import '~/styles/code-list.css';
import type { LoaderFunctionArgs } from '@remix-run/node';
import { Link, useLoaderData } from '@remix-run/react';
import { useTranslation } from 'react-i18next';
import { requireUser } from '~/http/guards.server';
import { useLocale } from '~/i18n/use-locale';
import { usePolling } from '~/ui/background-refresh';
import { buttonClass } from '~/ui/button';
import { EmptyState } from '~/ui/page-layouts';
import { DateTime } from '~/ui/time';
import { loadJobs } from './bulk.server';
import { jobTitle } from './job-title';

export const handle = { page: 'codes:jobs' };

const POLLING = { everyMs: 3_000 };

export async function loader(args: LoaderFunctionArgs) {
  return loadJobs(await requireUser(args));
}

export { shouldRevalidate } from '~/ui/form-route';

export default function JobsPage() {
  const { jobs } = useLoaderData<typeof loader>();
  const { t } = useTranslation('codes');
  const locale = useLocale();
  const isRunning = jobs.some(({ status }) => status === 'running');
  usePolling(isRunning, t('jobs.ended'), POLLING);
  const back = (
    <Link to="/user/qrcodes" className={buttonClass('secondary')}>
      {t('one.back')}
    </Link>
  );
  return (
    <div className="page">
      <div className="page__top">
        <h1>{t('jobs.title')}</h1>
        {jobs.length > 0 && <div className="actions">{back}</div>}
      </div>
      {jobs.length === 0 ? (
        <EmptyState title={t('jobs.emptyTitle')} text={t('jobs.emptyText')} action={back} />
      ) : (
        <section className="sheet">
          <p className="hint">{t('jobs.period')}</p>
          <ul className="job-list">
            {jobs.map((job) => (
              <li key={job.id}>
                <Link to={`/user/qrcodes/jobs/${job.id}`}>
                  {jobTitle(t, job)}{' '}
                  <span className="hint">
                    <DateTime value={job.createdAt} locale={locale} />
                  </span>
                </Link>{' '}
                <span className="job-list__progress">
                  {t(`job.status.${job.status}`, { done: job.succeeded + job.failed, count: job.total })}
                  {job.failed > 0 && <> · {t('job.problems', { count: job.failed })}</>}
                </span>
              </li>
            ))}
          </ul>
        </section>
      )}
    </div>
  );
}
