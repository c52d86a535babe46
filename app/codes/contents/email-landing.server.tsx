import { CopyButton, Detail, type LandingProps } from '~/codes/visit/landing-parts.server';

export function EmailLanding({ landing, engagementUrl, t }: LandingProps<'email'>) {
  return (
    <>
      {(landing.subject || landing.body) && (
        <dl>
          {landing.subject && <Detail name={t('email.subject')} value={landing.subject} />}
          {landing.body && <Detail name={t('email.body')} value={landing.body} />}
        </dl>
      )}
      <p className="act">
        <a className="go" href={`${engagementUrl}/write`} rel="nofollow">
          {t('email.write')}
        </a>
        <CopyButton
          text={landing.address}
          countUrl={`${engagementUrl}/copy`}
          label={t('email.copy')}
          copiedText={t('email.copied')}
        />
      </p>
    </>
  );
}
