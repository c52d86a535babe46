import '~/styles/saved-styles.css';
import type { ActionFunctionArgs, LoaderFunctionArgs } from '@remix-run/node';
import { Link, useLoaderData } from '@remix-run/react';
import { useTranslation } from 'react-i18next';
import { requireUser } from '~/http/guards.server';
import { buttonClass } from '~/ui/button';
import type { FormHandle } from '~/ui/language-switch';
import { usePageActionData } from '~/ui/page-action-data';
import type { PageHandle } from '~/ui/page-head';
import { EmptyState, PageHeading } from '~/ui/page-layouts';
import { SaveStyleForm } from './save-style-form';
import { handleStyles, picturedStyles } from './saved-styles.server';
import { StyleList } from './style-list';

export const handle: PageHandle & FormHandle = {
  page: 'codes:styles',
  // The form belongs to a code's page; here it is shown only after it was refused.
  form: (data) => ((data as { isSaving?: boolean } | undefined)?.isSaving ? 'save-style' : null),
};

export async function loader(args: LoaderFunctionArgs) {
  const scope = await requireUser(args);
  const { submitted = [] } = scope;
  const isSaving = submitted.some(([name, value]) => name === 'intent' && value === 'save-style');
  return { styles: await picturedStyles(scope), isSaving };
}

export async function action(args: ActionFunctionArgs) {
  return handleStyles(await requireUser(args));
}

export { clientAction, shouldRevalidate } from '~/ui/form-route';

export default function StylesPage() {
  const { styles } = useLoaderData<typeof loader>();
  const lastResult = usePageActionData<typeof action>()?.lastResult;
  const { t } = useTranslation('codes');
  return (
    <div className="page">
      <p>
        <Link to="/user/qrcodes">{t('one.back')}</Link>
      </p>
      <PageHeading title={t('styles.title')} lead={t('styles.lead')} />
      {lastResult && (
        <section className="sheet">
          <h2>{t('styles.saveHeading')}</h2>
          <SaveStyleForm
            style={String(lastResult.initialValue?.style ?? '')}
            logo={String(lastResult.initialValue?.logo ?? '')}
            codeId={String(lastResult.initialValue?.codeId ?? '')}
          />
        </section>
      )}
      {styles.length > 0 ? (
        <StyleList styles={styles} />
      ) : (
        <EmptyState
          title={t('styles.emptyTitle')}
          text={t('styles.emptyText')}
          action={
            <Link to="/user/qrcodes" className={buttonClass('secondary')}>
              {t('one.back')}
            </Link>
          }
        />
      )}
    </div>
  );
}
