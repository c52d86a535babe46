import { Link } from '@remix-run/react';
import { useTranslation } from 'react-i18next';
import type { CodeType } from '#contract/contents/contents';
import { LOCALES } from '#contract/locales';
import { BlockLine } from '~/codes/code/block-notice';
import { CONTENT_FORMS } from '~/codes/contents/content-forms';
import { useLocale } from '~/i18n/use-locale';
import { CopyLink } from '~/ui/copy-to-clipboard';
import { formatNumber } from '~/ui/format';
import { Icon } from '~/ui/icon';
import { RowNotice } from '~/ui/notices';
import { Sparkline } from '~/ui/sparkline';
import { TableScroller } from '~/ui/table-scroller';
import { DateTime } from '~/ui/time';
import { SELECTION_FORM } from './selection-bar';

export interface CodeRow {
  id: string;
  name: string;
  /** Shortened content; null for an unnamed code, which is listed by its content. */
  content: string | null;
  tags: string[];
  type: CodeType;
  visibility: 'private' | 'public';
  isArchived: boolean;
  /** Why an operator blocked it; null when it is not blocked. */
  blocked: { reason: string | null } | null;
  link: string;
  dynamic: boolean;
  createdAt: string;
  visits: number;
  /** `ago`: how long ago that was, in words. */
  lastVisit: { at: string; ago: string } | null;
  recentVisits: number[];
}

interface Props {
  codes: CodeRow[];
  caption: string;
  /** URL of the sprite with every code's picture, each addressed by a fragment. */
  pictures: string;
  /** Id of a code that was just created. */
  newId: string | null;
}

/** The codes of one page; on small screens each row reads as a block. */
export function CodeTable({ codes, caption, pictures, newId }: Props) {
  const { t } = useTranslation('codes');
  return (
    <TableScroller labelledBy="codes-caption">
      <table className="table stacked-table codes-table">
        <caption>
          <h2 id="codes-caption">{caption}</h2>
        </caption>
        <thead>
          <tr>
            <th scope="col">{t('list.code')}</th>
            <th scope="col">{t('list.recentVisits')}</th>
            <th scope="col" className="number">
              {t('list.visits')}
            </th>
            <th scope="col">{t('list.actions')}</th>
          </tr>
        </thead>
        <tbody>
          {codes.map((code) => (
            <tr key={code.id} className={code.id === newId ? 'is-new' : undefined}>
              <th scope="row">
                <CodeCell code={code} picture={`${pictures}#${code.id}`} isNew={code.id === newId} />
              </th>
              <td className="codes-table__recent">
                {code.recentVisits.length > 0 && <RecentVisits days={code.recentVisits} />}
              </td>
              <td className="number">
                <VisitsCell code={code} />
              </td>
              <td>
                <Actions code={code} isNew={code.id === newId} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </TableScroller>
  );
}

function RecentVisits({ days }: { days: number[] }) {
  const { t } = useTranslation('codes');
  const count = days.reduce((sum, visits) => sum + visits, 0);
  return <Sparkline days={days} label={t('list.recent', { count, days: days.length })} />;
}

function CodeCell({ code, picture, isNew }: { code: CodeRow; picture: string; isNew: boolean }) {
  const { t } = useTranslation('codes');
  const locale = useLocale();
  return (
    <div className="code-cell">
      <label className="code-cell__box">
        <input type="checkbox" name="id[]" value={code.id} form={SELECTION_FORM} />
        <span className="sr-only">{t('selection.choose', { name: code.name })}</span>
      </label>
      <img src={picture} alt="" width="72" height="72" className="code-cell__picture" />
      <div>
        <Link to={`/user/qrcodes/${code.id}`} className="code-name">
          {code.name}
        </Link>{' '}
        {isNew && <span className="badge badge--new">{t('list.new')}</span>}
        {code.blocked && <BlockLine id={code.id} name={code.name} reason={code.blocked.reason} />}
        {code.content && <span className="code-cell__content">{code.content}</span>}
        <span className="code-cell__facts">
          <Icon name={CONTENT_FORMS[code.type].icon} />
          {t(`design:types.${code.type}`)}{' '}
          {code.visibility === 'private' && <span className="badge">{t('visibility.private')}</span>}
          {code.isArchived && <span className="badge">{t('list.archived')}</span>}
          <span className="muted">
            <DateTime value={code.createdAt} locale={locale} />
          </span>
        </span>{' '}
        {code.dynamic ? (
          <CopyLink label={t('list.copyOf', { name: code.name })} value={code.link} />
        ) : (
          <span className="muted">{t('list.openImage')}</span>
        )}
        {code.tags.length > 0 && <Tags tags={code.tags} />}
      </div>
    </div>
  );
}

/** Each tag links to the codes that have it. */
export function Tags({ tags }: { tags: string[] }) {
  const { t } = useTranslation('codes');
  return (
    <ul className="tags" aria-label={t('tags.label')}>
      {tags.map((tag) => (
        <li key={tag}>
          <Link to={`/user/qrcodes?tag=${encodeURIComponent(tag)}`} className="tag">
            {tag}
          </Link>
        </li>
      ))}
    </ul>
  );
}

function VisitsCell({ code: { dynamic, visits, lastVisit } }: { code: CodeRow }) {
  const { t } = useTranslation('codes');
  const locale = useLocale();
  if (!dynamic) return <span className="muted">{t('list.uncounted')}</span>;
  return (
    <>
      {/* The browser's locale data may differ from the server's. */}
      <strong className="codes-table__visits" suppressHydrationWarning>
        {formatNumber(visits, LOCALES[locale].tag)}
      </strong>{' '}
      <span className="hint">
        {lastVisit ? (
          <time dateTime={lastVisit.at} suppressHydrationWarning>
            {t('list.lastVisit', { ago: lastVisit.ago })}
          </time>
        ) : (
          t('list.never')
        )}
      </span>
    </>
  );
}

function Actions({ code: { id, name, dynamic }, isNew }: { code: CodeRow; isNew: boolean }) {
  const { t } = useTranslation('codes');
  const variant = dynamic ? 'tracked' : 'direct';
  const about = <span className="sr-only">{name}</span>;
  return (
    <div className="codes-table__actions">
      <RowNotice id={id} />
      <a
        href={`/user/qrcodes/${id}/download?format=png&size=1024&variant=${variant}`}
        className={isNew ? 'button small' : undefined}
      >
        {t('list.download')} {about}
      </a>{' '}
      <Link to={`/user/qrcodes/${id}#change`}>
        {t('list.edit')} {about}
      </Link>{' '}
      <Link to={`/user/qrcodes/${id}/delete`}>
        {t('list.delete')} {about}
      </Link>
    </div>
  );
}
