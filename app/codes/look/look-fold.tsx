import { type ComponentType, type MouseEvent, useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { STYLE_FIELDS } from '#contract/style-fields';
import type { Messages } from '~/i18n/page-messages';
import type { FieldMeta } from '~/ui/field';
import type { LookProps } from './look-fields';
import { DEFAULT_LOOK } from './style-fields';

export type Look = ComponentType<LookProps>;

interface Props extends LookProps {
  Look: Look | null;
  /** Whether it was requested, for example with its button. */
  isRequested: boolean;
  /** Whether the last response rejected it. */
  wasRefused: boolean;
}

/**
 * The look of a code: collapsed while it is the default one, and without its controls until these are loaded.
 */
export function LookFold({ Look, isRequested, wasRefused, ...props }: Props) {
  const { fields } = props;
  const { t } = useTranslation('design');
  const fold = useRef<HTMLDetailsElement>(null);
  const hadControls = useRef(Look !== null);
  useEffect(() => {
    if (Look && !hadControls.current) fold.current?.querySelector('summary')?.focus();
  }, [Look]);
  if (!Look) return <KeptLook fields={fields} />;
  const name = fields.readyMade.initialValue ?? DEFAULT_LOOK;
  return (
    <details ref={fold} className="fold" id="look" open={isRequested || wasRefused || name !== DEFAULT_LOOK}>
      <summary>
        {t('form.look')} <span className="hint">{t('look:summary')}</span>
      </summary>
      <Look {...props} />
    </details>
  );
}

/** Submits a look chosen earlier along with the form. */
function KeptLook({ fields }: { fields: Record<string, FieldMeta> }) {
  const kept = ['readyMade', ...STYLE_FIELDS].flatMap((name) => {
    const value = fields[name]?.initialValue;
    return value ? [{ name, value }] : [];
  });
  if (kept.length === 0) return null;
  return (
    <>
      <input type="hidden" name="readyMadeBefore" value={fields.readyMade?.initialValue} />
      {kept.map(({ name, value }) => (
        <input key={name} type="hidden" name={name} value={value} />
      ))}
    </>
  );
}

/**
 * Loads the look controls and their texts; if that fails, submits the form to the page that includes them.
 */
export function useLoadedLook(texts: string | null) {
  const { i18n } = useTranslation();
  const [Look, setLook] = useState<Look | null>(null);
  async function load({ currentTarget }: MouseEvent<HTMLButtonElement>) {
    const { form, name, value, formAction } = currentTarget;
    // The language may change before they arrive.
    const { language } = i18n;
    try {
      const [{ LookFields }, messages] = await Promise.all([
        import('./look-fields'),
        fetchTexts(texts ?? ''),
      ]);
      for (const [namespace, words] of Object.entries(messages)) {
        i18n.addResourceBundle(language, namespace, words);
      }
      setLook(() => LookFields);
    } catch {
      if (!form) return;
      const intent = Object.assign(document.createElement('input'), { type: 'hidden', name, value });
      form.append(intent);
      form.action = formAction;
      // A full page load: `requestSubmit` would be handled by the client-side router.
      form.submit();
    }
  }
  const open = (event: MouseEvent<HTMLButtonElement>) => {
    event.preventDefault();
    void load(event);
  };
  return { Look, open };
}

async function fetchTexts(path: string): Promise<Messages> {
  const response = await fetch(path);
  if (!response.ok) throw new Error(`The texts of the look could not be loaded: status ${response.status}`);
  return response.json();
}
