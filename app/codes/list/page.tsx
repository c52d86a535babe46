import '~/styles/code-pages.css';
import '~/styles/code-list.css';
import '~/styles/stacked-table.css';
import type { LoaderFunctionArgs } from '@remix-run/node';
import { Link, useLoaderData } from '@remix-run/react';
import { useTranslation } from 'react-i18next';
import { requireUser } from '~/http/guards.server';
import { buttonClass } from '~/ui/button';
import { Icon } from '~/ui/icon';
import type { PageHandle } from '~/ui/page-head';
import { EmptyState } from '~/ui/page-layouts';
import { Pagination } from '~/ui/pagination';
import { ListFilter } from './filter';
import { listOfCodes } from './list.server';
import { SelectionBar } from './selection-bar';
import { CodeTable } from './table';

export const handle: PageHandle = {
  page: 'codes:list',
  rows: (data) => (data as ListData | undefined)?.codes.map(({ id }) => id) ?? [],
};

export async function loader(args: LoaderFunctionArgs) {
  return listOfCodes(await requireUser(args));
}
type ListData = Awaited<ReturnType<typeof loader>>;

export { shouldRevalidate } from '~/ui/form-route';

export default function CodesPage() {
  const { codes, meta, filter, isEmpty, areAllArchived, pictures, newId } = useLoaderData<typeof loader>();
  const { t } = useTranslation('codes');
  const create = (
    <Link to="/create" className={buttonClass('primary')}>
      <Icon name="plus" />
      {t('list.create')}
    </Link>
  );
  const importing = (
    <Link to="/user/qrcodes/import" className={buttonClass('secondary')}>
      {t('list.import')}
    </Link>
  );
  const styles = (
    <Link to="/user/styles" className={buttonClass('quiet')}>
      {t('list.styles')}
    </Link>
  );
  return (
    <div className="page">
      <div className="page__top">
        <h1>{t('list.heading')}</h1>
        <div className="actions">
          {!isEmpty && styles} {importing} {!isEmpty && create}
        </div>
      </div>
      {isEmpty ? (
        <EmptyState title={t('list.emptyTitle')} text={t('list.emptyText')} action={create} />
      ) : (
        <>
          <ListFilter
            values={filter.values}
            tags={filter.tags}
            isNarrowed={filter.isNarrowed}
            address={filter.address}
          />
          {areAllArchived ? (
            <EmptyState
              title={t('list.allArchivedTitle')}
              text={t('list.allArchivedText')}
              action={
                <Link to="/user/qrcodes?show=archived" className={buttonClass('secondary')}>
                  {t('list.openArchive')}
                </Link>
              }
            />
          ) : codes.length === 0 ? (
            <EmptyState
              title={t('filter.noneTitle')}
              text={t('filter.noneText')}
              action={
                <Link to="/user/qrcodes" className={buttonClass('secondary')}>
                  {t('filter.clear')}
                </Link>
              }
            />
          ) : (
            <>
              <SelectionBar
                total={meta.total}
                shown={codes.length}
                filter={filter.fields}
                rows={codes.map(({ id }) => id).join()}
                areArchived={filter.values.show === 'archived'}
              />
              <CodeTable
                codes={codes}
                caption={t(filter.isNarrowed ? 'list.found' : 'list.caption', { count: meta.total })}
                pictures={pictures}
                newId={newId}
              />
            </>
          )}
          <Pagination
            page={meta.page}
            limit={meta.limit}
            total={meta.total}
            path={`/user/qrcodes?${filter.address}`}
          />
          <p>
            <Link to="/user/qrcodes/jobs">{t('jobs.title')}</Link>
          </p>
        </>
      )}
    </div>
  );
}
