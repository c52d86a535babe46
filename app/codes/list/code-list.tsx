import { useRef } from 'react';
import type { ListOfCodes } from './list.server';
import { useRowMenus } from './row-menu';
import { SelectionBar } from './selection-bar';
import { CodeTable } from './table';
import { useSelection } from './use-selection';

/** The codes of one page, and what can be done with those that are selected. */
export function CodeList({ page, caption }: { page: ListOfCodes; caption: string }) {
  const { codes, meta, filter, selected, owner, changed, deleted, pictures, newId, key } = page;
  const list = useRef<HTMLDivElement>(null);
  const rows = codes.map(({ id }) => id);
  const selection = useSelection(list, { rows, selected, owner, changed, deleted });
  useRowMenus(list);
  return (
    <div ref={list} className="codes-list">
      <CodeTable
        codes={codes}
        caption={caption}
        pictures={pictures}
        formKey={key}
        newId={newId}
        selection={selection}
        selected={selected}
      />
      <SelectionBar
        page={meta.page}
        pages={Math.ceil(meta.total / meta.limit)}
        total={meta.total}
        shown={codes.length}
        filter={filter.fields}
        areArchived={filter.values.show === 'archived'}
        selection={selection}
      />
    </div>
  );
}
