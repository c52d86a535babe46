import { Link } from '@remix-run/react';
import { memo } from 'react';
import { useTranslation } from 'react-i18next';
import { useHydrated } from 'remix-utils/use-hydrated';
import { LOCALES } from '#contract/locales';
import { BlockLine } from '~/codes/code/block-notice';
import { useLocale } from '~/i18n/use-locale';
import { Breakable } from '~/ui/breakable';
import { formatNumber } from '~/ui/format';
import { Icon } from '~/ui/icon';
import { RowNotice } from '~/ui/notices';
import { Sparkline } from '~/ui/sparkline';
import type { CodeRow } from './code-row';
import { RowMenu } from './row-menu';
import { SELECTION_FORM } from './selection-bar';
import { Tags } from './tags';
import type { Selection } from './use-selection';

/** Tags shown in the row itself; all are in its menu. */
const SHOWN_TAGS = 2;

interface Props {
  codes: CodeRow[];
  caption: string;
  /** URL of the sprite with every code's picture, each addressed by a fragment. */
  pictures: string;
  /** With which a form in a row takes effect once. */
  formKey: string;
  /** Id of a code that was just created. */
  newId: string | null;
  selection: Selection;
  /** Ids of the codes whose boxes are ticked from the start. */
  selected: string[];
}

/** The codes of one page, a line for each; on small screens it becomes two. */
export function CodeTable({ codes, caption, pictures, formKey, newId, selection, selected }: Props) {
  const { t } = useTranslation('codes');
  return (
    <table className="codes-table">
      <caption className="sr-only">{caption}</caption>
      <thead>
        <tr>
          <th scope="col">
            <SelectPage selection={selection} shown={codes.length} />
            <span>{t('list.code')}</span>
          </th>
          <th scope="col" className="codes-table__recent">
            {t('list.recentVisits')}
          </th>
          <th scope="col" className="number">
            {t('list.visits30')}
          </th>
          <th scope="col" className="codes-table__last">
            {t('list.lastVisit')}
          </th>
          <th scope="col">
            <span className="sr-only">{t('list.actions')}</span>
          </th>
        </tr>
      </thead>
      <tbody>
        {codes.map((code) => (
          <Row
            key={code.id}
            code={code}
            picture={`${pictures}#${code.id}`}
            formKey={formKey}
            isNew={code.id === newId}
            isSelected={selected.includes(code.id)}
          />
        ))}
      </tbody>
    </table>
  );
}

interface RowProps extends CellProps {
  formKey: string;
}

/** Rendered once: a ticked box changes what is around the rows. */
const Row = memo(function Row({ formKey, ...cell }: RowProps) {
  const { code, isNew } = cell;
  return (
    <tr className={isNew ? 'is-new' : undefined}>
      <th scope="row">
        <CodeCell {...cell} />
      </th>
      <td className="codes-table__recent">
        {code.recentVisits.length > 0 && <RecentVisits days={code.recentVisits} />}
      </td>
      <VisitCells code={code} />
      <td className="codes-table__acts">
        <Download code={code} isNew={isNew} /> <RowMenu code={code} formKey={formKey} />
      </td>
    </tr>
  );
});

function SelectPage({ selection: { count, toggleAll }, shown }: { selection: Selection; shown: number }) {
  const { t } = useTranslation('codes');
  // Keeps the place of the box.
  if (!useHydrated()) return <span className="code-cell__box" />;
  return (
    <label className="code-cell__box">
      <input
        type="checkbox"
        checked={count === shown}
        ref={(box) => {
          if (box) box.indeterminate = count > 0 && count < shown;
        }}
        onChange={toggleAll}
      />
      <span className="sr-only">{t('selection.page')}</span>
    </label>
  );
}

function RecentVisits({ days }: { days: number[] }) {
  const { t } = useTranslation('codes');
  const count = days.reduce((sum, visits) => sum + visits, 0);
  return <Sparkline days={days} label={t('list.recent', { count, days: days.length })} />;
}

interface CellProps {
  code: CodeRow;
  picture: string;
  isNew: boolean;
  isSelected: boolean;
}

function CodeCell({ code, picture, isNew, isSelected }: CellProps) {
  const { t } = useTranslation('codes');
  const hidden = code.tags.length - SHOWN_TAGS;
  return (
    <div className="code-cell">
      <label className="code-cell__box">
        <input
          type="checkbox"
          name="id[]"
          value={code.id}
          form={SELECTION_FORM}
          defaultChecked={isSelected}
        />
        <span className="sr-only">{t('selection.choose', { name: code.name })}</span>
      </label>
      <img src={picture} alt="" width="56" height="56" className="code-cell__picture" />
      <div className="code-cell__text">
        <div className="code-cell__title">
          <Link to={`/user/qrcodes/${code.id}`} className="code-name">
            <Breakable text={code.name} />
          </Link>{' '}
          {code.tags.length > 0 && <Tags tags={code.tags.slice(0, SHOWN_TAGS)} />}
          {hidden > 0 && <span className="muted">+{hidden}</span>}
        </div>
        {code.blocked && <BlockLine id={code.id} name={code.name} reason={code.blocked.reason} />}
        {code.isFailing && (
          <span className="block-line">
            <Icon name="warning" /> <strong>{t('list.failing')}</strong>
          </span>
        )}{' '}
        <div className="code-cell__about">
          {isNew && <span className="badge badge--new">{t('list.new')}</span>}{' '}
          <span className="code-cell__content">{code.content ?? t(`design:types.${code.type}`)}</span>{' '}
          {code.dynamic && (
            <span className={code.visibility === 'private' ? 'badge' : 'code-cell__public'}>
              {t(`visibility.${code.visibility}`)}
            </span>
          )}{' '}
          {code.routing && <span className="badge">{t(`list.routing.${code.routing}`)}</span>}{' '}
          {code.isArchived && <span className="badge">{t('list.archived')}</span>}
        </div>
        <RowNotice id={code.id} />
      </div>
    </div>
  );
}

function VisitCells({ code: { dynamic, counted, visits30, lastVisit } }: { code: CodeRow }) {
  const { t } = useTranslation('codes');
  const locale = useLocale();
  if (!dynamic || !counted) {
    return (
      <>
        <td className="number">
          <span aria-hidden="true">–</span>
        </td>
        <td className="codes-table__last">{t('list.uncounted')}</td>
      </>
    );
  }
  return (
    <>
      <td className="number">
        {/* The browser's locale data may differ from the server's. */}
        <strong suppressHydrationWarning>{formatNumber(visits30, LOCALES[locale].tag)}</strong>
      </td>
      <td className="codes-table__last">
        {lastVisit ? (
          <time dateTime={lastVisit.at} suppressHydrationWarning>
            {lastVisit.ago}
          </time>
        ) : (
          t('list.never')
        )}
      </td>
    </>
  );
}

function Download({ code: { id, name, dynamic }, isNew }: { code: CodeRow; isNew: boolean }) {
  const { t } = useTranslation('codes');
  const variant = dynamic ? 'tracked' : 'direct';
  return (
    <a
      href={`/user/qrcodes/${id}/download?format=png&size=1024&variant=${variant}`}
      className={isNew ? 'button small' : undefined}
    >
      <Icon name="download" />
      <span>{t('list.download')}</span> <span className="sr-only">{name}</span>
    </a>
  );
}
