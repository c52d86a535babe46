import { useTranslation } from 'react-i18next';
import { useHydrated } from 'remix-utils/use-hydrated';
import { Button } from '~/ui/button';
import { SelectionFields } from './selection';
import { countText, type Selection } from './use-selection';

/** Id of the form that the row checkboxes belong to. */
export const SELECTION_FORM = 'selection';

/** More codes are not compared at once. */
const MOST_COMPARED = 4;

const SMALL = { variant: 'secondary', size: 'small' } as const;

interface Props {
  page: number;
  /** Number of pages. */
  pages: number;
  /** Number of codes in the whole list, and on this page. */
  total: number;
  shown: number;
  /** The list's query parameters. */
  filter: [name: string, value: string][];
  areArchived: boolean;
  selection: Selection;
}

/**
 * Actions on the selected codes, or on all that match: native buttons, each with its own URL. File downloads
 * and actions that need confirmation open a page. With scripts the bar appears with the first selected code.
 */
export function SelectionBar({ page, pages, total, shown, filter, areArchived, selection }: Props) {
  const { t } = useTranslation('codes');
  const isHydrated = useHydrated();
  const { count, elsewhere, clear } = selection;
  return (
    <form
      id={SELECTION_FORM}
      method="get"
      action="/user/qrcodes/selection"
      className="selection-bar"
      aria-labelledby="selection-heading"
    >
      <SelectionFields selection={filter} />
      <SelectionFields selection={elsewhere.map((id) => ['id[]', id])} />
      <h2 id="selection-heading">
        {isHydrated
          ? countText(t, count, elsewhere.length)
          : elsewhere.length > 0
            ? t('selection.elsewhere', { count: elsewhere.length })
            : t('selection.heading')}
      </h2>
      {isHydrated && (
        <button type="button" className="button quiet small" onClick={clear}>
          {t('selection.none')}
        </button>
      )}
      {total > shown && (
        <label key={JSON.stringify([total, filter])} className="selection-bar__all">
          <input type="checkbox" name="all" value="1" /> {t('selection.all', { count: total })}
        </label>
      )}
      <div className="selection-bar__acts">
        <Button {...SMALL} formAction="/user/qrcodes/sheet">
          {t('selection.sheet')}
        </Button>
        <Button {...SMALL} formAction="/user/qrcodes/zip">
          {t('selection.zip')}
        </Button>
        {(['tag', 'style'] as const).map((act) => (
          <Button key={act} {...SMALL} name="act" value={act}>
            {t(`selection.acts.${act}`)}
          </Button>
        ))}
        {count <= MOST_COMPARED && (
          <Button {...SMALL} formAction="/user/analytics/compare">
            {t('selection.compare')}
          </Button>
        )}
      </div>
      <MoreActs areArchived={areArchived} />
      {!isHydrated && pages > 1 && <OtherPages page={page} pages={pages} />}
    </form>
  );
}

function MoreActs({ areArchived }: { areArchived: boolean }) {
  const { t } = useTranslation('codes');
  const atOnce = ['make_public', 'uncount', areArchived ? 'unarchive' : 'archive'] as const;
  return (
    <details className="selection-bar__more">
      <summary className="button secondary small">{t('selection.more')}</summary>
      <div>
        {(['untag', 'retarget'] as const).map((act) => (
          <Button key={act} {...SMALL} name="act" value={act}>
            {t(`selection.acts.${act}`)}
          </Button>
        ))}
        {atOnce.map((act) => (
          <Button key={act} {...SMALL} name="act" value={act} formMethod="post">
            {t(`selection.acts.${act}`)}
          </Button>
        ))}
        {(['make_private', 'count', 'delete'] as const).map((act) => (
          <Button key={act} {...SMALL} name="act" value={act}>
            {t(`selection.acts.${act}`)}
          </Button>
        ))}
      </div>
    </details>
  );
}

/** Without scripts these take the selection to the next page, which links cannot. */
function OtherPages({ page, pages }: { page: number; pages: number }) {
  const { t } = useTranslation('codes');
  return (
    <p className="selection-bar__pages">
      {[page - 1, page + 1]
        .filter((other) => other >= 1 && other <= pages)
        .map((other) => (
          <Button key={other} variant="quiet" size="small" name="to" value={other} formAction="/user/qrcodes">
            {t('selection.toPage', { number: other })}
          </Button>
        ))}
    </p>
  );
}
