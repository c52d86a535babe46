import { CopyButton, type LandingProps } from '~/codes/visit/landing-parts.server';

const PLACE_LENGTH = 24;

export function TextLanding({ landing, engagementUrl, t }: LandingProps<'text'>) {
  return (
    <>
      <p className="text" dir="auto">
        {landing.text}
      </p>
      {landing.links.length > 0 && (
        <ul>
          {landing.links.map((address, position) => (
            <li key={address}>
              <a className="go" href={`${engagementUrl}/open?n=${position + 1}`} rel="nofollow">
                {t('text.open', { address: shortOf(address) })}
              </a>
            </li>
          ))}
        </ul>
      )}
      <p className="act">
        <CopyButton
          text={landing.text}
          countUrl={`${engagementUrl}/copy`}
          label={t('text.copy')}
          copiedText={t('text.copied')}
        />
      </p>
    </>
  );
}

/** The host and as much of the path as fits on a button; the text above shows the whole URL. */
function shortOf(address: string): string {
  const [, host = '', place = ''] = /^https?:\/\/([^/?#]*)(.*)$/i.exec(address) ?? [];
  if (place === '/') return host;
  const letters = Array.from(place);
  return letters.length > PLACE_LENGTH
    ? `${host}${letters.slice(0, PLACE_LENGTH - 1).join('')}…`
    : host + place;
}
