import { type RefObject, useCallback, useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useAnnounce } from '~/ui/announcer';

const STORE = 'selected-codes';

interface Options {
  /** Ids of the codes on this page. */
  rows: string[];
  /** Ids in the page's address, where the selection is without scripts. */
  selected: string[];
  /** The account. */
  owner: string | null;
  /** Id of the message that an action on the selected codes was done, which ends the selection. */
  changed: string | null;
  /** Id of a code that was just deleted, which leaves the selection. */
  deleted: string | null;
}

export interface Selection {
  /** How many are selected on this page. */
  count: number;
  /** Ids of those on other pages. */
  elsewhere: string[];
  toggleAll: () => void;
  clear: () => void;
}

/**
 * The selected codes: on this page the ticked boxes, which also work without scripts, and the others in the storage of
 * the tab, so that they are kept on every page of the list, after Back, and after a refusal.
 */
export function useSelection(list: RefObject<HTMLElement>, options: Options): Selection {
  const { owner, changed, deleted } = options;
  const [rows, selected] = [options.rows.join(), options.selected.join()];
  const { t } = useTranslation('codes');
  const announce = useAnnounce();
  const [count, setCount] = useState(0);
  const [elsewhere, setElsewhere] = useState(() => without(options.selected, options.rows));

  const store = useCallback(
    (others: string[]) => {
      const ticked = boxesOf(list.current).filter(({ checked }) => checked);
      setCount(ticked.length);
      setElsewhere(others);
      write(owner, [...others, ...ticked.map(({ value }) => value)]);
      return ticked.length;
    },
    [list, owner],
  );

  useEffect(() => {
    const kept = changed ? [] : [...read(owner), ...split(selected)].filter((id) => id !== deleted);
    for (const box of boxesOf(list.current)) if (kept.includes(box.value)) box.checked = true;
    store(without([...new Set(kept)], split(rows)));
    if (selected !== '') forgetInAddress();
  }, [list, store, rows, selected, owner, changed, deleted]);

  useEffect(() => {
    if (changed) focusHeading();
  }, [changed]);

  useEffect(() => {
    const element = list.current;
    const onChange = ({ target }: Event) => {
      if (!(target instanceof HTMLInputElement) || target.name !== 'id[]') return;
      const ticked = store(elsewhere);
      announce(countText(t, ticked, elsewhere.length));
    };
    element?.addEventListener('change', onChange);
    return () => element?.removeEventListener('change', onChange);
  }, [list, store, elsewhere, announce, t]);

  function tick(isTicked: boolean, others: string[]) {
    for (const box of boxesOf(list.current)) box.checked = isTicked;
    announce(countText(t, store(others), others.length));
  }

  return {
    count,
    elsewhere,
    toggleAll: () => tick(count < options.rows.length, elsewhere),
    clear() {
      const all = list.current?.querySelector<HTMLInputElement>('[name="all"]');
      if (all) all.checked = false;
      tick(false, []);
      // The bar with the pressed button disappears.
      list.current?.querySelector<HTMLElement>('thead input')?.focus();
    },
  };
}

export function countText(
  t: ReturnType<typeof useTranslation<'codes'>>['t'],
  count: number,
  elsewhere: number,
): string {
  const here = t('selection.count', { count });
  return elsewhere > 0 ? `${here}, ${t('selection.elsewhere', { count: elsewhere })}` : here;
}

/** After an action the pressed button is gone: reading goes on from the top, unless somebody already went on. */
function focusHeading(): void {
  const heading = document.querySelector<HTMLElement>('main h1');
  if (!heading || (document.activeElement && document.activeElement !== document.body)) return;
  heading.tabIndex = -1;
  heading.focus({ preventScroll: true });
}

/** From now on it is in the storage, where it can also end. */
function forgetInAddress(): void {
  const url = new URL(window.location.href);
  url.searchParams.delete('ids');
  window.history.replaceState(window.history.state, '', url);
}

function boxesOf(list: HTMLElement | null): HTMLInputElement[] {
  return [...(list?.querySelectorAll<HTMLInputElement>('input[type="checkbox"][name="id[]"]') ?? [])];
}

function without(ids: string[], others: string[]): string[] {
  return ids.filter((id) => !others.includes(id));
}

function split(ids: string): string[] {
  return ids === '' ? [] : ids.split(',');
}

/** Those of the same account: another may have signed in meanwhile. */
function read(owner: string | null): string[] {
  const [who = '', ids = ''] = sessionStorage.getItem(STORE)?.split(' ') ?? [];
  return who === String(owner) ? split(ids) : [];
}

function write(owner: string | null, ids: string[]): void {
  try {
    sessionStorage.setItem(STORE, `${owner} ${ids.join()}`);
  } catch {
    // The storage is full: the selection lasts as long as the page.
  }
}
