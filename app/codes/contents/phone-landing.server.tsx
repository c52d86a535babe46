import { CopyButton, Detail, type LandingProps, splitPhone } from '~/codes/visit/landing-parts.server';

export function PhoneLanding({ landing, engagementUrl, t }: LandingProps<'phone'>) {
  const { number, extension } = splitPhone(landing.number);
  return (
    <>
      {extension && (
        <dl>
          <Detail name={t('phone.extension')} value={extension} />
        </dl>
      )}
      <p className="act">
        <a className="go" href={`${engagementUrl}/call`} rel="nofollow">
          {t('phone.call')}
        </a>
        <a className="or" href={`${engagementUrl}/sms`} rel="nofollow">
          {t('phone.sms')}
        </a>
        <CopyButton
          text={number}
          countUrl={`${engagementUrl}/copy`}
          label={t('phone.copy')}
          copiedText={t('phone.copied')}
        />
      </p>
    </>
  );
}
