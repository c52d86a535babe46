import '~/styles/code-pages.css';
import type { LoaderFunctionArgs } from '@remix-run/node';
import { Link, useLoaderData } from '@remix-run/react';
import { useTranslation } from 'react-i18next';
import { CodeTable } from '~/codes/code-table';
import { listCodes, nameOf } from '~/codes/codes.server';
import { requireUser } from '~/http/guards.server';
import { buttonClass } from '~/ui/button';
import { EmptyState } from '~/ui/empty-state';
import { Pagination } from '~/ui/pagination';

export const handle = { page: 'codes:list' };

export async function loader({ request, context }: LoaderFunctionArgs) {
  const { token } = await requireUser(request);
  const { data, meta } = await listCodes({ request, context }, token);
  return { codes: data.map((code) => ({ ...code, name: nameOf(code) })), meta };
}

export { shouldRevalidate } from '~/ui/form-route';

export default function CodesPage() {
  const { codes, meta } = useLoaderData<typeof loader>();
  const { t } = useTranslation('codes');
  return (
    <div className="page">
      <div className="page__top">
        <h1>{t('list.heading')}</h1>
        {meta.total > 0 && (
          <Link to="/create" className={buttonClass('primary')}>
            {t('list.create')}
          </Link>
        )}
      </div>
      {meta.total === 0 ? (
        <EmptyState
          title={t('list.emptyTitle')}
          text={t('list.emptyText')}
          action={
            <Link to="/create" className={buttonClass('primary')}>
              {t('list.create')}
            </Link>
          }
        />
      ) : (
        <>
          <CodeTable codes={codes} total={meta.total} />
          <Pagination page={meta.page} limit={meta.limit} total={meta.total} path="/user/qrcodes" />
        </>
      )}
    </div>
  );
}
