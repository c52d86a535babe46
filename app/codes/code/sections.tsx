import { useTranslation } from 'react-i18next';
import type { CodeType, FieldName } from '#contract/contents/contents';
import { CONTENT_FORMS } from '~/codes/contents/content-forms';
import { LabelFields } from '~/codes/create/fields';
import { presetName } from '~/codes/create/logo-chooser';
import { useLocale } from '~/i18n/use-locale';
import { Button } from '~/ui/button';
import { CopyField } from '~/ui/copy-to-clipboard';
import { Field } from '~/ui/field';
import { Form } from '~/ui/form';
import { ErrorSummary, useErrorTexts } from '~/ui/form-errors';
import { type LastResult, useServerValidatedForm } from '~/ui/server-validated-form';
import { DateTime } from '~/ui/time';

interface CodeEditFormProps {
  code: { type: CodeType; content: string; subject: string; body: string };
  lastResult: LastResult;
}

/** Changes the destination of a dynamic code; printed copies stay valid. */
export function CodeEditForm({ code, lastResult }: CodeEditFormProps) {
  const { t } = useTranslation('codes');
  const { content, subject, body, type } = code;
  const [form, fields] = useServerValidatedForm<FieldName>({
    id: 'edit',
    lastResult,
    defaultValue: { content, subject, body },
    constraint: { content: { required: true } },
  });
  const { message, summary } = useErrorTexts('design', form);
  const { control, label, Details } = CONTENT_FORMS[type];
  return (
    <section className="sheet" id="change">
      <h2>{t('edit.heading')}</h2>
      <p>{t('edit.lead')}</p>
      <ErrorSummary errors={summary} />
      <Form {...form.props} className="form">
        <input type="hidden" name="intent" value="content" />
        <Field
          field={fields.content}
          type={control.type}
          inputMode={control.inputMode}
          label={t(`design:form.${label}`)}
          error={message(fields.content?.errors)}
          autoComplete="off"
          spellCheck={false}
        />
        {Details && <Details fields={fields} message={message} />}
        <Button>{t('edit.submit')}</Button>
      </Form>
    </section>
  );
}

interface VisibilityProps {
  visibility: 'private' | 'public';
  lastResult: LastResult;
}

/** Toggles the visibility; the text explains the current one, the button names the other. */
export function VisibilityForm({ visibility, lastResult }: VisibilityProps) {
  const { t } = useTranslation('codes');
  const [form] = useServerValidatedForm<never>({ id: 'visibility', lastResult, defaultValue: {} });
  const { summary } = useErrorTexts('design', form);
  const other = visibility === 'public' ? 'private' : 'public';
  return (
    <section className="sheet">
      <h2>{t('visibility.heading')}</h2>
      <p>{t(`visibility.${visibility}Text`)}</p>
      {visibility === 'private' && <p className="note">{t('visibility.copies')}</p>}
      <ErrorSummary errors={summary} />
      <Form {...form.props}>
        <input type="hidden" name="intent" value="visibility" />
        <Button variant="secondary" name="visibility" value={other}>
          {t(`visibility.make.${other}`)}
        </Button>
      </Form>
    </section>
  );
}

interface LabelProps {
  code: { name: string | null; tags: string[] };
  lastResult: LastResult;
}

/** The code's name and tags. */
export function LabelForm({ code: { name, tags }, lastResult }: LabelProps) {
  const { t } = useTranslation('codes');
  const [form, fields] = useServerValidatedForm<'name' | 'tags'>({
    id: 'labels',
    lastResult,
    defaultValue: { name: name ?? '', tags: tags.join(', ') },
  });
  const { message, summary } = useErrorTexts('design', form);
  return (
    <section className="sheet" id="name">
      <h2>{t('labels.heading')}</h2>
      <ErrorSummary errors={summary} />
      <Form {...form.props}>
        <input type="hidden" name="intent" value="labels" />
        <LabelFields fields={fields} message={message} />
        <Button variant="secondary">{t('labels.submit')}</Button>
      </Form>
    </section>
  );
}

