import { useTranslation } from 'react-i18next';
import type { OwnLogo } from '~/codes/create/logo-address';
import { LogoChooser } from '~/codes/create/logo-chooser';
import { CheckboxField, type FieldMeta } from '~/ui/field';

export type LogoField = 'logoPreset' | 'logo' | 'useWhiteBackground';

interface Props {
  fields: Record<LogoField, FieldMeta>;
  message: (codes: string[] | undefined) => string | undefined;
  presets: string[];
  own: OwnLogo[];
  /** Offered first: leaves the logos of codes as they are. */
  keep?: string;
}

/** The logo of existing codes. */
export function LogoFields({ fields, message, ...offered }: Props) {
  const { t } = useTranslation('design');
  const { presets, own } = offered;
  const chosen = fields.logoPreset.initialValue || 'none';
  const isKnown = ['none', 'keep', ...presets, ...own.map(({ id }) => id)].includes(chosen);
  // A file just stored is offered before the page has its new list of logos, else the next post would lose it.
  const all = isKnown ? own : [{ id: chosen, name: t('logo.upload') }, ...own];
  return (
    <>
      <LogoChooser
        {...offered}
        own={all}
        field={fields.logoPreset}
        error={message([...(fields.logo.errors ?? []), ...(fields.logoPreset.errors ?? [])])}
      />
      <CheckboxField
        field={fields.useWhiteBackground}
        label={t('form.whiteBackground')}
        hint={t('form.whiteBackgroundHint')}
      />
    </>
  );
}
