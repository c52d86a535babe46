import type { Locale } from '#contract/locales';
import type { TicketSubject } from '#contract/tickets';
import de from '../../locales/de/contact.json';
import es from '../../locales/es/contact.json';
import fr from '../../locales/fr/contact.json';
import gb from '../../locales/gb/contact.json';
import it from '../../locales/it/contact.json';

/** The subjects as the contact form words them. */
export const TOPICS: Record<Locale, Record<TicketSubject, string>> = {
  gb: gb.subjects,
  fr: fr.subjects,
  es: es.subjects,
  de: de.subjects,
  it: it.subjects,
};
