import { Link } from '@remix-run/react';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import type { Locale } from '#contract/locales';
import { nativeLimits } from '~/account/native-limits';
import { NewPassword, OwnerProof, RevokesKeys, SecondFactorField } from '~/account/sign-in/credential-fields';
import { Button, buttonClass } from '~/ui/button';
import { type Captcha, useCaptcha } from '~/ui/captcha';
import { EmailField, Field } from '~/ui/field';
import { Form } from '~/ui/form';
import { ErrorSummary, useErrorTexts } from '~/ui/form-errors';
import { Icon } from '~/ui/icon';
import { Sheet } from '~/ui/page-layouts';
import { PasswordField } from '~/ui/password-field';
import { type LastResult, useServerValidatedForm } from '~/ui/server-validated-form';
import { DateTime } from '~/ui/time';
import type { SignIn } from './settings.server';

const PROFILE = ['firstName', 'lastName', 'publicName', 'email', 'currentPassword', 'code'] as const;
type ProfileName = Exclude<(typeof PROFILE)[number], 'currentPassword' | 'code'>;
type ProfileFields = Record<(typeof PROFILE)[number], string>;

interface ProfileProps {
  profile: Record<ProfileName, string>;
  constraint: {
    [N in ProfileName]?: { required?: boolean; minLength?: number; maxLength?: number; pattern?: string };
  };
  lastResult: LastResult;
  /** The section for an unconfirmed e-mail address. */
  pending: ReactNode;
  hasSecondFactor: boolean;
}

export function ProfileForm({ profile, constraint, lastResult, pending, hasSecondFactor }: ProfileProps) {
  const { t } = useTranslation('settings');
  const { firstName, lastName, publicName, email } = profile;
  const [form, fields] = useServerValidatedForm<keyof ProfileFields>({
    id: 'profile',
    lastResult,
    defaultValue: { firstName, lastName, publicName, email },
    constraint,
  });
  const { control, message, summary } = useErrorTexts('account', form, PROFILE);
  const textOf = (name: ProfileName) => ({
    ...control(name),
    label: t(`profile.${name}`),
    ...nativeLimits(constraint[name]),
  });
  return (
    <Sheet id="profile-section" title={t('profile.heading')}>
      <ErrorSummary errors={summary} />
      {pending}
      <Form {...form.props} className="form">
        <input type="hidden" name="intent" value="profile" />
        <Field {...textOf('firstName')} autoComplete="given-name" />
        <Field {...textOf('lastName')} autoComplete="family-name" />
        <Field
          {...textOf('publicName')}
          hint={t('profile.publicNameHint')}
          optional
          autoComplete="organization"
        />
        <EmailField {...textOf('email')} hint={t('profile.emailHint')} autoComplete="email" />
        <PasswordField
          {...control('currentPassword')}
          label={t('password.current')}
          hint={t('profile.passwordHint')}
          optional
          maxLength={128}
        />
        {hasSecondFactor && (
          <SecondFactorField field={fields.code} message={message} hint={t('profile.codeHint')} />
        )}
        <Button>{t('profile.submit')}</Button>
      </Form>
    </Sheet>
  );
}

interface PendingProps {
  pendingEmail: string;
  /** Result of the form that sends the mail again. */
  lastResult: LastResult;
  check: Captcha;
}

/** An e-mail address waiting for confirmation, with forms to send the mail again and to cancel the change. */
export function PendingEmail({ pendingEmail, lastResult, check }: PendingProps) {
  const { t } = useTranslation('settings');
  const [form] = useServerValidatedForm<never>({ id: 'resend-email', lastResult });
  const { summary } = useErrorTexts('account', form);
  const robot = useCaptcha(check, 'resend_email_change');
  return (
    <div className="pending">
      <ErrorSummary errors={summary} />
      <p>
        <Icon name="mail" />
        <span>
          {t('pending.text')} <strong>{pendingEmail}</strong>
        </span>
      </p>
      <div className="actions">
        <Form {...form.props} prepare={robot.prepare}>
          <input type="hidden" name="intent" value="resend-email" />
          {robot.fields}
          <Button variant="secondary" size="small">
            {t('pending.resend')}
          </Button>
        </Form>
        <Form>
          <Button variant="quiet" size="small" name="intent" value="cancel-email">
            {t('pending.cancel')}
          </Button>
        </Form>
      </div>
    </div>
  );
}

