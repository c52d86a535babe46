import '~/styles/code-list.css';
import type { ActionFunctionArgs, LoaderFunctionArgs } from '@remix-run/node';
import { useTranslation } from 'react-i18next';
import { CONTENT_FORMS } from '~/codes/contents/content-forms';
import { requireUser } from '~/http/guards.server';
import { Button } from '~/ui/button';
import { controlProps, FieldFrame } from '~/ui/field';
import { Form } from '~/ui/form';
import { useErrorTexts } from '~/ui/form-errors';
import { usePageActionData } from '~/ui/page-action-data';
import { FormPage } from '~/ui/page-layouts';
import { useServerValidatedForm } from '~/ui/server-validated-form';
import { handleUpload } from './import.server';

const PARTS = [
  ...(['columns', 'list', 'rivals', 'tags'] as const),
  ...Object.values(CONTENT_FORMS).flatMap(({ importNote = [] }) => importNote),
];

export const handle = { page: 'codes:import' };

export async function loader(args: LoaderFunctionArgs) {
  await requireUser(args);
  return null;
}

export async function action(args: ActionFunctionArgs) {
  return handleUpload(await requireUser(args));
}

export { clientAction, shouldRevalidate } from '~/ui/form-route';

export default function ImportPage() {
  const actionData = usePageActionData<typeof action>();
  const { t } = useTranslation('codes');
  const [form, fields] = useServerValidatedForm<'file'>({ id: 'import', lastResult: actionData?.lastResult });
  const { message, summary } = useErrorTexts('design', form);
  const texts = { hint: t('import.fileHint'), error: message(fields.file.errors) };
  return (
    <FormPage title={t('import.heading')} lead={t('import.lead')} errors={summary}>
      <Form {...form.props} encType="multipart/form-data" className="form">
        <FieldFrame field={fields.file} label={t('import.file')} {...texts}>
          <input
            type="file"
            {...controlProps(fields.file, texts)}
            accept=".csv,.tsv,.txt,text/csv,text/tab-separated-values"
            required
          />
        </FieldFrame>
        <Button>{t('import.read')}</Button>
      </Form>
      <h2>{t('import.howHeading')}</h2>
      <ul className="bullets">
        {PARTS.map((part) => (
          <li key={part}>{t(`import.how.${part}`)}</li>
        ))}
      </ul>
      <p>
        <a href="/user/qrcodes/import/template.csv">{t('import.template')}</a>
      </p>
    </FormPage>
  );
}
