import { readScope } from '~/http/scope.server';
import '~/styles/statistics.css';
import '~/styles/charts.css';
import '~/styles/compare.css';
import type { LoaderFunctionArgs } from '@remix-run/node';
import { Link, useLoaderData } from '@remix-run/react';
import { useTranslation } from 'react-i18next';
import { nameOf } from '~/codes/code/codes.server';
import { requireUser } from '~/http/guards.server';
import { TableScroller } from '~/ui/table-scroller';
import { ChartFigure } from './chart-figure';
import { getComparison, markInvalidComparison } from './compare.server';
import { CompareForm } from './compare-form';
import { NoSubscription } from './no-subscription';

export const handle = { page: 'statistics:compare' };

export async function loader(args: LoaderFunctionArgs) {
  markInvalidComparison(await readScope(args));
  return getComparison(await requireUser(args), nameOf);
}

export { shouldRevalidate } from '~/ui/form-route';

export default function ComparePage() {
  const { shown, form } = useLoaderData<typeof loader>();
  const { t } = useTranslation('statistics');
  return (
    <div className="page statistics">
      <p>
        <Link to="/user/analytics">{t('heading')}</Link>
      </p>
      <h1>{t('compare.heading')}</h1>
      {form ? <CompareForm form={form} /> : <NoSubscription />}
      {shown && <Compared shown={shown} />}
    </div>
  );
}

type Shown = NonNullable<ReturnType<typeof useLoaderData<typeof loader>>['shown']>;

function Compared({ shown }: { shown: Shown }) {
  const { t } = useTranslation('statistics');
  return (
    <div className="compared">
      {shown.isCut && <p className="note">{t('compare.cut')}</p>}
      <ComparedTable shown={shown} />
      <details>
        <summary>{t('compare.counted')}</summary>
        <dl className="definitions">
          {shown.rows.map(({ definition, label, text }) => (
            <div key={definition}>
              <dt>{label}</dt>
              <dd>{text}</dd>
            </div>
          ))}
        </dl>
        <p className="note">{t('summary.note')}</p>
      </details>
      <ChartFigure chart={shown.chart} />
    </div>
  );
}

function ComparedTable({ shown: { columns, rows } }: { shown: Shown }) {
  const { t } = useTranslation('statistics');
  return (
    <TableScroller labelledBy="compared">
      <table className="table compared__table">
        <caption>
          <h2 id="compared">{t('compare.figures')}</h2>
        </caption>
        <thead>
          <tr>
            <td />
            {columns.map(({ letter, name, days }) => (
              <th key={letter} scope="col">
                {letter}: {name} <span className="compared__days">{days}</span>
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map(({ definition, label, cells }) => (
            <tr key={definition}>
              <th scope="row">{label}</th>
              {cells.map(({ letter, value, line }) => (
                <td key={letter}>
                  <strong>{value ?? t('unmeasured.label')}</strong>{' '}
                  {line && <span className="hint">{line}</span>}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </TableScroller>
  );
}
