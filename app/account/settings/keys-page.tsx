import '~/styles/settings.css';
import type { LoaderFunctionArgs } from '@remix-run/node';
import { Link, useLoaderData } from '@remix-run/react';
import { useTranslation } from 'react-i18next';
import { requireUser } from '~/http/guards.server';
import { buttonClass } from '~/ui/button';
import { PageHeading, Sheet } from '~/ui/page-layouts';
import { KeyList } from './keys';
import { getKeys } from './keys.server';

export const handle = { page: 'settings:keys' };

export async function loader(args: LoaderFunctionArgs) {
  return getKeys(await requireUser(args));
}

export { shouldRevalidate } from '~/ui/form-route';

export default function KeysPage() {
  const { keys: all, locale } = useLoaderData<typeof loader>();
  const { t } = useTranslation('settings');
  const keys = all.filter(({ client }) => client === null);
  const grants = all.filter(({ client }) => client !== null);
  return (
    <div className="form-page settings-page">
      <PageHeading
        back={<Link to="/user/settings#keys">{t('twoStep.back')}</Link>}
        title={t('keys.title')}
        lead={t('keys.lead')}
      >
        <Link to="/user/settings/keys/new" className={buttonClass()}>
          {t('keys.new.title')}
        </Link>
      </PageHeading>
      <div className="sheet">
        {keys.length > 0 ? <KeyList keys={keys} locale={locale} /> : <p>{t('keys.none')}</p>}
      </div>
      <Sheet id="programs" title={t('keys.grants.title')}>
        <p>{t('keys.grants.lead')}</p>
        {grants.length > 0 ? <KeyList keys={grants} locale={locale} /> : <p>{t('keys.grants.none')}</p>}
      </Sheet>
      <p>
        <Link to="/developers">{t('keys.guide')}</Link>
      </p>
    </div>
  );
}
