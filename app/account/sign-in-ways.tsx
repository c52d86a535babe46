import { Link } from '@remix-run/react';
import { useTranslation } from 'react-i18next';
import type { Locale } from '~/i18n/locales';
import { buttonClass } from '~/ui/button';
import { Sheet } from '~/ui/sheet';
import { DateTime } from '~/ui/time';

interface Props {
  /** Null while it is off. */
  secondFactorSince: string | null;
  passkeys: { name: string }[];
  googleAccounts: { id: string; email: string; createdAt: string }[];
  locale: Locale;
}

/** What else than the password signs in, or is asked for. */
export function SignInWays({ secondFactorSince, passkeys, googleAccounts, locale }: Props) {
  const { t } = useTranslation('settings');
  return (
    <Sheet id="sign-in" title={t('signIn.heading')}>
      <ul className="session-list">
        <li>
          <div>
            <strong>{t('twoStep.title')}</strong>
            <p className="hint">
              {secondFactorSince ? (
                <>
                  {t('twoStep.on')} <DateTime value={secondFactorSince} locale={locale} />
                </>
              ) : (
                t('twoStep.off')
              )}
            </p>
          </div>
          <Link to="/user/settings/two-step" className={buttonClass('secondary', 'small')}>
            {t(secondFactorSince ? 'signIn.manage' : 'signIn.setUp')}
            <span className="sr-only"> {t('twoStep.title')}</span>
          </Link>
        </li>
        <li>
          <div>
            <strong>{t('passkeys.title')}</strong>
            <p className="hint">{passkeys.map(({ name }) => name).join(', ') || t('passkeys.none')}</p>
          </div>
          <Link to="/user/settings/passkeys" className={buttonClass('secondary', 'small')}>
            {t(passkeys.length > 0 ? 'signIn.manage' : 'signIn.setUp')}
            <span className="sr-only"> {t('passkeys.title')}</span>
          </Link>
        </li>
        {googleAccounts.map(({ id, email, createdAt }) => (
          <li key={id}>
            <div>
              <strong>{email ? `Google · ${email}` : 'Google'}</strong>
              <p className="hint">
                {t('google.since')} <DateTime value={createdAt} locale={locale} />
              </p>
            </div>
            <Link to={`/user/settings/google/${id}`} className={buttonClass('secondary', 'small')}>
              {t('google.remove')}
              <span className="sr-only"> Google {email}</span>
            </Link>
          </li>
        ))}
      </ul>
    </Sheet>
  );
}
