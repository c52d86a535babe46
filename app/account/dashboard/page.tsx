import '~/styles/dashboard.css';
import '~/styles/figure-list.css';
import '~/styles/charts.css';
import '~/styles/stacked-table.css';
import type { ActionFunctionArgs, LoaderFunctionArgs } from '@remix-run/node';
import { Link, useLoaderData } from '@remix-run/react';
import { useTranslation } from 'react-i18next';
import { LOCALES, type Locale } from '#contract/locales';
import { nameOf } from '~/codes/code/codes.server';
import { CONTENT_FORMS } from '~/codes/contents/content-forms';
import { handleUnfinishedDesign } from '~/codes/create/unfinished-design.server';
import { requireUser } from '~/http/guards.server';
import type { TextName } from '~/i18n/text-keys';
import { useTimeZone } from '~/i18n/use-locale';
import { ChartFigure } from '~/statistics/chart-figure';
import { FigureList } from '~/statistics/figure-list';
import { ChartFills } from '~/statistics/plot';
import { recentFigures } from '~/statistics/recent.server';
import { UncountedNote } from '~/statistics/uncounted-note';
import { Button, buttonClass } from '~/ui/button';
import { Form } from '~/ui/form';
import { formatDate } from '~/ui/format';
import { Icon } from '~/ui/icon';
import { EmptyState } from '~/ui/page-layouts';
import { getDashboard } from './dashboard.server';
import { ActivityTable, MostVisited } from './sections';

export const handle = { page: 'dashboard:' };

export async function loader(args: LoaderFunctionArgs) {
  return getDashboard(await requireUser(args), { nameOf, figuresOf: recentFigures });
}

export async function action(args: ActionFunctionArgs) {
  return handleUnfinishedDesign(await requireUser(args));
}

export { clientAction, shouldRevalidate } from '~/ui/form-route';

export default function DashboardPage() {
  const { name, hasCodes, recent, mostVisited, subscription, activities, locale, unfinished } =
    useLoaderData<typeof loader>();
  const { t } = useTranslation('dashboard');
  return (
    <div className="page dashboard">
      <div className="page__top">
        <h1>{t('welcome', { name })}</h1>
        {hasCodes && (
          <Link to="/user/qrcodes" className={buttonClass('secondary')}>
            <Icon name="code" />
            {t('common:nav.qrcodes')}
          </Link>
        )}
      </div>
      {unfinished && <UnfinishedDesign {...unfinished} />}
      <SubscriptionLine subscription={subscription} locale={locale} />
      {!hasCodes ? (
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
        <section className="dashboard__recent" aria-labelledby="recent">
          <div className="page__top">
            <h2 id="recent">{t('figures.heading', { days: recent.days })}</h2>
            <Link to="/user/analytics">{t('figures.more')}</Link>
          </div>
          <FigureList figures={recent.figures} />
          <UncountedNote count={recent.uncounted} />
          <div className="dashboard__pair">
            <ChartFills />
            <ChartFigure chart={recent.trend} isSmall />
            <MostVisited
              codes={mostVisited.map(({ type, ...code }) => ({ ...code, icon: CONTENT_FORMS[type].icon }))}
              locale={locale}
            />
          </div>
        </section>
      )}
      <ActivityTable activities={activities} locale={locale} />
    </div>
  );
}

interface SubscriptionLineProps {
  subscription: {
    plan: string;
    status: TextName<'dashboard', 'subscription.status'>;
    accessUntil: string;
    running: boolean;
    ending: boolean;
  } | null;
  locale: Locale;
}

/** The subscription in one line, with a link to its page. */
function SubscriptionLine({ subscription, locale }: SubscriptionLineProps) {
  const { t } = useTranslation('dashboard');
  const timeZone = useTimeZone();
  const date = subscription && formatDate(subscription.accessUntil, LOCALES[locale].tag, { timeZone });
  const moment = subscription?.running ? (subscription.ending ? 'ending' : 'until') : 'ended';
  return (
    <p className="subscription-line">
      <Icon name="card" />
      <span>
        {subscription ? (
          <span suppressHydrationWarning>
            <strong>
              {t(`subscription.status.${subscription.ending ? 'ending' : subscription.status}`)}
            </strong>{' '}
            {subscription.status === 'due_date'
              ? t(`subscription.overdue.${subscription.running ? 'until' : 'ended'}`, { date })
              : subscription.status !== 'incomplete' && t(`subscription.${moment}`, { date })}
          </span>
        ) : (
          <span>{t('subscription.none')}</span>
        )}{' '}
        <Link to={subscription ? '/user/subscription' : '/pricings'}>
          {t(subscription ? 'subscription.manage' : 'subscription.plans')}
        </Link>
      </span>
    </p>
  );
}

interface UnfinishedDesignProps {
  id: string;
  /** What was typed. */
  name: string;
  /** A sentence; null when the design could become a code now. */
  reason: string | null;
}

/** A design from before the purchase that could not become a code: why, and how to fix it. */
function UnfinishedDesign({ id, name, reason }: UnfinishedDesignProps) {
  const { t } = useTranslation('dashboard');
  return (
    <section className="sheet unfinished-design" aria-labelledby="unfinished">
      <h2 id="unfinished">{t('unfinished.heading')}</h2>
      <p>{t('unfinished.lead')}</p>
      {name && (
        <p className="unfinished-design__name">
          <bdi>{name}</bdi>
        </p>
      )}
      {reason && (
        <p className="warning">
          <Icon name="warning" />
          {reason}
        </p>
      )}
      <Form>
        <input type="hidden" name="draft" value={id} />
        <div className="actions">
          <Button name="intent" value="fix">
            {t('unfinished.fix')}
          </Button>
          <Button name="intent" value="discard" variant="quiet">
            {t('unfinished.discard')}
          </Button>
        </div>
      </Form>
    </section>
  );
}
