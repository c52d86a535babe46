import { Link } from '@remix-run/react';
import { useEffect, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { useHydrated } from 'remix-utils/use-hydrated';
import { buttonClass } from './button';
import { ModuleDigits } from './module-art';
import { SendAgain } from './send-again';

interface Props {
  status: number;
  /** For a 503: what was posted, so that it can be sent again. */
  details: unknown;
}

export function ErrorPage({ status, details }: Props) {
  const { t } = useTranslation();
  const texts = errorTextsOf(status, details);
  const { submitted, requestId } = readDetails(details);
  const heading = useRef<HTMLHeadingElement>(null);
  // True if it replaced a page in the browser; then the focused element may be gone.
  const isReplacement = useRef(useHydrated());
  useEffect(() => {
    if (!isReplacement.current || !heading.current) return;
    heading.current.tabIndex = -1;
    heading.current.focus({ preventScroll: true });
  }, []);
  return (
    <div className="error-page">
      <ModuleDigits value={String(status)} />
      <h1 ref={heading}>{t(`${texts}.title`)}</h1>
      <p className="lead">{t(`${texts}.text`)}</p>
      {submitted.length > 0 && <SendAgain fields={submitted} />}
      <div className="actions">
        <Link to="/" className={buttonClass(submitted.length > 0 ? 'quiet' : 'primary')}>
          {t('errors.home')}
        </Link>{' '}
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

function readDetails(details: unknown): {
  submitted: [name: string, value: string][];
  requestId: string | null;
} {
  const { submitted, requestId } = (details ?? {}) as Record<string, unknown>;
  return {
    submitted: Array.isArray(submitted) ? submitted : [],
    requestId: typeof requestId === 'string' ? requestId : null,
  };
}

const WITH_TEXTS = [400, 403, 404, 405, 413, 429, 500, 503] as const;

/**
 * Key in `common:errors` of the texts for a status; one without texts of its own has those of its class. What
 * was thrown may request the texts `busy` instead.
 */
export function errorTextsOf(
  status: number,
  thrown?: unknown,
): `errors.${(typeof WITH_TEXTS)[number] | 'busy'}` {
  if (((thrown ?? {}) as { texts?: unknown }).texts === 'busy') return 'errors.busy';
  const known = WITH_TEXTS.find((own) => own === status) ?? (status < 500 ? 400 : 500);
  return `errors.${known}`;
}
