import { Link } from '@remix-run/react';
import { useTranslation } from 'react-i18next';
import { useLocale } from '~/i18n/use-locale';
import { Icon } from '~/ui/icon';
import { DateTime } from '~/ui/time';

/** Fragment id of the notice on a code's page. */
const NOTICE = 'blocked';

interface Props {
  block: {
    scope: 'code' | 'host';
    host: string | null;
    /** ISO 8601. */
    at: string;
    reason: string | null;
  };
}

/** Tells the owner that an operator blocked the code, why, and what to do about it. */
export function BlockNotice({ block: { scope, host, at, reason } }: Props) {
  const { t } = useTranslation('codes');
  const locale = useLocale();
  return (
    <section className="notice warning block-notice" id={NOTICE} aria-labelledby={`${NOTICE}-heading`}>
      <Icon name="warning" />
      <div>
        <h2 id={`${NOTICE}-heading`}>{t('blocked.heading')}</h2>
        {reason && (
          <p>
            {t('blocked.reason')} <strong dir="auto">{reason}</strong>
          </p>
        )}
        <p>{scope === 'host' ? t('blocked.host', { host }) : t('blocked.code')}</p>
        <p>{t('blocked.kept')}</p>
        <p>
          {t('blocked.objection')} <Link to="/contact">{t('blocked.contact')}</Link>
        </p>
        <p className="muted">
          {t('blocked.since')} <DateTime value={at} locale={locale} />
        </p>
      </div>
    </section>
  );
}

/** One-line version of `BlockNotice` for a row of the code list. */
export function BlockLine({ id, name, reason }: { id: string; name: string; reason: string | null }) {
  const { t } = useTranslation('codes');
  return (
    <span className="block-line">
      <Icon name="warning" />
      <span>
        <strong>{t('blocked.badge')}</strong>
        {reason && (
          <>
            {': '}
            <span dir="auto">{reason}</span>
          </>
        )}{' '}
        <Link to={`/user/qrcodes/${id}#${NOTICE}`}>
          {t('blocked.more')} <span className="sr-only">{name}</span>
        </Link>
      </span>
    </span>
  );
}
