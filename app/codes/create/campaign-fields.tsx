import { useTranslation } from 'react-i18next';
import type { CampaignInput } from '#contract/campaign';
import { Field, type FieldMeta } from '~/ui/field';

const NAMES = ['utm_source', 'utm_medium', 'utm_campaign', 'utm_term', 'utm_content'] as const;

interface Props {
  fields: Record<CampaignInput, FieldMeta>;
  message: (codes: string[] | undefined) => string | undefined;
}

/** Inputs for the parameters that are added to the address of a code. */
export function CampaignFields({ fields, message }: Props) {
  const { t } = useTranslation('design');
  const common = { autoComplete: 'off', autoCapitalize: 'none', spellCheck: false } as const;
  return (
    <div className="panel">
      <p className="hint">{t('form.campaignLead')}</p>
      <p className="hint">{t('form.campaignOwn')}</p>
      <div className="parts">
        {NAMES.map((name) => (
          <Field
            key={name}
            field={fields[name]}
            label={t(`form.${name}`)}
            error={message(fields[name].errors)}
            {...common}
          />
        ))}
      </div>
      <Field
        field={fields.utm_more}
        label={t('form.utm_more')}
        hint={t('form.utm_moreHint')}
        error={message(fields.utm_more.errors)}
        {...common}
      />
    </div>
  );
}

/** Whether any of these inputs has been refused. */
export function isCampaignRefused(refused: Partial<Record<string, unknown>>): boolean {
  return [...NAMES, 'utm_more'].some((name) => refused[name]);
}
