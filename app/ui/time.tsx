import { LOCALES, type Locale } from '~/i18n/locales';
import { formatDate } from './format';

interface Props {
  /** ISO 8601. */
  value: string;
  locale: Locale;
  dateOnly?: boolean;
  timeZone?: string;
}

const WITH_TIME = { month: 'short', hour: '2-digit', minute: '2-digit', timeZoneName: 'short' } as const;

/** A moment in the user's language. The zone is fixed, or server and browser would disagree on the words. */
export function Moment({ value, locale, dateOnly = false, timeZone = 'UTC' }: Props) {
  const options = dateOnly ? { timeZone } : { ...WITH_TIME, timeZone };
  return (
    // Browsers carry other editions of the language data than the server; the server's words stay.
    <time dateTime={value} suppressHydrationWarning>
      {formatDate(value, LOCALES[locale].tag, options)}
    </time>
  );
}
