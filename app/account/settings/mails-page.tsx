import '~/styles/settings.css';
import type { ActionFunctionArgs, LoaderFunctionArgs } from '@remix-run/node';
import { Link, useLoaderData } from '@remix-run/react';
import { useTranslation } from 'react-i18next';
import { requireUser } from '~/http/guards.server';
import { Button } from '~/ui/button';
import { Explanation } from '~/ui/explanation';
import { CheckboxField } from '~/ui/field';
import { Form } from '~/ui/form';
import { ErrorSummary, useErrorTexts } from '~/ui/form-errors';
import { usePageActionData } from '~/ui/page-action-data';
import { PageHeading } from '~/ui/page-layouts';
import { RadioGroup } from '~/ui/radio-group';
import { useServerValidatedForm } from '~/ui/server-validated-form';
import { getMails, handleMails } from './mails.server';

export const handle = { page: 'settings:mails', form: 'mails' };

export async function loader(args: LoaderFunctionArgs) {
  return getMails(await requireUser(args));
}

export async function action(args: ActionFunctionArgs) {
  return handleMails(await requireUser(args));
}

export { clientAction, shouldRevalidate } from '~/ui/form-route';

export default function MailsPage() {
  const { figures, firstScan, unusual, destinationFailing } = useLoaderData<typeof loader>();
  const actionData = usePageActionData<typeof action>();
  const { t } = useTranslation('settings');
  const on = (isOn: boolean) => (isOn ? 'on' : '');
  const [form, fields] = useServerValidatedForm<'figures' | 'firstScan' | 'unusual' | 'destinationFailing'>({
    id: 'mails',
    lastResult: actionData?.lastResult,
    defaultValue: {
      figures,
      firstScan: on(firstScan),
      unusual: on(unusual),
      destinationFailing: on(destinationFailing),
    },
  });
  const { control, summary } = useErrorTexts('settings', form);
  return (
    <div className="form-page settings-page">
      <PageHeading
        back={<Link to="/user/settings#mails">{t('twoStep.back')}</Link>}
        title={t('mails.title')}
        lead={t('mails.lead')}
      />
      <ErrorSummary errors={summary} />
      <Form {...form.props} className="form sheet">
        <div className="explained mail-kind">
          <RadioGroup
            {...control('figures')}
            legend={t('mails.figures')}
            hint={t('mails.figuresHint')}
            options={(['off', 'week', 'month'] as const).map((value) => ({
              value,
              label: t(`mails.${value}`),
            }))}
          />
          <Explanation name={t('mails.figures')}>{t('mails.figuresMore')}</Explanation>
        </div>
        <CheckboxField
          field={fields.firstScan}
          label={t('mails.firstScan')}
          hint={t('mails.firstScanHint')}
        />
        <div className="explained mail-kind">
          <CheckboxField field={fields.unusual} label={t('mails.unusual')} hint={t('mails.unusualHint')} />
          <Explanation name={t('mails.unusual')}>{t('mails.unusualMore')}</Explanation>
        </div>
        <CheckboxField
          field={fields.destinationFailing}
          label={t('mails.destinationFailing')}
          hint={t('mails.destinationFailingHint')}
        />
        <Button>{t('mails.submit')}</Button>
      </Form>
    </div>
  );
}
