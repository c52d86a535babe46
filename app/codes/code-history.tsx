import { useTranslation } from 'react-i18next';
import { useLocale } from '~/i18n/use-locale';
import { Button } from '~/ui/button';
import { Form } from '~/ui/form';
import { ErrorSummary, useErrorTexts } from '~/ui/form-errors';
import { type LastResult, useServerValidatedForm } from '~/ui/server-validated-form';
import { DateTime } from '~/ui/time';

interface Change {
  at: string;
  field: 'content' | 'visibility' | 'subject' | 'body' | 'name' | 'tags' | 'archived' | 'style';
  before: string;
  after: string;
  /** For a changed look: URLs of its pictures, and whether the earlier look can be restored. */
  looks: { before: string | null; after: string | null; canReturn: boolean } | null;
}

interface Props {
  changes: Change[];
  createdAt: string;
  /** Result of the form that restores a look; its `intent` is `bring-back`. */
  lastResult: LastResult;
}

/** Change history of a code, including its earlier destinations and looks. */
export function CodeHistory({ changes, createdAt, lastResult }: Props) {
  const { t } = useTranslation('codes');
  const locale = useLocale();
  const [form] = useServerValidatedForm<never>({ id: 'bring-back', lastResult });
  const { summary } = useErrorTexts('design', form);
  const shown = ({ field }: Change, value: string) => {
    if (field === 'visibility') return t(value === 'public' ? 'visibility.public' : 'visibility.private');
    if (field === 'archived') return t(value === 'true' ? 'history.putAway' : 'history.inUse');
    if (field === 'style') return t(value === '' ? 'history.defaultLook' : 'history.ownLook');
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
                <input type="hidden" name="style" value={change.before} />
                <Button variant="secondary" size="small" name="intent" value="bring-back">
                  {t('history.bringBack')}
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
