import type { LoaderFunctionArgs } from '@remix-run/node';
import { Link, useLoaderData } from '@remix-run/react';
import { useTranslation } from 'react-i18next';
import { readScope } from '~/http/scope.server';
import { buttonClass } from '~/ui/button';
import { PageHeading } from '~/ui/page-layouts';
import { type Reason, readRefusal } from './authorize.server';

export const handle = { page: 'authorize:refused' };

export async function loader(args: LoaderFunctionArgs) {
  return readRefusal(await readScope(args));
}

export { shouldRevalidate } from '~/ui/form-route';

/** Shown instead of sending the browser to an address that a program named but may not use. */
export default function RefusedPage() {
  const { reason }: { reason: Reason } = useLoaderData<typeof loader>();
  const { t } = useTranslation('authorize');
  return (
    <div className="form-page">
      <PageHeading title={t('refused.title')} lead={t(`refused.reasons.${reason}`)} />
      <p>
        <Link to="/user/settings/keys" className={buttonClass('secondary')}>
          {t('refused.toKeys')}
        </Link>
      </p>
    </div>
  );
}
