import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { Pagination } from '~/ui/pagination';
import { TableScroller } from '~/ui/table-scroller';
import type { ReportView } from './import.server';

interface Props {
  report: ReportView;
}

/** A page of the problems by row and column, numbered as in a spreadsheet, and all of them as a file. */
export function ImportProblems({ report }: Props) {
  const { id, problems, problemCount, problemPages, duplicatePages } = report;
  const { t } = useTranslation('codes');
  const heads = ['row', 'column', 'value', 'reason'] as const;
  const path = `/user/qrcodes/import/${id}`;
  return (
    <ReportTable
      id="import-problems"
      caption={t('importReport.problems', { count: problemCount })}
      heads={heads.map((name) => t(`importReport.heads.${name}`))}
      below={
        <>
          <Pagination
            {...problemPages}
            path={pathWith(path, 'duplicates', duplicatePages)}
            fragment="import-problems"
          />
          <p>
            <a href={`${path}/problems.csv`}>{t('importReport.problemsFile')}</a>
          </p>
        </>
      }
    >
      {problems.map(({ key, row, column, value, reason }) => (
        <tr key={key}>
          <th scope="row">{row}</th>
          <td>{column}</td>
          <td className="mono">{value}</td>
          <td>{reason}</td>
        </tr>
      ))}
    </ReportTable>
  );
}

/** What each column of the file was recognised as. */
export function ImportColumns({ report: { columns, source, encoding, delimiter } }: Props) {
  const { t } = useTranslation('codes');
  return (
    <>
      <ReportTable
        id="import-columns"
        caption={t('importReport.columns')}
        heads={[t('importReport.heads.column'), t('importReport.heads.meaning')]}
      >
        {columns.map(({ key, header, field }) => (
          <tr key={key}>
            <th scope="row">{header}</th>
            <td>
              {field
                ? t(`import.fields.${field}`, {
                    defaultValue: t(`design:form.${field}`, { defaultValue: field }),
                  })
                : t('importReport.unused')}
            </td>
          </tr>
        ))}
      </ReportTable>
      <p className="hint">
        {t('importReport.read', {
          source: t(`importReport.sources.${source}`),
          encoding: encoding.toUpperCase(),
          delimiter: t(`importReport.delimiters.${delimiter}`),
        })}
      </p>
    </>
  );
}

/** The first codes as they would be created. */
export function ImportPreview({ report: { preview } }: Props) {
  const { t } = useTranslation('codes');
  const heads = ['row', 'name', 'content', 'tags', 'visibility'] as const;
  return (
    <ReportTable
      id="import-preview"
      caption={t('importReport.preview')}
      heads={heads.map((name) => t(`importReport.heads.${name}`))}
    >
      {preview.map(({ row, name, type, content, tags, visibility }) => (
        <tr key={row}>
          <th scope="row">{row}</th>
          <td>{name ?? '–'}</td>
          <td>
            {content} <span className="muted">{t(`design:types.${type}`)}</span>
          </td>
          <td>{tags.join(', ')}</td>
          <td>{t(`visibility.${visibility}`)}</td>
        </tr>
      ))}
    </ReportTable>
  );
}

/** A page of the rows that duplicate another row, or a code of the account, and all of them as a file. */
export function DuplicateRows({ report }: Props) {
  const { id, duplicates, duplicateCount, duplicatePages, problemPages } = report;
  const { t } = useTranslation('codes');
  const path = `/user/qrcodes/import/${id}`;
  return (
    <ReportTable
      id="import-duplicates"
      caption={t('importReport.duplicates', { count: duplicateCount })}
      heads={[t('importReport.heads.row'), t('importReport.heads.same')]}
      below={
        <>
          <Pagination
            {...duplicatePages}
            path={pathWith(path, 'page', problemPages)}
            fragment="import-duplicates"
            parameter="duplicates"
            label={t('importReport.duplicatePages')}
          />
          <p>
            <a href={`${path}/duplicates.csv`}>{t('importReport.duplicatesFile')}</a>
          </p>
        </>
      }
    >
      {duplicates.map(({ row, same }) => (
        <tr key={row}>
          <th scope="row">{row}</th>
          <td>{same}</td>
        </tr>
      ))}
    </ReportTable>
  );
}

/** Keeps the page of the report's other list. */
function pathWith(path: string, parameter: string, { page }: { page: number }): string {
  return page === 1 ? path : `${path}?${parameter}=${page}`;
}

interface TableProps {
  id: string;
  caption: string;
  heads: string[];
  below?: ReactNode;
  children: ReactNode;
}

function ReportTable({ id, caption, heads, below, children }: TableProps) {
  return (
    <div className="import-report__table">
      <TableScroller labelledBy={id}>
        <table className="table">
          <caption>
            <h2 id={id}>{caption}</h2>
          </caption>
          <thead>
            <tr>
              {heads.map((head) => (
                <th key={head} scope="col">
                  {head}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>{children}</tbody>
        </table>
      </TableScroller>
      {below}
    </div>
  );
}
