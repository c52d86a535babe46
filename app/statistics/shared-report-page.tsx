import '~/styles/statistics.css';
import '~/styles/charts.css';
import '~/styles/ranking.css';
import '~/styles/report.css';
import type { LoaderFunctionArgs } from '@remix-run/node';
import { useLoaderData } from '@remix-run/react';
import { useTranslation } from 'react-i18next';
import { readScope } from '~/http/scope.server';
import { buttonClass } from '~/ui/button';
import type { PageHandle } from '~/ui/page-head';
import { PageHeading } from '~/ui/page-layouts';
import { ReportBody } from './report-body';
import { getShared, SHARED_HEADERS } from './shared-report.server';

type Over = 'unknown' | 'ended' | 'paused';

export const handle: PageHandle = {
  page: (data) => {
    const { over, owner = '' } = data as { over: Over | null; owner?: string };
    const key = over ? (`statistics:sharedReport.over.${over}` as const) : 'statistics:sharedReport';
    return { key, values: { name: owner }, isUnlisted: true };
  },
};

export function headers() {
  return SHARED_HEADERS;
}

export async function loader(args: LoaderFunctionArgs) {
  return getShared(await readScope(args));
}

export { shouldRevalidate } from '~/ui/form-route';

export default function SharedReportPage() {
  const shared = useLoaderData<typeof loader>();
  const { t } = useTranslation('statistics');
  if (shared.over) return <NoReport reason={shared.over} />;
  const { report, pdf } = shared;
  return (
    <div className="page statistics report">
      <h1>{report.heading}</h1>
      <p className="lead">{report.lead}</p>
      <p className="hint">{report.made}</p>
      <p className="report__links">
        <a className={buttonClass()} href={pdf} rel="nofollow" download>
          {t('report.pdf')}
        </a>
      </p>
      <ReportBody report={report} />
    </div>
  );
}

function NoReport({ reason }: { reason: Over }) {
  const { t } = useTranslation('statistics');
  return (
    <div className="form-page">
      <PageHeading
        title={t(`sharedReport.over.${reason}.title`)}
        lead={t(`sharedReport.over.${reason}.text`)}
      />
    </div>
  );
}
