import '~/styles/stacked-table.css';
import type { LoaderFunctionArgs } from '@remix-run/node';
import { useLoaderData } from '@remix-run/react';
import { useTranslation } from 'react-i18next';
import { readScope } from '~/http/scope.server';
import { PageHeading } from '~/ui/page-layouts';
import { TableScroller } from '~/ui/table-scroller';
import { listErrors } from './errors.server';

export const handle = { page: 'developers:errors', isPublic: true };

export async function loader(args: LoaderFunctionArgs) {
  await readScope(args);
  return { errors: listErrors() };
}

export { shouldRevalidate } from '~/ui/form-route';

/** What the `type` of each problem document of the API for programs names. */
export default function ErrorsPage() {
  const { errors } = useLoaderData<typeof loader>();
  const { t } = useTranslation('developers');
  return (
    <div className="page">
      <PageHeading title={t('errors.title')} lead={t('errors.lead')} />
      <TableScroller labelledBy="errors">
        <h2 id="errors" className="sr-only">
          {t('errors.table')}
        </h2>
        <table className="table stacked-table">
          <caption className="sr-only">{t('errors.title')}</caption>
          <thead>
            <tr>
              <th scope="col">{t('errors.code')}</th>
              <th scope="col">{t('errors.status')}</th>
              <th scope="col">{t('errors.meaning')}</th>
            </tr>
          </thead>
          <tbody>
            {errors.map(({ code, status, title, detail }) => (
              <tr key={code} id={code}>
                <th scope="row" className="mono">
                  {code}
                </th>
                <td className="number">{status}</td>
                <td lang="en" className="stacked-table__rest">
                  {title} {detail !== title && detail}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </TableScroller>
    </div>
  );
}