/** Hides a code from the list, or restores it; printed codes are not affected. */
export function ArchiveForm({ isArchived, lastResult }: { isArchived: boolean; lastResult: LastResult }) {
  const { t } = useTranslation('codes');
  const [form] = useServerValidatedForm<never>({ id: 'archive', lastResult, defaultValue: {} });
  const { summary } = useErrorTexts('design', form);
  return (
    <Form {...form.props}>
      <ErrorSummary errors={summary} />
      <input type="hidden" name="intent" value="archive" />
      <p className="hint">{t(isArchived ? 'archive.isArchived' : 'archive.about')}</p>
      <Button variant="secondary" name="archived" value={String(!isArchived)}>
        {t(isArchived ? 'archive.restore' : 'archive.submit')}
      </Button>
    </Form>
  );
}

interface Change {
  at: string;
  field: 'content' | 'visibility' | 'subject' | 'body' | 'name' | 'tags' | 'archived' | 'style' | 'logo';
  before: string;
  after: string;
  /** For a changed look or logo: URLs of its pictures, and whether the earlier one can be restored. */
  looks: { before: string | null; after: string | null; canReturn: boolean } | null;
}

interface CodeHistoryProps {
  changes: Change[];
  createdAt: string;
  /** Result of the form that restores a look or a logo; its `intent` is `bring-back`. */
  lastResult: LastResult;
}

/** Change history of a code, including its earlier destinations and looks. */
export function CodeHistory({ changes, createdAt, lastResult }: CodeHistoryProps) {
  const { t } = useTranslation('codes');
  const locale = useLocale();
  const [form] = useServerValidatedForm<never>({ id: 'bring-back', lastResult });
  const { summary } = useErrorTexts('design', form);
  const shown = ({ field }: Change, value: string) => {
    if (field === 'visibility') return t(value === 'public' ? 'visibility.public' : 'visibility.private');
    if (field === 'archived') return t(value === 'true' ? 'history.putAway' : 'history.inUse');
    if (field === 'style') return t(value === '' ? 'history.defaultLook' : 'history.ownLook');
    if (field === 'logo') {
      const { name } = JSON.parse(value || '{"name":"none"}') as { name: string };
      return t(`design:logo.presets.${presetName(name)}`, name);
    }
    return value || t('history.nothing');
  };
  return (
    <details className="fold history" open={summary.length > 0}>
      <summary>{t('history.heading')}</summary>
      <ErrorSummary errors={summary} />
      <ol>
        {changes.map((change) => (
          <li key={`${change.at}-${change.field}`}>
            <DateTime value={change.at} locale={locale} /> <strong>{t(`history.${change.field}`)}</strong>
            <span className="history__values">
              <del>
                <LookPicture address={change.looks?.before} /> {shown(change, change.before)}
              </del>{' '}
              <ins>
                <LookPicture address={change.looks?.after} /> {shown(change, change.after)}
              </ins>
            </span>
            {change.looks?.canReturn && (
              <Form className="history__return">
                <input type="hidden" name={change.field} value={change.before} />
                <Button variant="secondary" size="small" name="intent" value="bring-back">
                  {t(change.field === 'logo' ? 'history.bringBackLogo' : 'history.bringBack')}
                  <span className="sr-only">
                    {' '}
                    <DateTime value={change.at} locale={locale} />
                  </span>
                </Button>
              </Form>
            )}
          </li>
        ))}
        <li>
          <DateTime value={createdAt} locale={locale} /> <strong>{t('history.created')}</strong>
        </li>
      </ol>
    </details>
  );
}

/** Decorative: the text beside it names the look. */
function LookPicture({ address }: { address: string | null | undefined }) {
  return address && <img src={address} alt="" width={72} height={72} loading="lazy" />;
}

/**
 * Explains how the destination page of a link can report visitors' actions, and how the reports are counted.
 */
export function CodeBeacon({ address }: { address: string }) {
  const { t } = useTranslation('codes');
  return (
    <details className="fold" id="beacon">
      <summary>{t('beacon.heading')}</summary>
      <p>{t('beacon.lead')}</p>
      <CopyField label={t('beacon.address')} value={address} />
      <CopyField label={t('beacon.script')} value={`navigator.sendBeacon('${address}')`} />
      <CopyField
        label={t('beacon.image')}
        value={`<img src="${address}" alt="" width="1" height="1" referrerpolicy="no-referrer">`}
      />
      <h3>{t('beacon.counted')}</h3>
      <ul className="beacon-facts">
        <li>{t('beacon.once')}</li>
        <li>{t('beacon.visitor')}</li>
        <li>{t('beacon.robots')}</li>
        <li>{t('beacon.stored')}</li>
        <li>{t('beacon.law')}</li>
      </ul>
    </details>
  );
}
