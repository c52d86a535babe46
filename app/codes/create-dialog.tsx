import { useFetcher, useLocation } from '@remix-run/react';
import { lazy, Suspense, useEffect, useState } from 'react';
import { AnswerScope, useAnswerScope } from '~/ui/page-answer';
import { isPlainClick } from '~/ui/plain-click';
import type { CreationLoad } from './create-dialog-body';

const DialogBody = lazy(() =>
  import('./create-dialog-body').then((module) => ({ default: module.CreateDialogBody })),
);

/**
 * Once scripts run, links to /create open the form in a dialog over the page instead. The home page has the form
 * itself. Loaded by the first click, so that pages without it stay light.
 */
export function CreateDialog({ tag }: { tag: string }) {
  const { pathname } = useLocation();
  const { visit } = useAnswerScope();
  // Open for one visit to a page: whatever navigation follows, a created code's included, closes it.
  const [openAt, setOpenAt] = useState<string | null>(null);
  const load = useFetcher<CreationLoad>({ key: 'creation' });
  const hasOwnForm = pathname === '/' || pathname === '/create';
  const openFrom = load.load;

  useEffect(() => {
    if (hasOwnForm) return;
    function onClick(event: MouseEvent) {
      const link = event.target instanceof Element ? event.target.closest('a[href="/create"]') : null;
      if (!link || !isPlainClick(event)) return;
      event.preventDefault();
      openFrom('/create');
      setOpenAt(visit);
    }
    document.addEventListener('click', onClick, true);
    return () => document.removeEventListener('click', onClick, true);
  }, [hasOwnForm, openFrom, visit]);

  // What was loaded before the language was switched is on its way anew.
  if (openAt === null || load.data?.tag !== tag) return null;
  return (
    <Suspense fallback={null}>
      <AnswerScope>
        <DialogBody load={load.data} tag={tag} isHere={openAt === visit} onClosed={() => setOpenAt(null)} />
      </AnswerScope>
    </Suspense>
  );
}
