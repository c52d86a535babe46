import type { EventParts } from '#contract/contents/event';
import { type EventTimes, readTimes } from '#contract/contents/event-times';
import { readParts } from '#contract/contents/parts';
import { composeCalendar } from './calendar';
import type { HostedType } from './hosted-type';
import { mapOf } from './maps';
import { fileName, hostedParts, openable } from './parts';

/** Of a content that can no longer be read. */
const NO_TIME: EventTimes = { isAllDay: true, from: '2000-01-01', to: '2000-01-01' };

export const event: HostedType = {
  ...hostedParts('event', ['eventTitle']),
  landing({ content, blockedLinks }) {
    const {
      eventTitle = '',
      venue = '',
      description = '',
      eventPage,
      ...entered
    } = readParts<EventParts>(content);
    const page = openable(eventPage, blockedLinks);
    return {
      kind: 'event',
      title: eventTitle,
      times: readTimes(entered) ?? NO_TIME,
      venue,
      description,
      page,
    };
  },
  follow({ content, blockedLinks }, act, _n, os) {
    const { venue, eventPage } = readParts<EventParts>(content);
    if (act === 'map') return venue ? mapOf(venue, os) : null;
    return (act === 'open' && openable(eventPage, blockedLinks)) || null;
  },
  file({ id, content }, act, now) {
    const parts = readParts<EventParts>(content);
    const times = readTimes(parts);
    if (act !== 'save' || !times) return null;
    return {
      name: fileName(parts.eventTitle ?? '', 'event', 'ics'),
      mediaType: 'text/calendar; charset=utf-8',
      text: composeCalendar({ id, parts, times, now }),
    };
  },
  words: {
    gb: 'event calendar appointment ics date',
    fr: 'événement calendrier rendez vous agenda',
    es: 'evento calendario cita agenda',
    de: 'termin veranstaltung ereignis kalender',
    it: 'evento calendario appuntamento agenda',
  },
  headers: {
    eventTitle: `event title, event, event name, subject of the event, événement, nom de l’événement, evento,
      nombre del evento, veranstaltung, termin, nome dell’evento, name of the event, name des termins`,
    startDate: `start date, date de début, fecha de inicio, startdatum, beginnt am, data di inizio, first day,
      premier jour, primer día, erster tag, primo giorno`,
    startTime: `start time, heure de début, hora de inicio, startzeit, ora di inizio, starts at, début,
      empieza a las, beginn, inizio`,
    endDate: `end date, date de fin, fecha de fin, enddatum, endet am, data di fine, last day, dernier jour,
      último día, letzter tag, ultimo giorno`,
    endTime: `end time, heure de fin, hora de fin, endzeit, ora di fine, ends at, fin, termina a las, ende,
      fine`,
    timeZone: `time zone, timezone, tz, fuseau horaire, zona horaria, zeitzone, fuso orario,
      time zone of the place, fuseau horaire du lieu, zona horaria del lugar, zeitzone des ortes,
      fuso orario del luogo`,
    venue: 'venue, event location, ort der veranstaltung, veranstaltungsort, where, où, dónde, wo, dove',
    description: 'description, descripción, beschreibung, descrizione',
    eventPage: `event page, page of the event, page de l’événement, página del evento, seite der veranstaltung,
      pagina dell’evento, page about it, page à son sujet, seite dazu`,
  },
};
