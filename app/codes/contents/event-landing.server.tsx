import { Detail, type LandingProps, Row } from '~/codes/visit/landing-parts.server';

export function EventLanding({ landing, engagementUrl, t, tag }: LandingProps<'event'>) {
  const { title, times, venue, description, page } = landing;
  return (
    <>
      <p className="text" dir="auto">
        {title}
      </p>
      <dl>
        <Detail name={t('event.when')} value={timesText(times, tag)} />
        {venue && (
          <Row name={t('event.venue')} href={`${engagementUrl}/map`}>
            {venue}
          </Row>
        )}
        {description && <Detail name={t('event.description')} value={description} />}
      </dl>
      <p className="act">
        <a className="go" href={`${engagementUrl}/save`} rel="nofollow">
          {t('event.save')}
        </a>
        {page && (
          <a href={`${engagementUrl}/open`} rel="nofollow">
            {t('event.page')}
          </a>
        )}
      </p>
    </>
  );
}

/** When it is, by the clocks of its place. */
function timesText(times: LandingProps<'event'>['landing']['times'], tag: string): string {
  const day = { weekday: 'long', year: 'numeric', month: 'long', day: 'numeric' } as const;
  if (times.isAllDay) {
    const format = new Intl.DateTimeFormat(tag, { ...day, timeZone: 'UTC' });
    return format.formatRange(new Date(times.from), new Date(times.to));
  }
  const clock = { hour: '2-digit', minute: '2-digit', timeZone: times.zone } as const;
  const format = new Intl.DateTimeFormat(tag, { ...day, ...clock });
  const zone = new Intl.DateTimeFormat(tag, { timeZone: times.zone, timeZoneName: 'long' })
    .formatToParts(times.from)
    .find(({ type }) => type === 'timeZoneName');
  return `${format.formatRange(times.from, times.to)}\n${zone?.value ?? times.zone}`;
}
