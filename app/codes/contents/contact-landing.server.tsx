import { CopyButton, Detail, type LandingProps, Row, splitPhone } from '~/codes/visit/landing-parts.server';

export function ContactLanding({ landing, engagementUrl, t }: LandingProps<'contact'>) {
  const { name, organisation, jobTitle, emails, addresses, website, note } = landing;
  const phones = landing.phones.map(({ use, number }) => ({ use, ...splitPhone(number) }));
  const role = [jobTitle, organisation === name ? '' : organisation].filter(Boolean).join(', ');
  const [first] = [...phones.map(({ number }) => number), ...emails.map(({ address }) => address)];
  return (
    <>
      {role && (
        <p className="role" dir="auto">
          {role}
        </p>
      )}
      <p className="act lead">
        {phones.length > 0 && (
          <a className="go" href={`${engagementUrl}/call?n=1`} rel="nofollow">
            {t('phone.call')}
          </a>
        )}
        <a className={phones.length > 0 ? 'or' : 'go'} href={`${engagementUrl}/save`} rel="nofollow">
          {t('contact.save')}
        </a>
        {first && (
          <CopyButton
            text={first}
            countUrl={`${engagementUrl}/copy`}
            label={t(phones.length > 0 ? 'phone.copy' : 'email.copy')}
            copiedText={t('contact.copied')}
          />
        )}
      </p>
      <dl>
        {phones.map(({ use, number, extension }, place) => (
          <Row key={use} name={t(`contact.phone.${use}`)} href={`${engagementUrl}/call?n=${place + 1}`}>
            <bdi dir="ltr">{number}</bdi>
            {extension && ` (${t('phone.extension')} ${extension})`}
          </Row>
        ))}
        {emails.map(({ use, address }, place) => (
          <Row key={use} name={t(`contact.email.${use}`)} href={`${engagementUrl}/write?n=${place + 1}`}>
            {address}
          </Row>
        ))}
        {addresses.map(({ use, text }, place) => (
          <Row key={use} name={t(`contact.address.${use}`)} href={`${engagementUrl}/map?n=${place + 1}`}>
            {text}
          </Row>
        ))}
        {website && (
          <Row name={t('contact.website')} href={`${engagementUrl}/open`}>
            {website.replace(/^https?:\/\//i, '').replace(/\/$/, '')}
          </Row>
        )}
        {note && <Detail name={t('contact.note')} value={note} />}
      </dl>
    </>
  );
}
