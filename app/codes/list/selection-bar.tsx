import { type RefObject, useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useHydrated } from 'remix-utils/use-hydrated';
import { Button } from '~/ui/button';
import { SelectionFields } from './selection';

/** Id of the form that the row checkboxes belong to. */
export const SELECTION_FORM = 'selection';

const SMALL = { variant: 'secondary', size: 'small' } as const;

interface Props {
  /** Number of codes in the whole list, and on this page. */
  total: number;
  shown: number;
  /** The list's query parameters. */
  filter: [name: string, value: string][];
  /** Changes whenever the rows do; empty if there are none. */
  rows: string;
  areArchived: boolean;
}

/**
 * Actions on the ticked codes, or on all that match: native buttons, each with its own URL. File downloads
 * and actions that need confirmation open a page.
 */
export function SelectionBar({ total, shown, filter, rows, areArchived }: Props) {
  const { t } = useTranslation('codes');
  const form = useRef<HTMLFormElement>(null);
  const isHydrated = useHydrated();
  const [count, boxes] = useTicked(form, rows);
  const atOnce = ['make_public', 'make_private', areArchived ? 'unarchive' : 'archive'] as const;
  const tickAll = () => {
    const areAll = count === shown;
    for (const box of boxes()) box.checked = !areAll;
    form.current?.dispatchEvent(new Event('change', { bubbles: true }));
  };
  return (
    <form
      ref={form}
      id={SELECTION_FORM}
      method="get"
      action="/user/qrcodes/selection"
      className="selection-bar"
      aria-labelledby="selection-heading"
    >
      <SelectionFields selection={filter} />
      <h2 id="selection-heading" className="selection-bar__heading">
        {isHydrated ? t('selection.count', { count }) : t('selection.heading')}
      </h2>
      {isHydrated && (
        <button type="button" className="button quiet small" onClick={tickAll}>
          {t(count === shown ? 'selection.none' : 'selection.page')}
        </button>
      )}
      {total > shown && (
        <label className="selection-bar__all">
          <input type="checkbox" name="all" value="1" /> {t('selection.all', { count: total })}
        </label>
      )}
      <div className="selection-bar__acts">
        {(['tag', 'untag'] as const).map((act) => (
          <Button key={act} {...SMALL} name="act" value={act}>
            {t(`selection.acts.${act}`)}
          </Button>
        ))}
        {atOnce.map((act) => (
          <Button key={act} {...SMALL} name="act" value={act} formMethod="post">
            {t(`selection.acts.${act}`)}
          </Button>
        ))}
        <Button {...SMALL} name="act" value="style">
          {t('selection.acts.style')}
        </Button>
        <Button {...SMALL} formAction="/user/qrcodes/zip">
          {t('selection.zip')}
        </Button>
        <Button {...SMALL} formAction="/user/qrcodes/sheet">
          {t('selection.sheet')}
        </Button>
        <Button {...SMALL} name="act" value="delete">
          {t('selection.acts.delete')}
        </Button>
      </div>
    </form>
  );
}

/** How many row checkboxes are ticked, and the checkboxes themselves. */
function useTicked(form: RefObject<HTMLFormElement>, rows: string) {
  const [count, setCount] = useState(0);
  useEffect(() => {
    const read = () =>
      setCount(rows === '' ? 0 : boxesOf(form.current).filter(({ checked }) => checked).length);
    read();
    // The checkboxes are in the table, outside the form they belong to.
    document.addEventListener('change', read);
    return () => document.removeEventListener('change', read);
  }, [form, rows]);
  return [count, () => boxesOf(form.current)] as const;
}

function boxesOf(form: HTMLFormElement | null): HTMLInputElement[] {
  return [...(form?.elements ?? [])].filter(
    (element): element is HTMLInputElement => element instanceof HTMLInputElement && element.name === 'id[]',
  );
}
