import '~/styles/code-list.css';
import type { ActionFunctionArgs, LoaderFunctionArgs } from '@remix-run/node';
import { Link, useLoaderData } from '@remix-run/react';
import { useTranslation } from 'react-i18next';
import { requireUser } from '~/http/guards.server';
import { usePolling } from '~/ui/background-refresh';
import { Button, buttonClass } from '~/ui/button';
import { Form } from '~/ui/form';
import type { PageHandle } from '~/ui/page-head';
import { Pagination } from '~/ui/pagination';
import { handleJobStop, loadJobPage } from './bulk.server';
import { ImportedActs } from './imported-acts';
import { jobTitle } from './job-title';

export const handle: PageHandle = {
  page: 'codes:job',
  reloads: (data) => (data as JobData | null)?.job.status === 'running',
};

const POLLING = { everyMs: 1_500 };

export async function loader({ params, ...args }: LoaderFunctionArgs) {
  return loadJobPage(await requireUser(args), params.id);
}
type JobData = Awaited<ReturnType<typeof loader>>;

export async function action({ params, ...args }: ActionFunctionArgs) {
  return handleJobStop(await requireUser(args), params.id);
}

export { clientAction, shouldRevalidate } from '~/ui/form-route';

export default function JobPage() {
  const { job, files, problems, meta } = useLoaderData<typeof loader>();
  const { t } = useTranslation('codes');
  const isRunning = job.status === 'running';
  const done = job.succeeded + job.failed;
  const progress = t(`job.status.${job.status}`, { done, count: job.total });
  usePolling(isRunning, progress, POLLING);
  return (
    <div className="page job-page">
      <h1>{jobTitle(t, job)}</h1>
      <section className="sheet">
        <p>{progress}</p>
        {isRunning ? (
          <>
            <p>
              <label htmlFor="job-progress">{t('job.progress')}</label>{' '}
              <progress id="job-progress" value={done} max={Math.max(job.total, 1)} />
            </p>
            <p className="hint">
              {t('job.leave')} <a href={`/user/qrcodes/jobs/${job.id}`}>{t('job.again')}</a>
            </p>
            <Form>
              <Button variant="secondary">{t('job.stop')}</Button>
            </Form>
          </>
        ) : (
          <>
            {job.importId && job.succeeded > 0 && (
              <ImportedActs importId={job.importId} count={job.succeeded} />
            )}
            <p>
              <Link
                to="/user/qrcodes"
                className={buttonClass(job.importId && job.succeeded > 0 ? 'secondary' : 'primary')}
              >
                {t('one.back')}
              </Link>
            </p>
          </>
        )}
      </section>
      <p>
        <Link to="/user/qrcodes/jobs">{t('jobs.title')}</Link>
      </p>
      {job.kind === 'import' && job.succeeded > 0 && (
        <p>
          <a href={`/user/qrcodes/jobs/${job.id}/codes.csv`}>{t('job.names')}</a>
        </p>
      )}
      {files.mistakes && (
        <p>
          <a href={files.mistakes}>{t('job.mistakes')}</a>
        </p>
      )}
      {files.duplicates && (
        <p>
          <a href={files.duplicates}>{t('job.duplicates')}</a>
        </p>
      )}
      {problems.length > 0 && (
        <section className="sheet">
          <h2>{t('job.problems', { count: job.failed })}</h2>
          <ul className="job-page__problems">
            {problems.map(({ id, codeId, name, row, reason }) => (
              <li key={id}>
                <strong>
                  {row !== null && t('job.row', { row })}{' '}
                  {codeId ? <Link to={`/user/qrcodes/${codeId}`}>{name}</Link> : (name ?? t('job.gone'))}
                </strong>{' '}
                {reason}
              </li>
            ))}
          </ul>
          {meta && <Pagination {...meta} path={`/user/qrcodes/jobs/${job.id}`} />}
        </section>
      )}
    </div>
  );
}
