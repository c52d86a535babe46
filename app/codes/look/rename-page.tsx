import '~/styles/saved-styles.css';
import type { ActionFunctionArgs, LoaderFunctionArgs } from '@remix-run/node';
import { Link, useLoaderData } from '@remix-run/react';
import { useTranslation } from 'react-i18next';
import { requireUser } from '~/http/guards.server';
import { Button, buttonClass } from '~/ui/button';
import { Field } from '~/ui/field';
import { Form } from '~/ui/form';
import { useErrorTexts } from '~/ui/form-errors';
import { usePageActionData } from '~/ui/page-action-data';
import { FormPage } from '~/ui/page-layouts';
import { useServerValidatedForm } from '~/ui/server-validated-form';
import { getStyle, renameStyle } from './saved-styles.server';
import { StylePicture } from './style-list';

export const handle = { page: 'codes:styles.rename', form: 'rename-style' };

export async function loader({ params, ...args }: LoaderFunctionArgs) {
  return getStyle(await requireUser(args), params.id);
}

export async function action({ params, ...args }: ActionFunctionArgs) {
  return renameStyle(await requireUser(args), params.id);
}

export { clientAction, shouldRevalidate } from '~/ui/form-route';

export default function RenameStylePage() {
  const { name, picture } = useLoaderData<typeof loader>();
  const actionData = usePageActionData<typeof action>();
  const { t } = useTranslation('codes');
  const [form, fields] = useServerValidatedForm<'name'>({
    id: 'rename-style',
    lastResult: actionData?.lastResult,
    defaultValue: { name },
  });
  const { message, summary } = useErrorTexts('design', form);
  return (
    <FormPage title={t('styles.rename.title')} lead={t('styles.rename.lead')} errors={summary}>
      <Form {...form.props} className="form">
        <StylePicture address={picture} />
        <Field
          field={{ ...fields.name, required: true }}
          label={t('styles.name')}
          error={message(fields.name.errors)}
          autoComplete="off"
        />
        <div className="actions">
          <Button>{t('styles.rename.submit')}</Button>
          <Link to="/user/styles" className={buttonClass('secondary')}>
            {t('styles.rename.keep')}
          </Link>
        </div>
      </Form>
    </FormPage>
  );
}
