import { useRef } from 'react';
import { useTranslation } from 'react-i18next';
import type { CampaignInput } from '#contract/campaign';
import type { CodeFields } from '#contract/contents/contents';
import { STYLE_FIELDS } from '#contract/style-fields';
import { COMING_FORMS, COMING_TYPES, CONTENT_FORMS, FORM_TYPES } from '~/codes/contents/content-forms';
import { type Look, LookFold, useLoadedLook } from '~/codes/look/look-fold';
import type { SavedLook } from '~/codes/look/look-input';
import { LOOK_RELATED } from '~/codes/look/style-fields';
import type { LookField } from '~/codes/look/use-look-controls';
import { Button } from '~/ui/button';
import { CheckboxField } from '~/ui/field';
import { Form, FormFailure, FormKey } from '~/ui/form';
import { ErrorSummary, useErrorTexts } from '~/ui/form-errors';
import { Icon } from '~/ui/icon';
import { RadioGroup } from '~/ui/radio-group';
import { type LastResult, useServerValidatedForm } from '~/ui/server-validated-form';
import { CampaignFields, isCampaignRefused } from './campaign-fields';
import { ContentFields, chosenType, type Design, LabelFields } from './fields';
import { FinalAddress } from './final-address';
import type { OwnLogo } from './logo-address';
import { type KeptLogo, LogoChooser } from './logo-chooser';
import { CodePreview, type ServerPreview } from './preview';

const FORMS = Object.values(CONTENT_FORMS);
const RELATED_FIELDS = FORMS.flatMap(({ related = {} }) => Object.values(related).flat());

/** Fields affected by each control: the content has one field per type, the logo several controls. */
const RELATED = {
  type: ['content', ...FORMS.map(({ main }) => main), ...RELATED_FIELDS],
  ...Object.assign({}, ...FORMS.map(({ related }) => related)),
  logo: ['logoPreset'],
  logoPreset: ['logo'],
  ...LOOK_RELATED,
};

/** Id of what the next page asks for. */
const OFFER = 'create-offer';

/** Storage key for unsent input of the dialog's form, the same on every page. */
const DIALOG = 'create-dialog';

type KeptFields = CodeFields &
  Record<CampaignInput, string> & {
    useWhiteBackground: boolean;
    uncounted: boolean;
    name: string;
    tags: string;
    style?: Partial<Record<LookField, string | undefined>> | undefined;
  };

export interface CodeFormData {
  presets: string[];
  key: string;
  draft: { id: string; fields: KeptFields; logo: KeptLogo | null; finalAddress: string | null } | null;
  /** The account's own logos, newest first. */
  own: OwnLogo[];
  /** The initial look and logo when there is no draft; null for the default look. */
  initial: Partial<Record<LookField | 'logoPreset' | 'useWhiteBackground', string>> | null;
  saved: SavedLook[];
  /** What a visitor is asked to order next, with what is due each month; null for users. */
  offer: { amount: string; hours: number } | null;
  /** In which events take place, unless another is chosen. */
  zone: string;
}

export interface CodeFormActionData {
  lastResult?: LastResult;
  preview?: ServerPreview | null;
  draft?: { id: string; logo: KeptLogo | null } | null;
  isLookRequested?: boolean;
  finalAddress?: string | null;
}

interface Props {
  data: CodeFormData;
  actionData: CodeFormActionData | undefined;
  /** `/create`, or the page's own path. */
  action: string;
  isModal?: boolean;
  /** Shows name and tags, for users who already have codes. */
  withLabels?: boolean;
  /** The look controls, or the URL of their texts: the home page loads both on demand. */
  look: Look | string;
}

