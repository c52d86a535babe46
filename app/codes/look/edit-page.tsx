import type { ActionFunctionArgs, LoaderFunctionArgs } from '@remix-run/node';
import { Link, useLoaderData } from '@remix-run/react';
import { useTranslation } from 'react-i18next';
import { requireUser } from '~/http/guards.server';
import { Button } from '~/ui/button';
import { Field, SelectField } from '~/ui/field';
import { Form } from '~/ui/form';
import { usePageActionData } from '~/ui/page-action-data';
import { findSavedLook, handleSavedLook } from './edit.server';
import { LookEditor } from './look-editor';

export const handle = { page: 'codes:styles.edit', form: 'look-form' };

export async function loader({ params, ...args }: LoaderFunctionArgs) {
  return findSavedLook(await requireUser(args), params.id);
}

export async function action({ params, ...args }: ActionFunctionArgs) {
  return handleSavedLook(await requireUser(args), params.id);
}

export { clientAction, shouldRevalidate } from '~/ui/form-route';

export default function EditStylePage() {
  const look = useLoaderData<typeof loader>();
  const actionData = usePageActionData<typeof action>();
  const { t } = useTranslation('codes');
  const { id, name, codes, tags } = look;
  return (
    <div className="page">
      <p>
        <Link to="/user/styles">{t('styles.all')}</Link>
      </p>
      <h1>{t('styles.edit.title')}</h1>
      <p className="lead">
        <bdi>{name}</bdi>
      </p>
      <p>{t('styles.edit.lead')}</p>
      <LookEditor
        address={`/user/styles/${id}`}
        look={look}
        actionData={actionData}
        main={t('styles.edit.submit')}
        hint={t('styles.edit.hint')}
        label={t('styles.edit.picture', { name })}
        keepLogo={t('styles.edit.keepLogo')}
        before={(fields, message) => (
          <>
            <Field
              field={{ ...fields.name, required: true }}
              label={t('styles.name')}
              error={message(fields.name.errors)}
              autoComplete="off"
            />
            {codes.length > 0 && (
              <SelectField field={fields.shownOn} label={t('styles.edit.shownOn')} options={codes} />
            )}
          </>
        )}
      >
        {codes.length > 0 && <UseLook id={id} codes={codes} tags={tags} />}
      </LookEditor>
    </div>
  );
}

interface UseLookProps {
  id: string;
  codes: { value: string; label: string }[];
  tags: string[];
}

/** Gives the saved look to one code, or to those with a tag; both are asked on the next page. */
function UseLook({ id, codes, tags }: UseLookProps) {
  const { t } = useTranslation('codes');
  return (
    <section className="sheet" id="use" aria-labelledby="use-heading">
      <h2 id="use-heading">{t('styles.use.title')}</h2>
      <p className="hint">{t('styles.use.hint')}</p>
      <Form className="form">
        <SelectField field={{ id: 'use-on', name: 'codeId' }} label={t('styles.use.code')} options={codes} />
        <Button variant="secondary" name="intent" value="show">
          {t('styles.use.show')}
        </Button>
      </Form>
      <form method="get" action="/user/qrcodes/selection" className="form">
        <input type="hidden" name="act" value="style" />
        <input type="hidden" name="all" value="1" />
        <input type="hidden" name="readyMade" value={id} />
        <Field
          field={{ id: 'use-tag', name: 'tag' }}
          label={t('styles.use.tag')}
          hint={t('styles.use.tagHint')}
          list="use-tags"
          autoComplete="off"
          optional
        />
        <datalist id="use-tags">
          {tags.map((tag) => (
            <option key={tag} value={tag} />
          ))}
        </datalist>
        <Button variant="secondary">{t('styles.use.many')}</Button>
      </form>
    </section>
  );
}
