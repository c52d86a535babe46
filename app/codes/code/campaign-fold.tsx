import { Link } from '@remix-run/react';
import { useTranslation } from 'react-i18next';
import { CAMPAIGN_INPUTS, type CampaignInput } from '#contract/campaign';
import { CampaignFields } from '~/codes/create/campaign-fields';
import { FinalAddress } from '~/codes/create/final-address';
import type { CampaignCode } from '~/codes/create/live-campaign';
import { Button } from '~/ui/button';
import { Form } from '~/ui/form';
import { ErrorSummary, useErrorTexts } from '~/ui/form-errors';
import { type LastResult, useServerValidatedForm } from '~/ui/server-validated-form';
import { Changeable } from './changeable';
import { Fold } from './fold';

interface Props {
  campaign: {
    values: Record<CampaignInput, string>;
    /** Null without parameters. */
    address: string | null;
    /** The `utm_campaign` of the address that visitors get, if it has one. */
    named: string | null;
    code: CampaignCode;
  };
  /** With the parameters as typed, if they were only to be shown. */
  shown: string | null;
  isLocked: boolean;
  lastResult: LastResult;
}

/** Parameters that are added to the addresses of a code; what visitors get is shown before it is saved. */
export function CampaignFold({
  campaign: { values, address, named, code },
  shown,
  isLocked,
  lastResult,
}: Props) {
  const { t } = useTranslation('codes');
  const [form, fields] = useServerValidatedForm<CampaignInput>({
    id: 'campaign-form',
    lastResult,
    defaultValue: values,
  });
  const { message, summary } = useErrorTexts('design', form);
  const entered = CAMPAIGN_INPUTS.map((name) => values[name]).filter((value) => value !== '');
  return (
    <Fold
      id="campaign"
      summary={t('design:form.campaign')}
      value={entered.slice(0, 2).join(' / ') || t('now.noParameters')}
      hasErrors={summary.length > 0 || shown !== null}
    >
      <ErrorSummary errors={summary} />
      <Form {...form.props} className="campaign-form">
        <Changeable isLocked={isLocked}>
          <CampaignFields fields={fields} message={message} />
          <p className="hint">{t('campaign.targets')}</p>
          <FinalAddress form={form.id} initial={shown ?? address} code={code} />
          <div className="actions">
            <Button variant="secondary" name="intent" value="campaign">
              {t('campaign.submit')}
            </Button>
            <Button variant="quiet" name="intent" value="campaign-preview">
              {t('campaign.preview')}
            </Button>
          </div>
        </Changeable>
      </Form>
      {named && (
        <p>
          <Link to={`/user/analytics?${new URLSearchParams({ campaign: named })}`}>
            {t('campaign.figures', { campaign: named })}
          </Link>
        </p>
      )}
    </Fold>
  );
}
