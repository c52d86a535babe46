import '~/styles/code-pages.css';
import '~/styles/list-page.css';
import '~/styles/codes-table.css';
import '~/styles/selection-bar.css';
import type { LoaderFunctionArgs } from '@remix-run/node';
import { Link, useLoaderData } from '@remix-run/react';
import { useTranslation } from 'react-i18next';
import { requireUser } from '~/http/guards.server';
import { buttonClass } from '~/ui/button';
import { Icon } from '~/ui/icon';
import type { PageHandle } from '~/ui/page-head';
import { EmptyState } from '~/ui/page-layouts';
import { Pagination } from '~/ui/pagination';
import { CodeList } from './code-list';
import { ListFilter } from './filter';
import { type ListOfCodes, listOfCodes } from './list.server';

export const handle: PageHandle = {
  page: 'codes:list',
  rows: (data) => (data as ListOfCodes | undefined)?.codes.map(({ id }) => id) ?? [],
};

export async function loader(args: LoaderFunctionArgs) {
  return listOfCodes(await requireUser(args));
}

export { shouldRevalidate } from '~/ui/form-route';

export default function CodesPage() {
  const page = useLoaderData<typeof loader>();
  const { codes, meta, filter, isEmpty, areAllArchived } = page;
  const { t } = useTranslation('codes');
  const caption = t(filter.isNarrowed ? 'list.found' : 'list.caption', { count: meta.total });
  if (isEmpty) return <FirstCode />;
  return (
    <div className="page codes-page">
      <div className="page__top">
        <h1>{t('list.heading')}</h1>
        <p className="codes-page__summary">
          {filter.isNarrowed
            ? caption
            : `${caption} · ${t('list.recent', { count: meta.visits30, days: 30 })}`}
        </p>
        <div className="actions">
          <ImportLink />{' '}
          <Link to="/user/styles" className={buttonClass('secondary', 'small')}>
            {t('list.styles')}
          </Link>
        </div>
      </div>
      <ListFilter
        values={filter.values}
        tags={filter.tags}
        isNarrowed={filter.isNarrowed}
        address={filter.address}
        found={caption}
      />
      {codes.length > 0 ? (
        <CodeList page={page} caption={caption} />
      ) : areAllArchived ? (
        <EmptyState
          title={t('list.allArchivedTitle')}
          text={t('list.allArchivedText')}
          action={
            <Link to="/user/qrcodes?show=archived" className={buttonClass('secondary')}>
              {t('list.openArchive')}
            </Link>
          }
        />
      ) : (
        <EmptyState
          title={t('filter.noneTitle')}
          text={t('filter.noneText')}
          action={
            <Link to="/user/qrcodes" className={buttonClass('secondary')}>
              {t('filter.clear')}
            </Link>
          }
        />
      )}
      <div className="codes-page__end">
        <Pagination
          page={meta.page}
          limit={meta.limit}
          total={meta.total}
          path={filter.address ? `/user/qrcodes?${filter.address}` : '/user/qrcodes'}
        />{' '}
        <Link to="/user/qrcodes/jobs">{t('jobs.title')}</Link>
      </div>
    </div>
  );
}

function FirstCode() {
  const { t } = useTranslation('codes');
  return (
    <div className="page codes-page">
      <div className="page__top">
        <h1>{t('list.heading')}</h1>
        <div className="actions">
          <ImportLink />
        </div>
      </div>
      <EmptyState
        title={t('list.emptyTitle')}
        text={t('list.emptyText')}
        action={
          <Link to="/create" className={buttonClass('primary')}>
            <Icon name="plus" />
            {t('list.create')}
          </Link>
        }
      />
    </div>
  );
}

function ImportLink() {
  const { t } = useTranslation('codes');
  return (
    <Link to="/user/qrcodes/import" className={buttonClass('secondary', 'small')}>
      {t('list.import')}
    </Link>
  );
}
