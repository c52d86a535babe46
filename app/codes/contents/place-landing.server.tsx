import { CopyButton, Detail, type LandingProps } from '~/codes/visit/landing-parts.server';

const PROVIDERS = ['OpenStreetMap', 'Google Maps', 'Apple Maps'];

export function PlaceLanding({ landing, engagementUrl, t }: LandingProps<'place'>) {
  const { position, name, address } = landing;
  return (
    <>
      {name && address && (
        <p className="role" dir="auto">
          {address}
        </p>
      )}
      {(name || address) && (
        <dl>
          <Detail name={t('place.position')} value={position} />
        </dl>
      )}
      <p className="act lead">
        <a className="go" href={`${engagementUrl}/map?n=1`} rel="nofollow">
          {t('place.open')}
        </a>
        <CopyButton
          text={position}
          countUrl={`${engagementUrl}/copy`}
          label={t('place.copy')}
          copiedText={t('place.copied')}
        />
      </p>
      <p className="act">
        {t('place.elsewhere')}
        {PROVIDERS.map((provider, index) => (
          <a key={provider} href={`${engagementUrl}/map?n=${index + 2}`} rel="nofollow">
            {provider}
          </a>
        ))}
      </p>
    </>
  );
}
