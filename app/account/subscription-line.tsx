import { Link } from '@remix-run/react';
import { useTranslation } from 'react-i18next';
import { LOCALES, type Locale } from '~/i18n/locales';
import type { TextName } from '~/i18n/text-keys';
import { useTimeZone } from '~/i18n/use-locale';
import { formatDate } from '~/ui/format';
import { Icon } from '~/ui/icon';

interface Props {
  subscription: {
    plan: string;
    status: TextName<'dashboard', 'subscription.status'>;
    accessUntil: string;
    running: boolean;
  } | null;
  locale: Locale;
}

/** The subscription in one line, with a link to its page. */
export function SubscriptionLine({ subscription, locale }: Props) {
  const { t } = useTranslation('dashboard');
  const timeZone = useTimeZone();
  const date = subscription && formatDate(subscription.accessUntil, LOCALES[locale].tag, { timeZone });
  const moment = subscription?.running ? 'until' : 'ended';
  return (
    <p className="subscription-line">
      <Icon name="card" />
      <span>
        {subscription ? (
          <span suppressHydrationWarning>
            <strong>{t(`subscription.status.${subscription.status}`)}</strong>{' '}
            {subscription.status === 'due_date'
              ? t(`subscription.overdue.${moment}`, { date })
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
