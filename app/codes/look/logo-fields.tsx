import { useTranslation } from 'react-i18next';
import type { OwnLogo } from '#contract/logos';
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
  return (
    <>
      <LogoChooser
        {...offered}
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
