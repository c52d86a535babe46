import type { ActionFunctionArgs, LoaderFunctionArgs } from '@remix-run/node';
import { useLoaderData } from '@remix-run/react';
import { useTranslation } from 'react-i18next';
import { redirectWithFlash } from '~/http/flash.server';
import { requireUser } from '~/http/guards.server';
import { countVisits } from '~/statistics/code-statistics.server';
import { Button } from '~/ui/button';
import { DefinitionList } from '~/ui/definition-list';
import { useErrorTexts } from '~/ui/form-errors';
import { usePageActionData } from '~/ui/page-action-data';
import { ConfirmPage } from '~/ui/page-layouts';
import { type LastResult, useServerValidatedForm } from '~/ui/server-validated-form';
import { deleteCode, getCode, nameOf } from './codes.server';

export const handle = { page: 'codes:delete' };

export async function loader({ params, ...args }: LoaderFunctionArgs) {
  const scope = await requireUser(args);
  const { code } = await getCode(scope, params.id);
  const visits = code.dynamic && code.counted ? await countVisits(scope, code) : null;
  const { id, dynamic, counted, archivedAt } = code;
  return { id, dynamic, counted, isArchived: archivedAt !== null, name: nameOf(code), visits };
}

export async function action({ params, ...args }: ActionFunctionArgs) {
  const scope = await requireUser(args);
  await deleteCode(scope, params.id);
  return redirectWithFlash('/user/qrcodes', {
    type: 'success',
    key: 'qrcode_deleted',
    values: { id: params.id ?? '' },
  });
}

export { clientAction, shouldRevalidate } from '~/ui/form-route';

export default function DeleteCodePage() {
  const { id, dynamic, counted, isArchived, name, visits } = useLoaderData<typeof loader>();
  const actionData = usePageActionData<{ lastResult: LastResult }>();
  const { t } = useTranslation('codes');
  const [form] = useServerValidatedForm({ id: 'archive', lastResult: actionData?.lastResult });
  const { summary } = useErrorTexts('design', form);
  return (
    <ConfirmPage
      title={t('delete.question', { name })}
      lead={t(dynamic ? 'delete.consequence' : 'delete.static')}
      warning={t('delete.irreversible')}
      action={`/user/qrcodes/${id}/delete`}
      label={t('delete.confirm', { name })}
      cancelTo={`/user/qrcodes/${id}`}
      keepLabel={t('delete.keep')}
      errors={summary}
      instead={
        !isArchived && (
          <Button variant="secondary" name="intent" value="archive" formAction={`/user/qrcodes/${id}`}>
            {t('delete.archiveInstead')}
          </Button>
        )
      }
    >
      <p>{t('delete.restorable')}</p>
      {!isArchived && (
        <>
          <p>{t(dynamic ? 'delete.archiveAbout' : 'archive.aboutStatic')}</p>
          <input type="hidden" name="archived" value="true" />
        </>
      )}
      {dynamic && !counted && <p>{t('delete.uncounted')}</p>}
      {visits && <CountedVisits visits={visits} />}
    </ConfirmPage>
  );
}

function CountedVisits({ visits }: { visits: NonNullable<Awaited<ReturnType<typeof loader>>['visits']> }) {
  const { t } = useTranslation('codes');
  if (visits.isNone) return <p>{t('delete.unvisited')}</p>;
  const items = [
    { term: t('delete.total'), value: visits.total },
    ...(visits.parts
      ? [
          { term: t('delete.scans'), value: visits.parts.scans },
          { term: t('delete.clicks'), value: visits.parts.clicks },
        ]
      : []),
  ];
  return (
    <section aria-labelledby="counted">
      <h2 id="counted">{t('delete.visits')}</h2>
      <DefinitionList items={items} />
      <p>{t('delete.figures')}</p>
    </section>
  );
}
