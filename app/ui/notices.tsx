import { useLocation } from '@remix-run/react';
import { useCallback, useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useHydrated } from 'remix-utils/use-hydrated';
import type { NoticeKey } from '~/i18n/text-keys';
import { Icon, type IconName } from './icon';
import { moveFocusOut } from './leaving-focus';

export interface NoticeView {
  id: string;
  type: 'success' | 'error' | 'warning' | 'info';
  key: NoticeKey;
  values?: Record<string, string> | undefined;
  persistent: boolean;
}

const TIMEOUT_MS = 3000;
const ICONS: Record<NoticeView['type'], IconName> = {
  success: 'check',
  error: 'error',
  warning: 'warning',
  info: 'info',
};

/** Messages about the last action. They are part of the page; once scripts run, most float and disappear. */
export function Notices({ notices }: { notices: NoticeView[] }) {
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

  return (
    <div
      role="status"
      className="notices"
      onPointerEnter={() => setIsHeld(true)}
      onPointerLeave={() => setIsHeld(false)}
      onFocus={() => setIsHeld(true)}
      onBlur={() => setIsHeld(false)}
    >
      {shown.map(({ notice }) => (
        <NoticeBox key={notice.id} notice={notice} isHeld={isHeld} onClose={close} />
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
  const box = useRef<HTMLDivElement>(null);
  const close = () => {
    moveFocusOut(box.current);
    onClose(id);
  };

  useEffect(() => {
    if (persistent || type === 'error' || isHeld) return;
    const timer = setTimeout(() => onClose(id), TIMEOUT_MS);
    return () => clearTimeout(timer);
  }, [id, type, persistent, isHeld, onClose]);

  return (
    <div ref={box} className={`notice ${type}${persistent ? '' : ' passing'}`}>
      <Icon name={ICONS[type]} />
      <p>
        <strong className="sr-only">{t(`notice.${type}`)} </strong>
        {t(`notices.${notice.key}`, notice.values)}
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
