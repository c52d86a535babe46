import { useLocation } from '@remix-run/react';
import { createContext, type ReactNode, useCallback, useContext, useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useHydrated } from 'remix-utils/use-hydrated';
import type { NoticeKey } from '~/i18n/text-keys';
import type { FailureCode } from './form-route';
import { Icon, type IconName } from './icon';
import { readingMs } from './reading-time';

export interface NoticeView {
  id: string;
  type: 'success' | 'error' | 'warning' | 'info';
  key: NoticeKey;
  values?: Record<string, string> | undefined;
  persistent: boolean;
}

/** These stay until they are closed or the page is left. */
const STAYING: NoticeView['type'][] = ['error', 'warning'];
const ICONS: Record<NoticeView['type'], IconName> = {
  success: 'check',
  error: 'error',
  warning: 'warning',
  info: 'info',
};

interface Shown {
  /** The messages of this page that are not closed yet. */
  notices: NoticeView[];
  isHeld: boolean;
  setIsHeld: (isHeld: boolean) => void;
  close: (id: string) => void;
  /** Ids of what the page lists: a message about one of these is shown in its row. */
  rows: string[];
}

const ShownContext = createContext<Shown | null>(null);

interface ProviderProps {
  notices: NoticeView[];
  rows: string[];
  children: ReactNode;
}

/** Keeps the messages about the last action until they are closed, or have been shown long enough to be read. */
export function NoticesProvider({ notices, rows, children }: ProviderProps) {
  const { pathname } = useLocation();
  const [shown, setShown] = useState(() => notices.map((notice) => ({ notice, pathname })));
  const [isHeld, setIsHeld] = useState(false);

  useEffect(() => {
    setShown((before) => {
      const kept = before.filter((entry) => entry.pathname === pathname);
      const seen = new Set(before.map(({ notice }) => notice.id));
      const fresh = notices.filter(({ id }) => !seen.has(id)).map((notice) => ({ notice, pathname }));
      return fresh.length > 0 || kept.length < before.length ? [...kept, ...fresh] : before;
    });
  }, [notices, pathname]);

  const close = useCallback((id: string) => {
    setShown((before) => before.filter(({ notice }) => notice.id !== id));
    // Removing an element under the pointer or with focus in it fires neither event.
    setIsHeld(false);
  }, []);

  const value = { notices: shown.map(({ notice }) => notice), isHeld, setIsHeld, close, rows };
  return <ShownContext.Provider value={value}>{children}</ShownContext.Provider>;
}

/** Messages about the last action. They are part of the page; once scripts run, most float and disappear. */
export function Notices() {
  const shown = useContext(ShownContext);
  const notices = shown?.notices.filter(({ values }) => !shown.rows.includes(values?.id ?? '')) ?? [];
  return <NoticeRegion className="notices" notices={notices} />;
}

/** The same messages, as far as they are about the row with this id; null if there is none. */
export function RowNotice({ id }: { id: string }) {
  const notices = useContext(ShownContext)?.notices.filter(({ values }) => values?.id === id) ?? [];
  return notices.length > 0 ? <RowRegion notices={notices} /> : null;
}

function RowRegion({ notices }: { notices: NoticeView[] }) {
  const isHydrated = useHydrated();
  // Screen readers announce only what is added to a region that is already there.
  const [isFilled, setIsFilled] = useState(!isHydrated);
  const place = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (isFilled) return;
    setIsFilled(true);
    place.current?.closest('tr')?.scrollIntoView({ block: 'nearest' });
  }, [isFilled]);
  return (
    <div ref={place}>
      <NoticeRegion className="row-notice" notices={isFilled ? notices : []} />
    </div>
  );
}

function NoticeRegion({ className, notices }: { className: string; notices: NoticeView[] }) {
  const shown = useContext(ShownContext);
  return (
    <div
      role="status"
      className={className}
      onPointerEnter={() => shown?.setIsHeld(true)}
      onPointerLeave={() => shown?.setIsHeld(false)}
      onFocus={() => shown?.setIsHeld(true)}
      onBlur={() => shown?.setIsHeld(false)}
    >
      {notices.map((notice) => (
        <NoticeBox
          key={notice.id}
          notice={notice}
          isHeld={shown?.isHeld ?? false}
          onClose={shown?.close ?? (() => undefined)}
        />
      ))}
    </div>
  );
}

interface BoxProps {
  notice: NoticeView;
  /** True while a message has focus or the pointer: none disappears then. */
  isHeld: boolean;
  onClose: (id: string) => void;
}

function NoticeBox({ notice, isHeld, onClose }: BoxProps) {
  const { t } = useTranslation();
  const isHydrated = useHydrated();
  const { id, type, persistent } = notice;
  const text = t(`notices.${notice.key}`, notice.values);
  const box = useRef<HTMLDivElement>(null);
  const close = () => {
    moveFocusOut(box.current);
    onClose(id);
  };

  useEffect(() => {
    if (persistent || STAYING.includes(type) || isHeld) return;
    const timer = setTimeout(() => onClose(id), readingMs(text));
    return () => clearTimeout(timer);
  }, [id, type, text, persistent, isHeld, onClose]);

  return (
    <div ref={box} className={`notice ${type}${persistent ? '' : ' passing'}`}>
      <Icon name={ICONS[type]} />
      <p>
        <strong className="sr-only">{t(`notice.${type}`)} </strong>
        {text}
      </p>
      {isHydrated && (
        <button type="button" className="icon-button" onClick={close}>
          <Icon name="close" />
          <span className="sr-only">{t('notice.close')}</span>
        </button>
      )}
    </div>
  );
}

interface Props {
  failure: FailureCode;
  opener: Element | null;
  onClose: () => void;
}

/** Says why loading failed, over a page that stays unchanged. */
export function LoadFailure({ failure, opener, onClose }: Props) {
  const { t } = useTranslation();
  const box = useRef<HTMLDivElement>(null);
  const close = () => {
    moveFocusOut(box.current, opener);
    onClose();
  };
  return (
    <div ref={box} role="alert" className="notice error passing">
      <Icon name="error" />
      <p>{t(`form.failures.${failure}`)}</p>
      <button type="button" className="icon-button" onClick={close}>
        <Icon name="close" />
        <span className="sr-only">{t('notice.close')}</span>
      </button>
    </div>
  );
}

/**
 * Call before an element is removed: moves focus from inside it to another element, such as the one that
 * opened it, or else to the main content. Otherwise focus would restart at the top of the page.
 */
function moveFocusOut(leaving: Element | null, to?: Element | null): void {
  if (!leaving?.contains(document.activeElement)) return;
  if (to instanceof HTMLElement) to.focus();
  if (leaving.contains(document.activeElement))
    document.getElementById('main')?.focus({ preventScroll: true });
}
