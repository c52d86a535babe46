import { useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useHydrated } from 'remix-utils/use-hydrated';
import { useAnnounce } from './announcer';
import { useElementId } from './element-id';
import { Icon } from './icon';

/** A read-only address to select, with a copy button once scripts run. */
export function CopyField({ label, value }: { label: string; value: string }) {
  const { t } = useTranslation();
  const announce = useAnnounce();
  const isHydrated = useHydrated();
  const [isCopied, setIsCopied] = useState(false);
  const input = useRef<HTMLInputElement>(null);
  const id = useElementId();

  async function copy() {
    input.current?.select();
    try {
      await navigator.clipboard.writeText(value);
    } catch {
      // Not a secure context, or not permitted: the address is selected and can be copied by keyboard.
      return;
    }
    setIsCopied(true);
    announce(t('copy.done'));
  }

  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      <div className="with-suffix">
        <input ref={input} type="text" id={id} className="input mono" readOnly value={value} />
        {isHydrated && (
          <button type="button" className="button secondary" onClick={copy}>
            <Icon name={isCopied ? 'check' : 'copy'} />
            {t(isCopied ? 'copy.done' : 'copy.action')} <span className="sr-only">{label}</span>
          </button>
        )}
      </div>
    </div>
  );
}

interface Props {
  value: string;
  /** Names what is copied, for screen readers. */
  label: string;
}

/** An address as text, with a copy button once scripts run. */
export function CopyLink({ value, label }: Props) {
  const { t } = useTranslation();
  const announce = useAnnounce();
  const isHydrated = useHydrated();
  const [isCopied, setIsCopied] = useState(false);

  async function copy() {
    try {
      await navigator.clipboard.writeText(value);
    } catch {
      announce(t('copy.failed'));
      return;
    }
    setIsCopied(true);
    announce(t('copy.done'));
  }

  return (
    <span className="copy-link">
      <span className="mono">{value.replace(/^https?:\/\//, '')}</span>
      {isHydrated && (
        <button type="button" className="button quiet small" onClick={copy}>
          <Icon name={isCopied ? 'check' : 'copy'} />
          {t(isCopied ? 'copy.done' : 'copy.action')} <span className="sr-only">{label}</span>
        </button>
      )}
    </span>
  );
}
