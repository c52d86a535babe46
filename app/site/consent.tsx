import { useLocation } from '@remix-run/react';
import { useCallback, useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useDialogLoad } from '~/ui/dialog-load';
import { isPlainClick } from '~/ui/plain-click';
import type { AnalyticsTag } from './analytics';
import { type BannerTexts, ConsentBanner } from './consent-banner';
import { mirrorChoice } from './consent-choice';
import type { ConsentDialog, ConsentLoad } from './consent-dialog';

const OPENERS = 'a[href="/cookies"], button[formaction="/cookies"]';

interface Props {
  banner: BannerTexts | null | undefined;
  analytics: AnalyticsTag | undefined;
}

/** Asks for consent, applies the stored choice, and opens /cookies as a dialog once scripts run. */
export function Consent({ banner, analytics }: Props) {
  const { key, pathname } = useLocation();
  const [seen, setSeen] = useState<{ key: string; choice: string | null }>();
  const [savedIn, setSavedIn] = useState<'banner' | 'dialog' | null>(null);
  const [openAt, setOpenAt] = useState<string | null>(null);
  const [Body, setBody] = useState<typeof ConsentDialog>();
  const { i18n } = useTranslation();
  const close = useCallback(() => setOpenAt(null), []);
  const { ask, loaded, problem } = useDialogLoad<ConsentLoad>('/cookies', i18n.language, close);
  const isWanted = openAt === key && loaded !== undefined;
  usePageViews(analytics, seen?.choice);

  const refreshChoice = useCallback(() => setSeen({ key, choice: mirrorChoice() }), [key]);
  useEffect(refreshChoice, [refreshChoice]);

  useEffect(() => {
    if (pathname === '/cookies') return;
    function onClick(event: MouseEvent) {
      const link = event.target instanceof Element ? event.target.closest(OPENERS) : null;
      if (!link || !isPlainClick(event)) return;
      event.preventDefault();
      ask();
      setOpenAt(key);
    }
    document.addEventListener('click', onClick, true);
    return () => document.removeEventListener('click', onClick, true);
  }, [pathname, ask, key]);

  useEffect(() => {
    if (!isWanted || Body) return;
    import('./consent-dialog').then(
      ({ ConsentDialog }) => setBody(() => ConsentDialog),
      // Blockers of cookie notices may block this file; the page itself still works.
      () => window.location.assign('/cookies'),
    );
  }, [isWanted, Body]);

  const save = (place: 'banner' | 'dialog') => {
    setSavedIn(place);
    refreshChoice();
  };
  return (
    <>
      {banner && savedIn !== 'dialog' && (
        <ConsentBanner texts={banner} isSaved={savedIn === 'banner'} onSave={() => save('banner')} />
      )}
      {problem}
      {isWanted && Body && <Body load={loaded} onSave={() => save('dialog')} onClose={close} />}
    </>
  );
}

/**
 * Reports every page view, including the first. `choice` is the stored consent, null without one, undefined
 * before it has been read. Without a tag, nothing is loaded.
 */
function usePageViews(tag: AnalyticsTag | undefined, choice: string | null | undefined): void {
  const { pathname, search } = useLocation();
  const { id, script } = tag ?? {};
  useEffect(() => {
    if (!id || !script || choice === undefined) return;
    const page = { title: document.title, pathname, search };
    import('./analytics').then(
      ({ trackPage }) => trackPage({ id, script }, choice, page),
      // A content blocker may block the file, which is respected.
      () => undefined,
    );
  }, [id, script, choice, pathname, search]);
}