const PASSWORDS = ['currentPassword', 'code', 'newPassword', 'confirmPassword', 'revokesKeys'] as const;
type PasswordFields = Record<(typeof PASSWORDS)[number], string>;

interface PasswordProps {
  /** For password managers. */
  email: string;
  lastResult: LastResult;
  hasSecondFactor: boolean;
}

export function PasswordForm({ email, lastResult, hasSecondFactor }: PasswordProps) {
  const { t } = useTranslation('settings');
  const required = { required: true };
  const [form, fields] = useServerValidatedForm<keyof PasswordFields>({
    id: 'password',
    lastResult,
    constraint: { newPassword: required, confirmPassword: required },
  });
  const { message, summary } = useErrorTexts('account', form, PASSWORDS);
  return (
    <Sheet id="password-section" title={t('password.heading')}>
      <p>{t('password.lead')}</p>
      <ErrorSummary errors={summary} />
      <Form {...form.props} className="form">
        <input type="hidden" name="intent" value="password" />
        <label hidden>
          {t('profile.email')}{' '}
          <input type="email" name="username" value={email} autoComplete="username" readOnly />
        </label>
        <OwnerProof fields={fields} message={message} hasSecondFactor={hasSecondFactor} />
        <NewPassword password={fields.newPassword} confirm={fields.confirmPassword} message={message} />
        <RevokesKeys field={fields.revokesKeys} />
        <Button>{t('password.submit')}</Button>
      </Form>
    </Sheet>
  );
}

/** The second factor, and the ways to sign in besides the password. */
export function SignInWays({
  secondFactorSince,
  passkeys,
  googleAccounts,
  locale,
}: SignIn & { locale: Locale }) {
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

/** The account's sessions, this one first, with buttons to sign out one or all of the others. */
export function SessionList({ sessions, locale }: { sessions: SignIn['sessions']; locale: Locale }) {
  const { t } = useTranslation('settings');
  const ordered = [...sessions].sort((a, b) => Number(b.current) - Number(a.current));
  return (
    <Sheet id="sessions" title={t('sessions.heading')}>
      <p>{t('sessions.lead')}</p>
      <ul className="session-list">
        {ordered.map((session) => (
          <li key={session.id}>
            <SessionRow session={session} locale={locale} />
          </li>
        ))}
      </ul>
      {sessions.length > 1 && (
        <Form>
          <Button variant="secondary" name="intent" value="end-others">
            {t('sessions.endOthers')}
          </Button>
        </Form>
      )}
    </Sheet>
  );
}

function SessionRow({ session, locale }: { session: SignIn['sessions'][number]; locale: Locale }) {
  const { t } = useTranslation('settings');
  const { browser, system } = session.device;
  const name = [browser, system].filter(Boolean).join(' · ') || t('sessions.unknown');
  return (
    <>
      <div>
        <strong>{name}</strong> {session.current && <span className="badge">{t('sessions.current')}</span>}
        <p className="hint">
          {t('sessions.lastSeen')} <DateTime value={session.lastSeenAt} locale={locale} />
          <br />
          {t('sessions.since')} <DateTime value={session.createdAt} locale={locale} />
        </p>
      </div>
      {!session.current && (
        <Form>
          <input type="hidden" name="id" value={session.id} />
          <Button variant="secondary" size="small" name="intent" value="end-session">
            {t('sessions.end')}
            <span className="sr-only"> {name}</span>
          </Button>
        </Form>
      )}
    </>
  );
}
