import { Link, useNavigate } from '@remix-run/react';
import { useEffect } from 'react';
import { useTranslation } from 'react-i18next';
import { buttonClass } from '~/ui/button';
import { PageHeading } from '~/ui/page-heading';

const REDIRECT_MS = 1000;
const NEXT = { password: '/login', deletion: '/' } as const;

/** Says what has ended the session. Scripts lead on by themselves; without them a link does. */
export function SignedOut({ after }: { after: keyof typeof NEXT }) {
  const { t } = useTranslation('account');
  const navigate = useNavigate();
  const to = NEXT[after];
  useEffect(() => {
    const timer = setTimeout(() => navigate(to, { replace: true }), REDIRECT_MS);
    return () => clearTimeout(timer);
  }, [navigate, to]);
  return (
    <div className="form-page">
      <PageHeading title={t(`signedOut.${after}.title`)} lead={t(`signedOut.${after}.text`)} />
      <p>
        <Link to={to} className={buttonClass('primary')}>
          {t(`signedOut.${after}.next`)}
        </Link>
      </p>
    </div>
  );
}
