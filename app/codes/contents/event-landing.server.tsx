import { localText, momentOf } from '#contract/local-time';
import { DAY_MS } from '#contract/time';
import { Detail, type LandingProps, Row } from '~/codes/visit/landing-parts.server';

const NIGHT_MS = DAY_MS / 2;

export function EventLanding({ landing, engagementUrl, t, tag }: LandingProps<'event'>) {
  const { times, venue, description, page } = landing;
  return (
    <>
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
          <a className="or" href={`${engagementUrl}/open`} rel="nofollow">
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
  return `${format.formatRange(times.from, shownEnd(times))}\n${zone?.value ?? times.zone}`;
}

/** A night's end is shown by its hour alone: `20:00–01:00` says which day it is on. */
function shownEnd({ from, to, zone }: { from: number; to: number; zone: string }): number {
  if (to - from > NIGHT_MS) return to;
  const text = localText(zone, from).slice(0, 10) + localText(zone, to).slice(10);
  const moment = momentOf(zone, text);
  // That day may have skipped this time.
  return moment !== null && localText(zone, moment) === text ? moment : to;
}
