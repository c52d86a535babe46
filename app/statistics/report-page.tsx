import '~/styles/statistics.css';
import '~/styles/charts.css';
import '~/styles/ranking.css';
import '~/styles/fold.css';
import '~/styles/report.css';
import type { ActionFunctionArgs, LoaderFunctionArgs } from '@remix-run/node';
import { Link, useLoaderData } from '@remix-run/react';
import { useTranslation } from 'react-i18next';
import { nameOf } from '~/codes/code/codes.server';
import { requireUser } from '~/http/guards.server';
import { buttonClass } from '~/ui/button';
import type { FormHandle } from '~/ui/language-switch';
import { usePageActionData } from '~/ui/page-action-data';
import { NoSubscription } from './no-subscription';
import { getReport } from './report.server';
import { ReportBody } from './report-body';
import { SharedLinks, ShareForm } from './shared-links';
import { handleSharing } from './shared-links.server';

export const handle = {
  page: 'statistics:report',
  form: (data) => ((data as { report: unknown }).report ? 'share' : null),
} satisfies FormHandle & { page: string };

export async function loader(args: LoaderFunctionArgs) {
  return getReport(await requireUser(args), nameOf);
}

export async function action(args: ActionFunctionArgs) {
  return handleSharing(await requireUser(args));
}

export { clientAction, shouldRevalidate } from '~/ui/form-route';

export default function ReportPage() {
  const { report, links } = useLoaderData<typeof loader>();
  const { t } = useTranslation('statistics');
  return (
    <div className="page statistics report">
      <h1>{report?.heading ?? t('report.heading')}</h1>
      {report ? (
        <OwnReport report={report} />
      ) : (
        <>
          <NoSubscription />
          <SharedLinks links={links} />
        </>
      )}
    </div>
  );
}

type Shown = NonNullable<ReturnType<typeof useLoaderData<typeof loader>>['report']>;

function OwnReport({ report }: { report: Shown }) {
  const { formKey, links } = useLoaderData<typeof loader>();
  const actionData = usePageActionData<typeof action>();
  const { t } = useTranslation('statistics');
  return (
    <>
      <p className="lead">{report.lead}</p>
      <p className="hint">{report.made}</p>
      <p className="report__links">
        <a className={buttonClass()} href={`/user/analytics/report.pdf?${report.query}`} download>
          {t('report.pdf')}
        </a>{' '}
        <Link to={`/user/analytics?${report.query}`}>{t('report.change')}</Link>
      </p>
      {/* Closed again once there is one more link. */}
      <ShareForm
        key={links.length}
        shows={report.shares}
        formKey={formKey}
        lastResult={actionData?.lastResult}
      />
      <SharedLinks links={links} />
      <ReportBody report={report} />
    </>
  );
}
