import '~/styles/look-page.css';
import type { ActionFunctionArgs, LoaderFunctionArgs } from '@remix-run/node';
import { Link, useLoaderData } from '@remix-run/react';
import { useRef } from 'react';
import { useTranslation } from 'react-i18next';
import type { StyleField } from '#contract/style-fields';
import { CodePicture, type Drawn } from '~/codes/code/picture';
import type { FixedCode } from '~/codes/create/live-drawing';
import type { OwnLogo } from '~/codes/create/logo-address';
import { useLivePreview } from '~/codes/create/use-live-preview';
import { requireUser } from '~/http/guards.server';
import { Button } from '~/ui/button';
import { Form } from '~/ui/form';
import { ErrorSummary, useErrorTexts } from '~/ui/form-errors';
import { usePageActionData } from '~/ui/page-action-data';
import { type LastResult, useServerValidatedForm } from '~/ui/server-validated-form';
import { findCodeLook, handleCodeLook } from './code-look.server';
import { FixButtons } from './fixes';
import { type LogoField, LogoFields } from './logo-fields';
import { LookFields } from './look-fields';
import type { SavedLook } from './look-input';
import { SaveStyleForm } from './save-style-form';
import type { Findings } from './scan-report';
import { LOOK_RELATED } from './style-fields';
import type { LookField } from './use-look-controls';
import { Verdict } from './verdict';

export const handle = { page: 'look:page', form: 'look' };

export async function loader({ params, ...args }: LoaderFunctionArgs) {
  return findCodeLook(await requireUser(args), params.id);
}

export async function action({ params, ...args }: ActionFunctionArgs) {
  return handleCodeLook(await requireUser(args), params.id);
}

export { clientAction, shouldRevalidate } from '~/ui/form-route';

export default function CodeLookPage() {
  const code = useLoaderData<typeof loader>();
  const actionData = usePageActionData<typeof action>();
  const { t } = useTranslation('look');
  return (
    <div className="page">
      <p>
        <Link to={`/user/qrcodes/${code.id}`}>{t('page.back')}</Link>
      </p>
      <h1>{t('page.title')}</h1>
      <p className="lead">
        <bdi>{code.name}</bdi>
      </p>
      <p>{t('page.lead')}</p>
      {/* The form that saves a look posts to another page: its result is not about the look of this code. */}
      <LookForm
        code={code}
        actionData={actionData?.lastResult.initialValue?.intent === 'save-style' ? undefined : actionData}
      />
    </div>
  );
}

interface Shown extends Findings {
  drawn: Drawn;
}

interface LookFormProps {
  code: {
    id: string;
    name: string;
    values: Partial<Record<StyleField | LogoField, string>>;
    logos: { presets: string[]; own: OwnLogo[] };
    picture: Shown;
    fixed: FixedCode;
    saved: SavedLook[];
    kept: { style: string; logo: string | null } | null;
  };
  actionData: { lastResult: LastResult; picture?: Shown } | undefined;
}

/** The look of an existing code, with a preview beside it. */
function LookForm({ code, actionData }: LookFormProps) {
  const { id, name, values, logos, picture, fixed, saved, kept } = code;
  const { t } = useTranslation('look');
  const formRef = useRef<HTMLFormElement>(null);
  const [form, fields] = useServerValidatedForm<LookField | LogoField>({
    id: 'look',
    lastResult: actionData?.lastResult,
    defaultValue: values,
    related: { ...LOOK_RELATED, logo: ['logoPreset'], logoPreset: ['logo'] },
  });
  const { message, summary } = useErrorTexts('design', form);
  const live = useLivePreview(formRef, actionData, actionData?.picture, fixed);
  const { drawn, examination, problem } = live?.drawn
    ? { ...live, drawn: live.drawn }
    : (actionData?.picture ?? picture);
  return (
    <div className="look-page">
      <Form {...form.props} encType="multipart/form-data" formRef={formRef} className="sheet">
        <ErrorSummary errors={summary} />
        <LogoFields fields={fields} message={message} {...logos} />
        <LookFields fields={fields} message={message} saved={saved} main={t('page.use')} />
        <div className="actions look-page__actions">
          <Button name="intent" value="use">
            {t('page.use')}
          </Button>
          <Button
            name="intent"
            value="preview"
            variant="secondary"
            formAction={`/user/qrcodes/${id}/look#preview`}
          >
            {t('design:form.preview')}
          </Button>
        </div>
        <p className="hint">{t('page.download')}</p>
      </Form>
      <div className="look-page__aside">
        <figure className="look-page__preview sheet" id="preview">
          <CodePicture drawn={drawn} label={t('page.picture', { name })} />
          <figcaption>
            <Verdict
              examination={examination}
              problem={problem}
              isMarked={summary.some(({ field }) => field)}
              waiting={t('page.notRead')}
              isInitial={drawn === picture.drawn}
            />
            {examination && (
              <FixButtons
                fixes={examination.fixes}
                form={form.props.id}
                formAction={`/user/qrcodes/${id}/look#preview`}
              />
            )}
          </figcaption>
        </figure>
        {kept && (
          <details className="fold">
            <summary>{t('codes:styles.save')}</summary>
            <p className="hint">{t('page.saveHint')}</p>
            <SaveStyleForm {...kept} codeId={id} />
          </details>
        )}
      </div>
    </div>
  );
}
