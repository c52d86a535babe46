import { useLocation } from '@remix-run/react';
import { type FormEvent, useCallback, useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { AnalyticsTag } from '~/site/analytics';
import { useDialogLoad } from '~/ui/dialog-load';
import { isPlainClick } from '~/ui/plain-click';
import { mirrorChoice, sendChoice } from './choice';
import type { ConsentDialog, ConsentLoad } from './dialog';

const OPENERS = 'a[href="/cookies"], button[formaction="/cookies"]';

interface ConsentProps {
  banner: BannerTexts | null | undefined;
  analytics: AnalyticsTag | undefined;
}

/** Asks for consent, applies the stored choice, and opens /cookies as a dialog once scripts run. */
export function Consent({ banner, analytics }: ConsentProps) {
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
    import('./dialog').then(
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
    import('~/site/analytics').then(
      ({ trackPage }) => trackPage({ id, script }, choice, page),
      // A content blocker may block the file, which is respected.
      () => undefined,
    );
  }, [id, script, choice, pathname, search]);
}

export type BannerTexts = Record<
  'label' | 'text' | 'accept' | 'reject' | 'customise' | 'saved' | 'failed',
  string
>;

interface ConsentBannerProps {
  texts: BannerTexts;
  isSaved: boolean;
  onSave: () => void;
}

/**
 * Asks for consent. Its form gets a 204 response, so that the page stays as it is; without scripts, the style
 * sheet detects the submission by the `:user-valid` state of its buttons, which are inputs for this reason.
 * It contains no link, so that the skip link stays the first one.
 */
function ConsentBanner({ texts, isSaved, onSave }: ConsentBannerProps) {
  const section = useRef<HTMLElement>(null);
  const [hasFailed, setHasFailed] = useState(false);

  async function onSubmit(event: FormEvent<HTMLFormElement>) {
    const { submitter } = event.nativeEvent as SubmitEvent;
    if (!(submitter instanceof HTMLInputElement)) return;
    event.preventDefault();
    const form = event.currentTarget;
    const sent = sendChoice(form, submitter);
    // Clears `:user-valid`: with scripts, the page confirms the choice only once it is stored.
    form.reset();
    const isStored = await sent;
    setHasFailed(!isStored);
    if (!isStored) return;
    // The pressed button disappears: moves the focus, unless it has moved elsewhere by now.
    if (section.current?.contains(document.activeElement)) section.current.focus();
    onSave();
  }

  return (
    <section
      ref={section}
      className={isSaved ? 'consent saved' : 'consent'}
      aria-label={texts.label}
      tabIndex={-1}
    >
      <form method="post" action="/cookies?stay" onSubmit={onSubmit}>
        <p>{texts.text}</p>
        <div className="consent__choices">
          <input type="submit" className="button secondary" name="all" value={texts.accept} />{' '}
          <input type="submit" className="button secondary" name="none" value={texts.reject} />{' '}
          <button type="submit" className="button secondary" formMethod="get" formAction="/cookies">
            {texts.customise}
          </button>
        </div>
      </form>
      <p role="status" data-saved={texts.saved}>
        {isSaved ? texts.saved : hasFailed && texts.failed}
      </p>
    </section>
  );
}
