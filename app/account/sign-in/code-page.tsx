import type { ActionFunctionArgs, LoaderFunctionArgs } from '@remix-run/node';
import { Link } from '@remix-run/react';
import { useTranslation } from 'react-i18next';
import { requireVisitor } from '~/http/guards.server';
import { Button } from '~/ui/button';
import { Form } from '~/ui/form';
import { useErrorTexts } from '~/ui/form-errors';
import type { FormHandle } from '~/ui/language-switch';
import { usePageActionData } from '~/ui/page-action-data';
import type { PageHandle } from '~/ui/page-head';
import { FormPage } from '~/ui/page-layouts';
import { useServerValidatedForm } from '~/ui/server-validated-form';
import { CodeField } from './credential-fields';
import { handleSecondStep, requireSecondStep } from './entry.server';

export const handle: PageHandle & FormHandle = {
  page: () => ({ key: 'account:code', values: {}, isPersonal: true }),
  form: 'code',
};

export function headers() {
  return { 'Cache-Control': 'no-store' };
}

export async function loader(args: LoaderFunctionArgs) {
  const scope = await requireVisitor(args);
  await requireSecondStep(scope);
  return null;
}

export async function action(args: ActionFunctionArgs) {
  return handleSecondStep(await requireVisitor(args));
}

export { clientAction, shouldRevalidate } from '~/ui/form-route';

export default function CodePage() {
  const actionData = usePageActionData<typeof action>();
  const { t } = useTranslation('account');
  const [form, fields] = useServerValidatedForm<'code'>({ id: 'code', lastResult: actionData?.lastResult });
  const { message, summary } = useErrorTexts('account', form);
  return (
    <FormPage title={t('code.title')} lead={t('code.lead')} errors={summary}>
      <Form {...form.props} className="form">
        <CodeField
          field={{ ...fields.code, required: true }}
          label={t('code.label')}
          hint={t('code.hint')}
          error={message(fields.code.errors)}
        />
        <Button>{t('code.submit')}</Button>
      </Form>
      <ul className="links">
        <li>
          <Link to="/login">{t('code.again')}</Link>
        </li>
        <li>
          {t('code.lost')} <Link to="/contact">{t('links.contact')}</Link>
        </li>
      </ul>
    </FormPage>
  );
}
