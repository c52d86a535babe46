import { useLocation } from '@remix-run/react';
import { useCallback, useEffect, useRef, useState } from 'react';
import { useDialogLoad } from '~/ui/dialog-load';
import { ActionDataScope, useActionDataScope } from '~/ui/page-action-data';
import { isPlainClick } from '~/ui/plain-click';
import type { CreateDialogBody, CreationLoad } from './dialog-body';

/**
 * Once scripts run, links to /create open the form in a dialog over the page instead, except on the home page, which
 * has the form itself. Loaded on the first click, to keep pages light.
 */
export function CreateDialog({ tag }: { tag: string }) {
  const { pathname } = useLocation();
  const { visit } = useActionDataScope();
  // The visit it was opened on: any navigation closes it, including the one to a created code.
  const [openAt, setOpenAt] = useState<string | null>(null);
  const close = useCallback(() => setOpenAt(null), []);
  const { ask, loaded, problem, fail } = useDialogLoad<CreationLoad>('/create', tag, close);
  const [Body, setBody] = useState<typeof CreateDialogBody>();
  const hasImportFailed = useRef(false);
  const isWanted = openAt !== null && loaded !== undefined;
  const hasOwnForm = pathname === '/' || pathname === '/create';

  useEffect(() => {
    if (hasOwnForm) return;
    function onClick(event: MouseEvent) {
      const link = event.target instanceof Element ? event.target.closest('a[href="/create"]') : null;
      if (!link || !isPlainClick(event)) return;
      event.preventDefault();
      // Browsers may cache the failed import, so load the page instead of trying again.
      if (hasImportFailed.current) return window.location.assign('/create');
      ask();
      setOpenAt(visit);
    }
    document.addEventListener('click', onClick, true);
    return () => document.removeEventListener('click', onClick, true);
  }, [hasOwnForm, ask, visit]);

  useEffect(() => {
    if (!isWanted || Body) return;
    import('./dialog-body').then(
      ({ CreateDialogBody }) => setBody(() => CreateDialogBody),
      () => {
        hasImportFailed.current = true;
        fail('unavailable');
      },
    );
  }, [isWanted, Body, fail]);

  if (!isWanted || !Body) return problem;
  return (
    <ActionDataScope>
      <Body load={loaded} tag={tag} isHere={openAt === visit} onClosed={close} />
    </ActionDataScope>
  );
}
