import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useHydrated } from 'remix-utils/use-hydrated';
import { useAnnounce } from './announcer';
import { Icon } from './icon';

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
