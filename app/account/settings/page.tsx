import '~/styles/settings.css';
import type { ActionFunctionArgs, LoaderFunctionArgs } from '@remix-run/node';
import { Link, useLoaderData } from '@remix-run/react';
import { useTranslation } from 'react-i18next';
import { AddressList } from '~/account/addresses/list';
import { requireUser } from '~/http/guards.server';
import { Button, buttonClass } from '~/ui/button';
import { SelectField } from '~/ui/field';
import { Form } from '~/ui/form';
import { ErrorSummary, useErrorTexts } from '~/ui/form-errors';
import { Icon } from '~/ui/icon';
import { usePageActionData } from '~/ui/page-action-data';
import { PageHeading, Sheet } from '~/ui/page-layouts';
import { type LastResult, useServerValidatedForm } from '~/ui/server-validated-form';
import { PasswordForm, PendingEmail, ProfileForm, SessionList, SignInWays } from './sections';
import { getSettings, handleSettings } from './settings.server';

export const handle = { page: 'settings:', form: 'profile' };

export async function loader(args: LoaderFunctionArgs) {
  return getSettings(await requireUser(args));
}

export async function action(args: ActionFunctionArgs) {
  return handleSettings(await requireUser(args));
}

export { clientAction, shouldRevalidate } from '~/ui/form-route';

export default function SettingsPage() {
  const { profile, zones, usualZone, signIn, addresses, constraint, locale, captcha } =
    useLoaderData<typeof loader>();
  const hasSecondFactor = signIn.secondFactorSince !== null;
  const actionData = usePageActionData<typeof action>();
  const { t } = useTranslation('settings');
  // The page has several forms: the posted `intent` tells which one the result belongs to.
  const lastResultOf = (intent: string) =>
    actionData?.lastResult.initialValue?.intent === intent ? actionData.lastResult : undefined;
  return (
    <div className="page">
      <PageHeading title={t('title')} lead={t('lead')} />
      <div className="settings">
        <nav className="settings-nav" aria-label={t('sections')}>
          <ul>
            <SectionLink to="profile-section" text={t('profile.heading')} />
            <SectionLink to="time-zone-section" text={t('timeZone.heading')} />
            <SectionLink to="password-section" text={t('password.heading')} />
            <SectionLink to="sign-in" text={t('signIn.heading')} />
            <SectionLink to="addresses" text={t('addresses.heading')} />
            <SectionLink to="sessions" text={t('sessions.heading')} />
            <SectionLink to="mails" text={t('mails.title')} />
            <SectionLink to="keys" text={t('keys.title')} />
            <SectionLink to="webhooks" text={t('webhooks.title')} />
            <SectionLink to="data" text={t('data.heading')} />
            <SectionLink to="delete-section" text={t('delete.heading')} />
          </ul>
        </nav>
        <div className="settings-sheets">
          <ProfileForm
            hasSecondFactor={hasSecondFactor}
            profile={profile}
            constraint={constraint}
            lastResult={lastResultOf('profile')}
            pending={
              profile.pendingEmail && (
                <PendingEmail
                  pendingEmail={profile.pendingEmail}
                  lastResult={lastResultOf('resend-email')}
                  check={captcha}
                />
              )
            }
          />
          <TimeZoneForm
            timeZone={profile.timeZone}
            usualZone={usualZone}
            zones={zones}
            lastResult={lastResultOf('time-zone')}
          />
          <PasswordForm
            email={profile.email}
            lastResult={lastResultOf('password')}
            hasSecondFactor={hasSecondFactor}
          />
          <SignInWays {...signIn} locale={locale} />
          <AddressList addresses={addresses} />
          <SessionList sessions={signIn.sessions} locale={locale} />
          <Sheet id="mails" title={t('mails.title')}>
            <p>{t('mails.lead')}</p>
            <p>
              <Link to="/user/settings/mails" className={buttonClass('secondary')}>
                {t('mails.manage')}
              </Link>
            </p>
          </Sheet>
          <Sheet id="keys" title={t('keys.title')}>
            <p>{t('keys.lead')}</p>
            <p>
              <Link to="/user/settings/keys" className={buttonClass('secondary')}>
                {t('signIn.manage')}
                <span className="sr-only"> {t('keys.title')}</span>
              </Link>
            </p>
          </Sheet>
          <Sheet id="webhooks" title={t('webhooks.title')}>
            <p>{t('webhooks.lead')}</p>
            <p>
              <Link to="/user/settings/webhooks" className={buttonClass('secondary')}>
                {t('webhooks.manage')}
              </Link>
            </p>
          </Sheet>
          <Sheet id="data" title={t('data.heading')}>
            <p>{t('data.text')}</p>
            <p>
              {/* A file, not a page: the browser has to fetch it itself. */}
              <a href="/user/settings/export" className={buttonClass('secondary')}>
                <Icon name="download" />
                {t('data.download')}
              </a>
            </p>
          </Sheet>
          <Sheet id="delete-section" title={t('delete.heading')}>
            <p>{t('delete.lead')}</p>
            <p>
              <Link to="/user/settings/delete" className={buttonClass('danger')}>
                {t('delete.link')}
              </Link>
            </p>
          </Sheet>
        </div>
      </div>
    </div>
  );
}

function SectionLink({ to, text }: { to: string; text: string }) {
  return (
    <li>
      <a href={`#${to}`}>{text}</a>
    </li>
  );
}

interface TimeZoneFormProps {
  /** Null while none is known. */
  timeZone: string | null;
  /** What applies meanwhile. */
  usualZone: string;
  zones: { value: string; label: string }[];
  lastResult: LastResult;
}

/** The zone in which every page shows times and counts days. */
function TimeZoneForm({ timeZone, usualZone, zones, lastResult }: TimeZoneFormProps) {
  const { t } = useTranslation('settings');
  const [form] = useServerValidatedForm<'timeZone'>({
    id: 'time-zone',
    lastResult,
    defaultValue: { timeZone: timeZone ?? '' },
  });
  const { control, summary } = useErrorTexts('account', form);
  return (
    <Sheet id="time-zone-section" title={t('timeZone.heading')}>
      <ErrorSummary errors={summary} />
      {timeZone === null && (
        <p>
          {t('timeZone.unknown', {
            zone: zones.find(({ value }) => value === usualZone)?.label ?? usualZone,
          })}
        </p>
      )}
      <Form {...form.props} className="form">
        <input type="hidden" name="intent" value="time-zone" />
        <SelectField
          {...control('timeZone')}
          label={t('timeZone.label')}
          hint={t('timeZone.hint')}
          options={timeZone === null ? [{ value: '', label: t('timeZone.none') }, ...zones] : zones}
        />
        <Button variant="secondary">{t('timeZone.submit')}</Button>
      </Form>
    </Sheet>
  );
}
