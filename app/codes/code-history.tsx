import { useTranslation } from 'react-i18next';
import { useLocale } from '~/i18n/use-locale';
import { DateTime } from '~/ui/time';

interface Change {
  at: string;
  field: 'content' | 'visibility' | 'subject' | 'body' | 'name' | 'tags' | 'archived' | 'style';
  before: string;
  after: string;
}

/** Who reads a printed code later wants to know where it led before. */
export function CodeHistory({ changes, createdAt }: { changes: Change[]; createdAt: string }) {
  const { t } = useTranslation('codes');
  const locale = useLocale();
  const shown = ({ field }: Change, value: string) => {
    if (field === 'visibility') return t(value === 'public' ? 'visibility.public' : 'visibility.private');
    if (field === 'archived') return t(value === 'true' ? 'history.putAway' : 'history.inUse');
    if (field === 'style') return t(value === '' ? 'history.defaultLook' : 'history.ownLook');
    return value || t('history.nothing');
  };
  return (
    <details className="fold history">
      <summary>{t('history.heading')}</summary>
      <ol>
        {changes.map((change) => (
          <li key={`${change.at}-${change.field}`}>
            <DateTime value={change.at} locale={locale} /> <strong>{t(`history.${change.field}`)}</strong>
            <span className="history__values">
              <del>{shown(change, change.before)}</del> <ins>{shown(change, change.after)}</ins>
            </span>
          </li>
        ))}
        <li>
          <DateTime value={createdAt} locale={locale} /> <strong>{t('history.created')}</strong>
        </li>
      </ol>
    </details>
  );
}
