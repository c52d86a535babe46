import '~/styles/code-list.css';
import '~/styles/saved-styles.css';
import type { ActionFunctionArgs, LoaderFunctionArgs } from '@remix-run/node';
import { Link, useLoaderData } from '@remix-run/react';
import { useTranslation } from 'react-i18next';
import { Fold } from '~/codes/code/fold';
import { type LogoField, LogoFields } from '~/codes/look/logo-fields';
import { LookTiles } from '~/codes/look/style-list';
import { requireUser } from '~/http/guards.server';
import { Button, buttonClass } from '~/ui/button';
import { CheckboxField } from '~/ui/field';
import { Form } from '~/ui/form';
import { ErrorSummary, useErrorTexts } from '~/ui/form-errors';
import { usePageActionData } from '~/ui/page-action-data';
import { useServerValidatedForm } from '~/ui/server-validated-form';
import { handleStart, loadReport } from './import.server';
import { DuplicateRows, ImportColumns, ImportPreview, ImportProblems } from './report';

export const handle = { page: 'codes:importReport' };

export async function loader({ params, ...args }: LoaderFunctionArgs) {
  return loadReport(await requireUser(args), params.id);
}

export async function action({ params, ...args }: ActionFunctionArgs) {
  return handleStart(await requireUser(args), params.id);
}

export { clientAction, shouldRevalidate } from '~/ui/form-route';

export default function ImportReportPage() {
  const { report, offered, logos } = useLoaderData<typeof loader>();
  const actionData = usePageActionData<typeof action>();
  const { t } = useTranslation('codes');
  const [form, fields] = useServerValidatedForm<'skipDuplicates' | 'readyMade' | LogoField>({
    id: 'start',
    lastResult: actionData?.lastResult,
    defaultValue: {
      skipDuplicates: 'on',
      readyMade: offered.initial,
      logoPreset: offered.hasLogos ? 'keep' : 'none',
    },
    related: { logo: ['logoPreset'], logoPreset: ['logo'] },
  });
  const { message, summary } = useErrorTexts('design', form);
  const { valid, rows, problemCount, duplicateCount, fileName } = report;
  const lookError = message(fields.readyMade.errors);
  // Without saved looks there is nothing to choose, unless the chosen one has just been deleted.
  const asksForLook = valid > 0 && (offered.looks.length > 1 || lookError !== undefined);
  return (
    <div className="page import-report">
      <h1>{t('importReport.heading', { name: fileName })}</h1>
      <p className="lead">{t('importReport.lead', { count: rows })}</p>
      <ErrorSummary errors={summary} />
      <section className="sheet">
        <h2>{t('importReport.valid', { count: valid })}</h2>
        <p>{t(problemCount > 0 ? 'importReport.fixFirst' : 'importReport.nothingYet')}</p>
        <Form {...form.props} encType="multipart/form-data">
          {duplicateCount > 0 && (
            <CheckboxField
              field={fields.skipDuplicates}
              label={t('importReport.skip', { count: duplicateCount })}
            />
          )}
          {asksForLook && (
            <LookTiles
              legend={t('importReport.look')}
              field={fields.readyMade}
              error={lookError}
              looks={offered.looks}
            />
          )}
          {valid > 0 && (
            <Fold
              id="logo"
              summary={t('importReport.logo')}
              hasErrors={Boolean(fields.logo.errors || fields.logoPreset.errors)}
            >
              <LogoFields
                fields={fields}
                message={message}
                {...logos}
                {...(offered.hasLogos && { keep: t('importReport.keepLogo') })}
              />
            </Fold>
          )}
          <div className="actions">
            {valid > 0 && <Button>{t('importReport.start', { count: valid })}</Button>}
            <Link to="/user/qrcodes/import" className={buttonClass('secondary')}>
              {t('importReport.other')}
            </Link>
          </div>
        </Form>
      </section>
      {problemCount > 0 && <ImportProblems report={report} />}
      <ImportColumns report={report} />
      {report.preview.length > 0 && <ImportPreview report={report} />}
      {duplicateCount > 0 && <DuplicateRows report={report} />}
    </div>
  );
}
