import '~/styles/code-history.css';
import { useTranslation } from 'react-i18next';
import type { CodeType } from '#contract/contents/contents';
import type { Routing } from '#contract/routing-rules';
import { CONTENT_FORMS } from '~/codes/contents/content-forms';
import { presetName } from '~/codes/create/logo-chooser';
import { useLocale } from '~/i18n/use-locale';
import { Button } from '~/ui/button';
import { Form } from '~/ui/form';
import { ErrorSummary, useErrorTexts } from '~/ui/form-errors';
import { type LastResult, useServerValidatedForm } from '~/ui/server-validated-form';
import { DateTime } from '~/ui/time';
import { Changeable } from './changeable';
import { Fold } from './fold';

type Text = 'content' | 'subject' | 'body';

interface Change {
  at: string;
  field:
    | Text
    | 'visibility'
    | 'name'
    | 'tags'
    | 'archived'
    | 'counted'
    | 'watched'
    | 'style'
    | 'logo'
    | 'campaign'
    | keyof Routing;
  /** As shown. */
  before: string;
  after: string;
  /** The value before, as it is stored. */
  earlier: string;
  /** For a changed look or logo: URLs of its pictures, and whether the earlier one can be restored. */
  looks: { before: string | null; after: string | null; canReturn: boolean } | null;
  /** For a change of where the code leads, or of its parameters: both sides in words, and whether the earlier one can be restored. */
  routing: { before: string[]; after: string[]; canReturn: boolean } | null;
}

interface Props {
  code: { type: CodeType; createdAt: string } & Record<Text, string>;
  changes: Change[];
  isLocked: boolean;
  /** Result of the form that restores a look or a logo; its `intent` is `bring-back`. */
  lastResult: LastResult;
}

/** Change history of a code; earlier destinations and looks can be brought back. */
export function HistoryFold({ code, changes, isLocked, lastResult }: Props) {
  const { t } = useTranslation('codes');
  const locale = useLocale();
  const [form] = useServerValidatedForm<never>({ id: 'bring-back', lastResult });
  const { summary } = useErrorTexts('design', form);
  return (
    <Fold
      id="history"
      summary={t('history.heading')}
      value={<DateTime value={changes[0]?.at ?? code.createdAt} locale={locale} />}
      hasErrors={summary.length > 0}
    >
      <ErrorSummary errors={summary} />
      <ol className="history">
        {changes.map((change) => (
          <li key={`${change.at}-${change.field}`}>
            <DateTime value={change.at} locale={locale} /> <strong>{t(`history.${change.field}`)}</strong>
            <div className="history__values">
              <del>
                <Value code={code} change={change} side="before" />
              </del>{' '}
              <ins>
                <Value code={code} change={change} side="after" />
              </ins>
              <BringBack code={code} change={change} isLocked={isLocked} />
            </div>
          </li>
        ))}
        <li>
          <DateTime value={code.createdAt} locale={locale} /> <strong>{t('history.created')}</strong>
        </li>
      </ol>
    </Fold>
  );
}

interface ValueProps {
  code: { type: CodeType };
  change: Change;
  side: 'before' | 'after';
}

function Value({ code, change, side }: ValueProps) {
  const { t } = useTranslation('codes');
  const { field, looks, routing } = change;
  const value = change[side];
  const lines = routing?.[side] ?? [];
  if (lines.length > 0) {
    return lines.map((line) => (
      <span key={line} className="history__line">
        {line}{' '}
      </span>
    ));
  }
  if (routing) return value === '' && <span>{t('history.none')}</span>;
  if (field === 'visibility')
    return <span>{t(value === 'public' ? 'visibility.public' : 'visibility.private')}</span>;
  if (field === 'counted')
    return <span>{t(value === 'true' ? 'history.isCounted' : 'history.isUncounted')}</span>;
  if (field === 'watched')
    return <span>{t(value === 'true' ? 'history.isWatched' : 'history.isUnwatched')}</span>;
  if (field === 'archived') return <span>{t(value === 'true' ? 'history.putAway' : 'history.inUse')}</span>;
  if (field === 'style' || field === 'logo') {
    const picture = looks?.[side];
    return (
      <>
        {/* Decorative: the text beside it names it. */}
        {picture && <img src={picture} alt="" width={72} height={72} loading="lazy" />}{' '}
        <span>
          {field === 'logo' ? (
            <LogoName value={value} />
          ) : (
            t(value === '' ? 'history.defaultLook' : 'history.ownLook')
          )}
        </span>
      </>
    );
  }
  if (field === 'content' && CONTENT_FORMS[code.type].Lead) {
    return (
      <a href={value} rel="noopener noreferrer nofollow">
        {value}
      </a>
    );
  }
  return <span>{value || t('history.nothing')}</span>;
}

/** `value` is JSON as in the history; empty for none. */
function LogoName({ value }: { value: string }) {
  const { t } = useTranslation('design');
  const { name } = JSON.parse(value || '{"name":"none"}') as { name: string };
  return t(`logo.presets.${presetName(name)}`, { defaultValue: name });
}

/** Restores the value before a change: a look, a logo, or a text by the form that changes the content. */
function BringBack({ code, change, isLocked }: Pick<Props, 'code' | 'isLocked'> & { change: Change }) {
  const { t } = useTranslation('codes');
  const locale = useLocale();
  const { at, field, earlier, looks, routing } = change;
  const isText = field === 'content' || field === 'subject' || field === 'body';
  const canReturn = isText ? earlier !== code[field] : (looks ?? routing)?.canReturn;
  if (!canReturn) return null;
  const { content, subject, body } = code;
  const sent = isText
    ? { intent: 'content', content, subject, body, [field]: earlier }
    : { intent: 'bring-back', [field]: earlier };
  return (
    <Form className="history__return">
      {Object.entries(sent).map(([name, value]) => (
        <input key={name} type="hidden" name={name} value={value} />
      ))}
      <Changeable isLocked={isLocked}>
        <Button variant="secondary" size="small">
          {t(
            isText || routing
              ? 'history.bringBackText'
              : field === 'logo'
                ? 'history.bringBackLogo'
                : 'history.bringBack',
          )}
          <span className="sr-only">
            {' '}
            <DateTime value={at} locale={locale} />
          </span>
        </Button>
      </Changeable>
    </Form>
  );
}
