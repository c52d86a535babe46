import type { FormEvent, ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import type { FieldMeta } from '~/ui/field';
import { logoAddress, type OwnLogo } from './logo-address';

export interface KeptLogo {
  kind: 'preset' | 'upload';
  name: string;
}

const NO_LOGO = 'M5 19 19 5M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18z';

/** Logos in the first row, which is one line in most windows. */
const SHOWN_AT_ONCE = 9;

interface Props {
  presets: string[];
  field: FieldMeta;
  /** The logo uploaded for a design that is no code yet. */
  kept?: KeptLogo | null;
  error: string | undefined;
  /** The account's own logos, newest first. */
  own?: OwnLogo[];
  /** Offered first: leaves the logos of codes as they are. */
  keep?: string;
}

/**
 * The account's own logos and the presets as named radio buttons, and a file input; a logo uploaded for a new design is
 * named and can be removed.
 */
export function LogoChooser({ presets, field, kept, error, own = [], keep }: Props) {
  const { t } = useTranslation('design');
  const id = field.id.replace('logoPreset', 'logo');
  // An upload has no tile: none is chosen beside it.
  const chosen = kept?.kind === 'upload' ? undefined : field.initialValue || (keep ? 'keep' : 'none');
  const describedBy = error ? `${id}-hint ${id}-error` : `${id}-hint`;
  const tile = (value: string, name: string, picture: ReactNode) => (
    <label key={value} className="logos__tile">
      <input
        type="radio"
        name={field.name}
        value={value}
        defaultChecked={value === chosen}
        className="sr-only"
      />
      {picture}
      <span className="sr-only">{name}</span>
    </label>
  );
  const logos = [
    ...own.map(({ id: value, name }) => ({
      value,
      name,
      picture: <img src={logoAddress(value)} alt="" width={24} height={24} loading="lazy" />,
    })),
    ...presets.map((value) => {
      const name = presetName(value);
      const text = t(`logo.presets.${name}`, { defaultValue: name });
      return { value, name: text, picture: <Drawing name={name} /> };
    }),
  ];
  const [first, others] = [logos.slice(0, SHOWN_AT_ONCE), logos.slice(SHOWN_AT_ONCE)];
  return (
    // While it is captured, before the preview reads the form.
    <fieldset className="logos" onChangeCapture={keepLastChoice}>
      <legend>
        {t('logo.legend')} {!keep && <span className="optional">{t('common:form.optional')}</span>}
      </legend>
      {keep && (
        <label className="checkbox">
          <input type="radio" name={field.name} value="keep" defaultChecked={chosen === 'keep'} /> {keep}
        </label>
      )}
      {/* Rendered anew with an upload, as the browser would keep the tile that was chosen before it. */}
      <div className="logos__tiles" key={kept?.kind}>
        {tile('none', t('logo.presets.none'), <Drawing shape={NO_LOGO} />)}
        {first.map(({ value, name, picture }) => tile(value, name, picture))}
      </div>
      {others.length > 0 && (
        <details open={others.some(({ value }) => value === chosen)} key={`more ${kept?.kind}`}>
          <summary>{t('logo.more')}</summary>
          <div className="logos__tiles">
            {others.map(({ value, name, picture }) => tile(value, name, picture))}
          </div>
        </details>
      )}
      {kept?.kind === 'upload' && (
        <div>
          <p>{t('logo.current', { name: kept.name })}</p>
          <label className="checkbox">
            <input type="checkbox" name="removeLogo" /> {t('logo.remove')}
          </label>
        </div>
      )}
      <label htmlFor={id} className="field__label">
        {kept?.kind === 'upload' ? t('logo.replace') : t('logo.upload')}
      </label>
      <p id={`${id}-hint`} className="hint">
        {t('logo.hint')}
      </p>
      {error && (
        <p id={`${id}-error`} className="field-error">
          <span className="sr-only">{t('common:form.errorPrefix')} </span>
          {error}
        </p>
      )}
      <input
        id={id}
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

function Drawing({ name, shape }: { name?: string; shape?: string }) {
  return (
    <svg viewBox="0 0 24 24" width={24} height={24} aria-hidden="true">
      {shape ? (
        <path d={shape} fill="none" stroke="#14203c" strokeWidth={2} />
      ) : (
        <use href={`/presets.svg#${name}`} />
      )}
    </svg>
  );
}

/** The name of a preset: its file name without the extension. */
export function presetName(file: string): string {
  return file.replace(/\.[^.]+$/, '');
}