/** The creation form, shared by the home page, /create and the dialog. */
export function CodeForm({ data, actionData, action, isModal = false, withLabels = false, look }: Props) {
  const { t } = useTranslation('design');
  const formRef = useRef<HTMLFormElement>(null);
  const kept = data.draft?.fields;
  const [form, fields] = useServerValidatedForm<
    keyof Design | LookField | CampaignInput | 'key' | 'name' | 'tags' | 'uncounted'
  >({
    id: 'create',
    lastResult: actionData?.lastResult,
    defaultValue: {
      key: data.key,
      ...(kept ? designOf(kept, data.draft?.logo) : { type: FORM_TYPES[0], ...data.initial }),
      timeZone: kept?.timeZone || data.zone,
    },
    related: RELATED,
  });
  const loaded = useLoadedLook(typeof look === 'string' ? look : null);
  const Look = typeof look === 'string' ? loaded.Look : look;
  const draft = actionData?.draft ?? (data.draft && { id: data.draft.id, logo: data.draft.logo });
  const { control, message, summary } = useErrorTexts('design', form);
  // From the response, not the live errors: correcting a field clears its error and must not close its fold.
  const refused = actionData?.lastResult?.error ?? {};
  const finalAddress = (actionData ? actionData.finalAddress : data.draft?.finalAddress) ?? null;
  const { main } = CONTENT_FORMS[chosenType(fields.type)];
  const errors = summary.map((error) =>
    error.field === fields.content.id ? { ...error, field: fields[main].id } : error,
  );

  const labels = [fields.name.id, fields.tags.id];
  // The content's own error is already shown beside its field.
  const [failure] = isModal ? errors.filter(({ field }) => field !== fields.content.id) : errors;
  // On a page, the summary and the field say it already.
  const box = failure && (isModal || !failure.field) && (
    <p id="create-failure" className="warning">
      <Icon name="error" />
      {failure.text}
    </p>
  );

  return (
    <div className="creation">
      <Form
        action={action}
        encType="multipart/form-data"
        {...form.props}
        formRef={formRef}
        placesFailure={isModal}
        place={isModal ? DIALOG : undefined}
        className="creation__form sheet"
      >
        <ErrorSummary errors={errors} />
        {/* The same across responses: the code may have been created even if the response was lost. */}
        <FormKey value={fields.key.initialValue} />
        {draft && <input type="hidden" name="draft" value={draft.id} />}
        {draft?.logo?.kind === 'upload' && <input type="hidden" name="draftLogo" value="on" />}
        <RadioGroup
          layout="tiles tiles--small"
          legend={t('form.type')}
          {...control('type')}
          options={[
            ...FORM_TYPES.map((value) => ({
              value,
              icon: CONTENT_FORMS[value].icon,
              label: t(`types.${value}`),
            })),
            ...COMING_TYPES.map((value) => ({
              value,
              icon: COMING_FORMS[value].icon,
              label: t(`types.${value}`),
              disabled: true,
              badge: t('types.soon'),
            })),
          ]}
        />
        <ContentFields fields={fields} message={message} formRef={formRef} />
        {isModal && (
          <>
            {box}
            <FormFailure />
          </>
        )}
        <LogoChooser
          presets={data.presets}
          own={data.own}
          field={fields.logoPreset}
          kept={draft?.logo ?? null}
          error={message([...(fields.logo.errors ?? []), ...(fields.logoPreset.errors ?? [])])}
        />
        <CheckboxField
          field={fields.useWhiteBackground}
          label={t('form.whiteBackground')}
          hint={t('form.whiteBackgroundHint')}
        />
        <LookFold
          fields={fields}
          message={message}
          saved={data.saved}
          main={t('form.create')}
          Look={Look}
          isRequested={actionData?.isLookRequested ?? loaded.Look !== null}
          wasRefused={STYLE_FIELDS.some((field) => refused[field])}
        />
        <details className="fold campaign-fold" open={isCampaignRefused(refused) || finalAddress !== null}>
          <summary>{t('form.campaign')}</summary>
          <CampaignFields fields={fields} message={message} />
          <FinalAddress form={form.id} initial={finalAddress} />
        </details>
        <details
          className="fold"
          open={Boolean(refused.name || refused.tags) || fields.uncounted.initialValue === 'on'}
        >
          <summary>{t(withLabels ? 'form.labels' : 'form.counting')}</summary>
          {withLabels && <LabelFields fields={fields} message={message} />}
          <CheckboxField
            field={fields.uncounted}
            label={t('form.uncounted')}
            hint={t('form.uncountedHint')}
          />
        </details>
        <div className="creation__actions">
          <Button
            name="intent"
            value="create"
            aria-describedby={box ? 'create-failure' : data.offer ? OFFER : undefined}
          >
            {t('form.create')}
          </Button>
          <Button name="intent" value="preview" variant="secondary" formAction={`${action}#preview`}>
            {t('form.preview')}
          </Button>
          {!Look && (
            <Button
              name="intent"
              value="look"
              variant="secondary"
              formAction="/create#look"
              onClick={loaded.open}
            >
              {t('form.chooseLook')}
            </Button>
          )}
        </div>
        {data.offer && (
          <p id={OFFER} className="hint">
            {t(data.offer.hours > 0 ? 'form.offer' : 'form.offerWithoutTrial', data.offer)}
          </p>
        )}
        {!isModal && box}
      </Form>
      <CodePreview
        formRef={formRef}
        actionData={actionData}
        server={actionData?.preview ?? null}
        isMarked={errors.some(({ field }) => field && !labels.includes(field))}
        form={{ form: form.props.id, formAction: `${action}#preview` }}
      />
    </div>
  );
}

function designOf(
  kept: NonNullable<CodeFormData['draft']>['fields'],
  logo: KeptLogo | null | undefined,
): Partial<Design & Record<'name' | 'tags' | 'uncounted' | LookField | CampaignInput, string>> {
  const { hidden, useWhiteBackground, uncounted, style, ...texts } = kept;
  const { main } = CONTENT_FORMS[texts.type];
  return {
    ...texts,
    ...style,
    ...(main in texts ? {} : { [main]: texts.content }),
    logoPreset: logo?.kind === 'preset' ? logo.name : 'none',
    ...(hidden && { hidden: 'on' }),
    ...(useWhiteBackground && { useWhiteBackground: 'on' }),
    ...(uncounted && { uncounted: 'on' }),
  };
}
