import type { FormEvent } from 'react';
import { useTranslation } from 'react-i18next';
import type { FieldMeta } from '~/ui/field';

export interface KeptLogo {
  kind: 'preset' | 'upload';
  name: string;
}

const NO_LOGO = 'M5 19 19 5M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18z';

interface Props {
  presets: string[];
  field: FieldMeta;
  kept: KeptLogo | null;
  error: string | undefined;
}

/** Presets as named radio buttons, and a file input; a logo uploaded earlier is named and can be removed. */
export function LogoChooser({ presets, field, kept, error }: Props) {
  const { t } = useTranslation('design');
  // An upload has no tile: none is chosen beside it.
  const chosen = kept?.kind === 'upload' ? undefined : field.initialValue || 'none';
  const describedBy = error ? 'create-logo-hint create-logo-error' : 'create-logo-hint';
  return (
    // While it is captured, before the preview reads the form.
    <fieldset className="logos" onChangeCapture={keepLastChoice}>
      <legend>
        {t('logo.legend')} <span className="optional">{t('common:form.optional')}</span>
      </legend>
      {/* Rendered anew with an upload, as the browser would keep the tile that was chosen before it. */}
      <div className="logos__tiles" key={kept?.kind}>
        {['none', ...presets].map((file) => (
          <label key={file} className="logos__tile">
            <input
              type="radio"
              name={field.name}
              value={file}
              defaultChecked={file === chosen}
              className="sr-only"
            />
            <svg viewBox="0 0 24 24" width={24} height={24} aria-hidden="true">
              {file === 'none' ? (
                <path d={NO_LOGO} fill="none" stroke="#14203c" strokeWidth={2} />
              ) : (
                <use href={`/presets.svg#${presetName(file)}`} />
              )}
            </svg>
            <span className="sr-only">{t(`logo.presets.${presetName(file)}`, presetName(file))}</span>
          </label>
        ))}
      </div>
      {kept?.kind === 'upload' && (
        <div>
          <p>{t('logo.current', { name: kept.name })}</p>
          <label className="checkbox">
            <input type="checkbox" name="removeLogo" /> {t('logo.remove')}
          </label>
        </div>
      )}
      <label htmlFor="create-logo" className="field__label">
        {kept?.kind === 'upload' ? t('logo.replace') : t('logo.upload')}
      </label>
      <p id="create-logo-hint" className="hint">
        {t('logo.hint')}
      </p>
      {error && (
        <p id="create-logo-error" className="field-error">
          <span className="sr-only">{t('common:form.errorPrefix')} </span>
          {error}
        </p>
      )}
      <input
        id="create-logo"
        type="file"
        name="logo"
        accept="image/png,image/jpeg,image/webp,image/gif,image/svg+xml"
        aria-describedby={describedBy}
        aria-invalid={error ? true : undefined}
      />
    </fieldset>
  );
}

/** A file and a tile exclude each other: the one chosen last counts, and only that is shown as chosen. */
function keepLastChoice({ currentTarget, target }: FormEvent<HTMLFieldSetElement>): void {
  const file = currentTarget.querySelector<HTMLInputElement>('[type="file"]');
  const tiles = currentTarget.querySelectorAll<HTMLInputElement>('[type="radio"]');
  if (!file || !(target instanceof HTMLInputElement)) return;
  if (target.type === 'radio') file.value = '';
  if (target !== file) return;
  for (const tile of tiles) tile.checked = file.value === '' && tile.defaultChecked;
}

/** The name of a preset: its file name without the extension. */
export function presetName(file: string): string {
  return file.replace(/\.[^.]+$/, '');
}
