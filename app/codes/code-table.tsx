import { Link } from '@remix-run/react';
import { useTranslation } from 'react-i18next';
import type { CodeType } from '#contract/contents';
import { LOCALES } from '~/i18n/locales';
import { useLocale } from '~/i18n/use-locale';
import { CopyField } from '~/ui/copy-field';
import { formatNumber } from '~/ui/format';
import { Icon } from '~/ui/icon';
import { TableScroller } from '~/ui/table-scroller';
import { DateTime } from '~/ui/time';

export interface ListedCode {
  id: string;
  name: string;
  type: CodeType;
  visibility: 'private' | 'public';
  link: string;
  dynamic: boolean;
  createdAt: string;
  visits: { total: number; lastAt: string | null };
}

const ICONS = { link: 'link', text: 'text', email: 'mail', wifi: 'wifi' } as const;

/** The codes of one page; on small screens each row reads as a block. */
export function CodeTable({ codes, total }: { codes: ListedCode[]; total: number }) {
  const { t } = useTranslation('codes');
  const locale = useLocale();
  return (
    <TableScroller labelledBy="codes-caption">
      <table className="table codes-table">
        <caption>
          <h2 id="codes-caption">{t('list.caption', { count: total })}</h2>
        </caption>
        <thead>
          <tr>
            <th scope="col">{t('list.code')}</th>
            <th scope="col">{t('list.status')}</th>
            <th scope="col">{t('list.link')}</th>
            <th scope="col" className="number">
              {t('list.visits')}
            </th>
            <th scope="col">{t('list.lastVisit')}</th>
            <th scope="col">{t('list.actions')}</th>
          </tr>
        </thead>
        <tbody>
          {codes.map((code) => (
            <tr key={code.id}>
              <th scope="row">
                <Link to={`/user/qrcodes/${code.id}`} className="code-name">
                  <Icon name={ICONS[code.type]} />
                  <span>{code.name}</span>
                </Link>{' '}
                <span className="muted">
                  {t(`design:types.${code.type}`)} · <DateTime value={code.createdAt} locale={locale} />
                </span>
              </th>
              <td data-label={t('list.status')}>
                {code.dynamic ? (
                  <span className={`badge badge--${code.visibility}`}>
                    {t(`visibility.${code.visibility}`)}
                  </span>
                ) : (
                  <span className="muted">{t('list.openImage')}</span>
                )}
              </td>
              <td>
                {code.dynamic ? (
                  <CopyField label={t('list.copyOf', { name: code.name })} value={code.link} />
                ) : (
                  <span className="muted">{t('list.noLink')}</span>
                )}
              </td>
              <td className="number" data-label={t('list.visits')}>
                {code.dynamic ? (
                  formatNumber(code.visits.total, LOCALES[locale].tag)
                ) : (
                  <span className="muted">{t('list.uncounted')}</span>
                )}
              </td>
              <td data-label={t('list.lastVisit')}>
                {code.visits.lastAt ? (
                  <DateTime value={code.visits.lastAt} locale={locale} />
                ) : code.dynamic ? (
                  t('list.never')
                ) : (
                  '–'
                )}
              </td>
              <td>
                <Link to={`/user/qrcodes/${code.id}/delete`}>
                  {t('list.delete')} <span className="sr-only">{code.name}</span>
                </Link>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </TableScroller>
  );
}
