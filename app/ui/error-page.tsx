import { Link, useLocation } from '@remix-run/react';
import { useTranslation } from 'react-i18next';
import { Button, buttonClass } from './button';
import { DefinitionList } from './definition-list';
import { errorTextsOf } from './error-status';
import { ModuleDigits } from './module-art';

interface Props {
  status: number;
  /** For a 503: what was posted, so that it can be sent again. */
  details: unknown;
}

// Names of the same thing in different forms.
const ALIASES: Record<string, string> = { firstname: 'firstName', lastname: 'lastName', message: 'body' };

export function ErrorPage({ status, details }: Props) {
  const { t } = useTranslation();
  const texts = errorTextsOf(status);
  const { posted, requestId } = readDetails(details);
  return (
    <div className="error-page">
      <ModuleDigits value={String(status)} />
      <h1>{t(`${texts}.title`)}</h1>
      <p className="lead">{t(`${texts}.text`)}</p>
      {posted.length > 0 && <SendAgain posted={posted} />}
      <div className="actions">
        <Link to="/" className={buttonClass(posted.length > 0 ? 'quiet' : 'primary')}>
          {t('errors.home')}
        </Link>
        <Link to="/contact" className={buttonClass('quiet')}>
          {t('errors.contact')}
        </Link>
      </div>
      {requestId && (
        <p className="hint">
          {t('errors.reference')} <code>{requestId}</code>
        </p>
      )}
    </div>
  );
}

/** What was typed, to read and to send once more to where it was going. */
function SendAgain({ posted }: { posted: [name: string, value: string][] }) {
  const { t, i18n } = useTranslation();
  const { pathname, search } = useLocation();
  const items = posted.flatMap(([name, value]) => {
    const label = `errors.fields.${ALIASES[name] ?? name}`;
    return value !== '' && i18n.exists(label) ? [{ term: t(label), value }] : [];
  });
  return (
    <section className="sheet">
      <h2>{t('errors.typed')}</h2>
      {items.length > 0 && <DefinitionList items={items} />}
      <form method="post" action={pathname + search}>
        {posted.map(([name, value]) => (
          <input key={`${name} ${value}`} type="hidden" name={name} value={value} />
        ))}
        <Button>{t('errors.again')}</Button>
      </form>
    </section>
  );
}

function readDetails(details: unknown): {
  posted: [name: string, value: string][];
  requestId: string | null;
} {
  const { posted, requestId } = (details ?? {}) as Record<string, unknown>;
  return {
    posted: Array.isArray(posted) ? posted : [],
    requestId: typeof requestId === 'string' ? requestId : null,
  };
}
