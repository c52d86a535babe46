import '~/styles/dashboard.css';
import type { ActionFunctionArgs, LoaderFunctionArgs } from '@remix-run/node';
import { Link, useLoaderData } from '@remix-run/react';
import { useTranslation } from 'react-i18next';
import { ActivityTable } from '~/account/activity-table';
import { getDashboard } from '~/account/dashboard.server';
import { Figures } from '~/account/figures';
import { RecentVisits } from '~/account/recent-visits';
import { SubscriptionLine } from '~/account/subscription-line';
import { nameOf } from '~/codes/codes.server';
import { UnfinishedDesign } from '~/codes/unfinished-design';
import { handleUnfinishedDesign } from '~/codes/unfinished-design.server';
import { requireUser } from '~/http/guards.server';
import { buttonClass } from '~/ui/button';
import { EmptyState } from '~/ui/empty-state';
import { Icon } from '~/ui/icon';

export const handle = { page: 'dashboard:' };

export async function loader({ request, context }: LoaderFunctionArgs) {
  const session = await requireUser(request);
  return getDashboard({ request, context }, session, nameOf);
}

export async function action({ request, context }: ActionFunctionArgs) {
  const { token } = await requireUser(request);
  return handleUnfinishedDesign({ request, context }, token);
}

export { clientAction, shouldRevalidate } from '~/ui/form-route';

export default function DashboardPage() {
  const { name, stats, subscription, activities, locale, unfinished, ...recent } =
    useLoaderData<typeof loader>();
  const { t } = useTranslation('dashboard');
  return (
    <div className="page dashboard">
      <div className="page__top">
        <h1>{t('welcome', { name })}</h1>
        {stats.codes > 0 && (
          <Link to="/user/qrcodes" className={buttonClass('secondary')}>
            <Icon name="code" />
            {t('common:nav.qrcodes')}
          </Link>
        )}
      </div>
      {unfinished && <UnfinishedDesign {...unfinished} />}
      <SubscriptionLine subscription={subscription} locale={locale} />
      {stats.codes === 0 ? (
        <EmptyState
          title={t('empty.title')}
          text={t('empty.text')}
          action={
            <Link to="/create" className={buttonClass('primary')}>
              <Icon name="plus" />
              {t('common:nav.create')}
            </Link>
          }
        />
      ) : (
        <>
          <h2>{t('figures.heading')}</h2>
          <Figures stats={stats} locale={locale} />
          <RecentVisits days={recent.visitsByDay} codes={recent.mostVisited} locale={locale} />
          <p>
            <Link to="/user/analytics">{t('figures.more')}</Link>
          </p>
        </>
      )}
      {activities.length > 0 && <ActivityTable activities={activities} locale={locale} />}
    </div>
  );
}
