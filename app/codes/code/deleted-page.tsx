import { data, type LoaderFunctionArgs } from '@remix-run/node';
import { Link, useLoaderData } from '@remix-run/react';
import { useTranslation } from 'react-i18next';
import { LOCALES } from '#contract/locales';
import { requireUser } from '~/http/guards.server';
import { useLocale, useTimeZone } from '~/i18n/use-locale';
import { buttonClass } from '~/ui/button';
import { formatDate } from '~/ui/format';
import { DateTime } from '~/ui/time';
import { getDeletion } from './codes.server';

export const handle = { page: 'codes:deleted' };

/**
 * Redirect target of every URL of a deleted code: its pages, its files, a change posted from another window.
 */
export async function loader({ params, ...args }: LoaderFunctionArgs) {
  const scope = await requireUser(args);
  return data(await getDeletion(scope, params.id), { status: 410 });
}

export { shouldRevalidate } from '~/ui/form-route';

export default function DeletedCodePage() {
  const { deletedAt, restorableUntil } = useLoaderData<typeof loader>();
  const { t } = useTranslation('codes');
  const locale = useLocale();
  const timeZone = useTimeZone();
  return (
    <div className="form-page">
      <h1>{t('deleted.heading')}</h1>
      <p className="lead">
        {t('deleted.when')} <DateTime value={deletedAt} locale={locale} />
      </p>
      <p>{t('deleted.changes')}</p>
      <p>{t('deleted.printed')}</p>
      {restorableUntil ? (
        <p suppressHydrationWarning>
          {t('deleted.restorable', { date: formatDate(restorableUntil, LOCALES[locale].tag, { timeZone }) })}{' '}
          <Link to="/contact">{t('deleted.contact')}</Link>
        </p>
      ) : (
        <p>{t('deleted.erased')}</p>
      )}
      <div className="actions">
        <Link to="/user/qrcodes" className={buttonClass('primary')}>
          {t('one.back')}
        </Link>{' '}
        <Link to="/create" className={buttonClass('secondary')}>
          {t('list.create')}
        </Link>
      </div>
    </div>
  );
}
