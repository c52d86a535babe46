import '~/styles/saved-styles.css';
import type { ActionFunctionArgs, LoaderFunctionArgs } from '@remix-run/node';
import { Link, useLoaderData } from '@remix-run/react';
import { useTranslation } from 'react-i18next';
import { type LogoField, LogoFields } from '~/codes/look/logo-fields';
import { LookTiles } from '~/codes/look/style-list';
import { requireUser } from '~/http/guards.server';
import { Button } from '~/ui/button';
import { Field } from '~/ui/field';
import { Form, FormKey } from '~/ui/form';
import { useErrorTexts } from '~/ui/form-errors';
import type { FormHandle } from '~/ui/language-switch';
import { usePageActionData } from '~/ui/page-action-data';
import type { PageHandle } from '~/ui/page-head';
import { ConfirmPage, FormPage } from '~/ui/page-layouts';
import { useServerValidatedForm } from '~/ui/server-validated-form';
import { handleBulkAct, loadBulkPage } from './bulk.server';
import { type RetargetField, RetargetFields, RetargetPage } from './retarget';

/** Whose page has nothing to fill in. */
const CONFIRMED_ACTS = ['make_private', 'count', 'delete'];

const CONFIRMATIONS = {
  delete: { lead: 'delete.consequence', warning: 'delete.irreversible', label: 'selection.confirmDelete' },
  make_private: {
    lead: 'selection.privateLead',
    warning: 'selection.privateWarning',
    label: 'selection.confirmPrivate',
  },
  count: { lead: 'selection.countLead', warning: 'selection.countWarning', label: 'selection.confirmCount' },
} as const;

export const handle: PageHandle & FormHandle = {
  page: 'codes:selection',
  form: (data) => {
    const { act, plan } = data as { act: string; plan: unknown };
    return CONFIRMED_ACTS.includes(act) || plan ? null : 'selection-act';
  },
};

export async function loader(args: LoaderFunctionArgs) {
  return loadBulkPage(await requireUser(args));
}

export async function action(args: ActionFunctionArgs) {
  return handleBulkAct(await requireUser(args));
}

export { clientAction, shouldRevalidate } from '~/ui/form-route';

export default function SelectionPage() {
  const requested = useLoaderData<typeof loader>();
  const actionData = usePageActionData<typeof action>();
  const { t } = useTranslation('codes');
  const { act, count, visited, expected, address, archive, back, plan } = requested;
  const { list, key, tags, offered, initialLook, logos } = requested;
  const [form, fields] = useServerValidatedForm<'withTag' | 'readyMade' | LogoField | RetargetField>({
    id: 'selection-act',
    lastResult: actionData?.lastResult,
    defaultValue: { readyMade: initialLook, kind: 'set' },
    related: { logo: ['logoPreset'], logoPreset: ['logo'] },
  });
  const { control, message, summary } = useErrorTexts('design', form);
  const title = t(`selection.question.${act}`, { count });
  const keyField = <FormKey value={key} />;
  const confirmed = (
    <>
      {keyField}
      {expected !== null && <input type="hidden" name="expected" value={expected} />}
    </>
  );
  if (plan)
    return (
      <RetargetPage {...{ plan, address, back, list }} errors={summary}>
        {confirmed}
      </RetargetPage>
    );
  if (act === 'delete' || act === 'make_private' || act === 'count') {
    const isDeletion = act === 'delete';
    const text = CONFIRMATIONS[act];
    return (
      <ConfirmPage
        title={title}
        lead={t(text.lead)}
        warning={t(text.warning)}
        action={address}
        label={t(text.label, { count })}
        cancelTo={list}
        keepLabel={t('selection.keep')}
        errors={summary}
        instead={
          isDeletion && (
            <Button variant="secondary" formAction={archive}>
              {t('selection.archiveInstead', { count })}
            </Button>
          )
        }
      >
        {isDeletion && (
          <>
            <p>{t('delete.restorable')}</p>
            <p>{t('selection.archiveAbout')}</p>
          </>
        )}
        {act !== 'count' && (
          <p>{visited ? t('selection.visited', { count: visited }) : t('selection.unvisited')}</p>
        )}
        {confirmed}
      </ConfirmPage>
    );
  }
  return (
    <FormPage title={title} lead={offered && t('selection.printed')} errors={summary}>
      <Form
        {...form.props}
        action={address}
        encType={offered ? 'multipart/form-data' : undefined}
        className="form"
      >
        {keyField}
        {(act === 'tag' || act === 'untag') && (
          <>
            <Field
              field={{ ...fields.withTag, required: true }}
              label={t('filter.tag')}
              error={message(fields.withTag.errors)}
              autoComplete="off"
              list="known-tags"
            />
            <datalist id="known-tags">
              {tags.map((tag) => (
                <option key={tag} value={tag} />
              ))}
            </datalist>
          </>
        )}
        {act === 'retarget' && <RetargetFields fields={fields} message={message} />}
        {offered && (
          <LookTiles
            legend={t('selection.look')}
            {...control('readyMade')}
            looks={offered.looks}
            keep={t('selection.keepLooks')}
          />
        )}
        {logos && <LogoFields fields={fields} message={message} {...logos} keep={t('selection.keepLogos')} />}
        <div className="actions">
          <Button>
            {act === 'retarget'
              ? t('retarget.show')
              : offered
                ? t('selection.apply', { count })
                : t(`selection.acts.${act}`)}
          </Button>
          <Link to={list}>{t('one.back')}</Link>
        </div>
      </Form>
    </FormPage>
  );
}
