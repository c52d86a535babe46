import '~/styles/look-page.css';
import { type ReactNode, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import type { StyleField } from '#contract/style-fields';
import { CodePicture, type Drawn } from '~/codes/code/picture';
import { LockedNotice, NO_SUBSCRIPTION } from '~/codes/code/states';
import type { FixedCode } from '~/codes/create/live-drawing';
import type { OwnLogo } from '~/codes/create/logo-address';
import { useLivePreview } from '~/codes/create/use-live-preview';
import { Button } from '~/ui/button';
import type { FieldMeta } from '~/ui/field';
import { Form } from '~/ui/form';
import { ErrorSummary, useErrorTexts } from '~/ui/form-errors';
import { type LastResult, useServerValidatedForm } from '~/ui/server-validated-form';
import { FixButtons } from './fixes';
import { type LogoField, LogoFields } from './logo-fields';
import { LookFields } from './look-fields';
import type { SavedLook } from './look-input';
import type { Findings } from './scan-report';
import { LOOK_RELATED } from './style-fields';
import type { LookField } from './use-look-controls';
import { Verdict } from './verdict';

interface Shown extends Findings {
  drawn: Drawn;
}

type Message = (codes: string[] | undefined) => string | undefined;
/** Of a saved look only. */
type SavedField = 'name' | 'shownOn';

interface Props {
  /** Path of the page that has the form. */
  address: string;
  look: {
    values: Partial<Record<StyleField | LogoField | SavedField, string>>;
    logos: { presets: string[]; own: OwnLogo[] };
    picture: Shown;
    fixed: FixedCode;
    saved: SavedLook[];
    /** Without a subscription. */
    isLocked: boolean;
  };
  actionData: { lastResult: LastResult; picture?: Shown } | undefined;
  /** Label of the main button. */
  main: string;
  hint: string;
  /** What the picture shows, in words. */
  label: string;
  /** Offered as the first logo: leaves the logos of codes as they are. */
  keepLogo?: string;
  /** Fields before those of the look. */
  before?: (fields: Record<SavedField, FieldMeta>, message: Message) => ReactNode;
  /** Below the preview. */
  children?: ReactNode;
}

/** Other ids than in the form of a new code, which may be in a dialog over it. */
const FORM = 'look-form';
const PREVIEW = 'look-preview';

/** A form for a look and a logo, with a preview beside it. */
export function LookEditor({
  address,
  look,
  actionData,
  main,
  hint,
  label,
  keepLogo,
  before,
  children,
}: Props) {
  const { values, logos, picture, fixed, saved, isLocked } = look;
  const preview = `${address}#${PREVIEW}`;
  const { t } = useTranslation('look');
  const formRef = useRef<HTMLFormElement>(null);
  const [form, fields] = useServerValidatedForm<LookField | LogoField | SavedField>({
    id: FORM,
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
        {isLocked && <LockedNotice text={t('codes:states.locked.look')} />}
        {before?.(fields, message)}
        <LogoFields fields={fields} message={message} {...logos} keep={keepLogo} />
        <LookFields fields={fields} message={message} saved={saved} main={main} />
        <div className="actions look-page__actions">
          <Button
            name="intent"
            value="use"
            disabled={isLocked}
            aria-describedby={isLocked ? NO_SUBSCRIPTION : undefined}
          >
            {main}
          </Button>
          <Button name="intent" value="preview" variant="secondary" formAction={preview}>
            {t('design:form.preview')}
          </Button>
        </div>
        <p className="hint">{hint}</p>
      </Form>
      <div className="look-page__aside">
        <figure className="look-page__preview sheet" id={PREVIEW}>
          <CodePicture drawn={drawn} label={label} />
          <figcaption>
            <Verdict
              examination={examination}
              problem={problem}
              isMarked={summary.some(({ field }) => field)}
              waiting={t('page.notRead')}
              isInitial={drawn === picture.drawn}
            />
            {examination && (
              <FixButtons fixes={examination.fixes} form={form.props.id} formAction={preview} />
            )}
          </figcaption>
        </figure>
        {children}
      </div>
    </div>
  );
}
